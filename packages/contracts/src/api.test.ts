import { expect, test } from 'vitest'
import { api } from './api.ts'
import type { Operation } from './operation.ts'
import { jsonSchemaOf } from './json-schema.ts'

test('no call takes the number of a card or of a bank account', () => {
  const operations = Object.values(api).flatMap(noun => Object.values(noun) as Operation[])
  const fields = operations.flatMap(({ input }) => namesIn(jsonSchemaOf(input, 'input')))
  expect(fields).toContain('txHash')
  expect(fields.filter(name => /card|cvc|cvv|iban|bic|account_?n|routing/i.test(name))).toEqual([])
})

/** The names of all fields in a schema, at any depth. */
const namesIn = (schema: unknown): string[] =>
  typeof schema !== 'object' || schema === null
    ? []
    : Object.entries(schema).flatMap(([key, value]) => [
        ...(key === 'properties' ? Object.keys(value as object) : []),
        ...namesIn(value),
      ])
