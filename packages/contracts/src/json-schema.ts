/**
 * Contract schemas as JSON Schemas. Throws for anything JSON Schema cannot say: a transform or refine would pass
 * silently on input.
 */
import type * as z from 'zod/mini'
import { toJSONSchema } from 'zod/v4/core'
import { inQuery, type Operation, pathKeys } from './operation.ts'

export interface JsonSchema {
  [key: string]: unknown
  properties?: Record<string, JsonSchema>
  required?: string[]
}

export type Target = 'draft-7' | 'draft-2020-12'

export function jsonSchemaOf(
  schema: z.ZodMiniType,
  io: 'input' | 'output',
  target: Target = 'draft-7',
): JsonSchema {
  const { $schema: _, ...json } = toJSONSchema(schema, { target, io, unrepresentable: 'throw' }) as JsonSchema
  return json
}

export interface InputSchemas {
  readonly params?: JsonSchema
  readonly querystring?: JsonSchema
  readonly body?: JsonSchema
}

/** Fields in the path, in the query (`inQuery`) or in the body (the rest), each a closed object. */
export function inputSchemas(op: Operation, target: Target = 'draft-7'): InputSchemas {
  const whole = jsonSchemaOf(op.input, 'input', target)
  const inPath = pathKeys(op.path)
  for (const key of inPath) {
    if (!whole.properties?.[key])
      throw new Error(`${op.id}: the path names {${key}} but the input has no such field`)
  }
  const params = inPath.length ? { params: part(whole, key => inPath.includes(key)) } : {}
  const rest = part(whole, key => !inPath.includes(key))
  return inQuery(op) ? { ...params, querystring: rest } : { ...params, body: rest }
}

function part(whole: JsonSchema, keep: (key: string) => boolean): JsonSchema {
  return {
    type: 'object',
    properties: Object.fromEntries(Object.entries(whole.properties ?? {}).filter(([key]) => keep(key))),
    required: (whole.required ?? []).filter(keep),
    additionalProperties: false,
  }
}
