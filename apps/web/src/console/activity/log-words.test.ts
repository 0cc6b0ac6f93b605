import type { UsageLog } from '@ingot/contracts/activity'
import { describe, expect, it } from 'vitest'
import { actionLabel, countKind, countToday, matchLogs, readLogSearch } from './log-words.ts'

const log = (action: UsageLog['action'], name: string, timestamp = '2026-11-21T10:00:00.000Z'): UsageLog => ({
  id: `${action}-${name}`,
  user_id: 'u',
  action,
  instance_id: 'i',
  instance_name: name,
  cost: '0.000000',
  duration_minutes: 0,
  seconds: null,
  from_prepaid: '0.000000',
  from_wallet: '0.000000',
  message: null,
  timestamp,
})
const logs = [
  log('instance_started', 'llama'),
  log('instance_stopped', 'llama'),
  log('instance_started', 'sdxl'),
]
const all = { search: '', action: undefined, instance: undefined }

it('reads an action as a sentence begins', () => {
  expect(actionLabel('instance_usage_charged')).toBe('Instance usage charged')
})

describe('the filters', () => {
  it('match a kind, one action, or all', () => {
    expect(matchLogs(logs, all)).toHaveLength(3)
    expect(matchLogs(logs, { ...all, action: 'instance' })).toHaveLength(3)
    expect(matchLogs(logs, { ...all, action: 'volume' })).toHaveLength(0)
    expect(matchLogs(logs, { ...all, action: 'instance_stopped' })).toHaveLength(1)
  })

  it('search in label and name, in any case', () => {
    expect(matchLogs(logs, { ...all, search: 'LLAMA' })).toHaveLength(2)
    expect(matchLogs(logs, { ...all, search: 'started' })).toHaveLength(2)
    expect(matchLogs(logs, { ...all, search: 'h200' })).toHaveLength(0)
  })

  it('take an instance only when it is an id', () => {
    const id = '01980000-0000-7000-8000-000000000001'
    expect(readLogSearch({ instance: id }).instance).toBe(id)
    expect(readLogSearch({ instance: "'; drop table" }).instance).toBeUndefined()
  })
})

it('counts today and each kind', () => {
  const now = new Date('2026-11-21T12:00:00.000Z')
  expect(countToday([...logs, log('instance_created', 'old', '2026-11-19T12:00:00.000Z')], now)).toBe(3)
  expect(countKind(logs, 'instance')).toBe(3)
  expect(countKind(logs, 'volume')).toBe(0)
})
