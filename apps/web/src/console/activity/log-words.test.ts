import { actorKinds } from '@ingot/contracts/activity'
import { describe, expect, it } from 'vitest'
import { actionLabel, actorWords, readLogSearch } from './log-words.ts'

it('reads an action as a sentence begins', () => {
  expect(actionLabel('instance_usage_charged')).toBe('Instance usage charged')
})

it('says who did it where it was neither the reader nor the service', () => {
  expect(actorKinds.map(kind => actorWords[kind])).toEqual([
    undefined,
    'by API key',
    'by schedule',
    'by staff',
    undefined,
  ])
})

describe('the filters', () => {
  it('take a kind or one action, and nothing that there is not', () => {
    expect(readLogSearch({ action: 'instance' })).toMatchObject({ kind: 'instance', action: undefined })
    expect(readLogSearch({ action: 'api_key_revoked' })).toMatchObject({
      kind: undefined,
      action: 'api_key_revoked',
    })
    for (const action of ['all', 'instance_exploded', undefined])
      expect(readLogSearch({ action })).toMatchObject({ kind: undefined, action: undefined })
  })

  it('take an instance or a volume only when it is an id', () => {
    const id = '01980000-0000-7000-8000-000000000001'
    expect(readLogSearch({ instance: id }).instance).toBe(id)
    expect(readLogSearch({ instance: "'; drop table" }).instance).toBeUndefined()
    expect(readLogSearch({ volume: id }).volume).toBe(id)
    expect(readLogSearch({ volume: 'data' }).volume).toBeUndefined()
  })
})
