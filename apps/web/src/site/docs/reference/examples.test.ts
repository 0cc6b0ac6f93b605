import { api } from '@ingot/contracts/api'
import type { Operation } from '@ingot/contracts/operation'
import { describe, expect, it } from 'vitest'
import { curl, examplesOf } from './examples.ts'
import { apiNouns } from './reference.ts'

const entries = apiNouns.flatMap(noun => noun.entries)
const operations = Object.values(api)
  .flatMap(noun => Object.values(noun) as Operation[])
  .filter(op => op.who !== 'dev')

describe('the API reference', () => {
  it('has an entry for every call but the development tools', () =>
    expect(entries.map(entry => entry.id).toSorted()).toEqual(operations.map(op => op.id).toSorted()))
  it.each(entries.map(entry => [entry.id, entry] as const))('%s: its example is accepted', (id, entry) => {
    const parsed = operations.find(op => op.id === id)!.input.safeParse(entry.sampleInput)
    expect(parsed.error?.issues ?? []).toEqual([])
  })
  it.each(entries.map(entry => [entry.id, entry] as const))(
    '%s: its answer is one the call gives',
    (id, entry) => {
      const op = operations.find(each => each.id === id)!
      if (op.transport === 'bytes') return expect(entry.mediaTypes).toEqual(op.mediaTypes)
      expect(op.output.safeParse(entry.sampleAnswer).error?.issues ?? []).toEqual([])
    },
  )
  it('fills the path, sends a body with every write, and names the credential', () => {
    for (const entry of entries) {
      const command = curl(entry)
      expect(command).not.toMatch(/[{]\w+[}]"/)
      if (entry.takesBytes) expect(command).toContain('--data-binary')
      else if (entry.method !== 'GET' && entry.method !== 'DELETE') expect(command).toContain("-d '{")
      expect(command.includes('Bearer')).toBe(entry.caller !== 'nobody')
      expect(examplesOf(entry).map(example => example.tab)).toEqual(['curl', 'JavaScript', 'Python', 'CLI'])
    }
  })
})
