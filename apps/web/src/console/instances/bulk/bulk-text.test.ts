import type { Instance } from '@ingot/contracts/instances'
import { describe, expect, it } from 'vitest'
import { costText, deleteTexts, eligible, progressText, resultText, whyNone } from './bulk-text.ts'

const now = new Date('2026-11-24T09:00:00Z')
const one = (changes: Partial<Instance>): Instance =>
  ({
    id: 'i',
    name: 'box',
    status: 'stopped',
    hourly_cost: '0.750000',
    prepaid_remaining: '0.000000',
    paid_until: null,
    extended_ms: 0,
    created_at: '2026-11-24T08:00:00Z',
    started_at: null,
    network_volume_id: null,
    queue: null,
    ...changes,
  }) as Instance
const running = one({ status: 'running', started_at: '2026-11-24T08:30:00Z' })
const inTerm = one({
  status: 'running',
  started_at: '2026-11-24T08:00:00Z',
  paid_until: '2027-02-01T00:00:00Z',
  prepaid_remaining: '535.000000',
})

describe('acts on several instances', () => {
  it('are offered to those whose status allows them, and say why to none', () => {
    expect(eligible('start', [one({}), running])).toHaveLength(1)
    expect(eligible('snooze', [one({}), running])).toEqual([running])
    expect(eligible('delete', [one({}), running])).toHaveLength(2)
    expect(whyNone('stop', [one({})])).toBe(
      'An instance can be stopped only while running; this one is stopped.',
    )
    expect(whyNone('stop', [one({}), running])).toBeNull()
  })

  it('say what starting costs and what stopping gives back, terms left out', () => {
    expect(costText([one({}), one({})], now)).toBe('Starting the 2 costs $1.50 per hour.')
    expect(costText([running], now)).toBe(
      'Stopping the one saves $0.75 per hour. Their GPUs go back: others may take them while they are stopped.',
    )
    expect(costText([running, inTerm], now)).toBe(
      'Stopping the 2 saves $0.75 per hour. 1 within a term keep their GPUs; those of the others go back.',
    )
    expect(costText([one({ status: 'stopping' })], now)).toBe('')
  })

  it('say what deleting takes and returns', () => {
    expect(deleteTexts([one({}), one({})], now)).toEqual([
      '2 instances and their disks will be gone. This cannot be undone.',
      'Nothing of what you paid for them is left to return.',
    ])
    const waiting = one({ queue: { set_aside: '0.125000' } as Instance['queue'] })
    expect(deleteTexts([one({ ...running, prepaid_remaining: '0.750000' }), waiting, inTerm], now)).toEqual([
      '3 instances and their disks will be gone. This cannot be undone.',
      '2 of them run: what runs there ends now.',
      '$0.12 that is set aside returns to your balance.',
      'About $534.62 of what you paid for them returns to your wallet.',
      '1 is within a term: the time held is charged at the hourly price, never more than was paid.',
    ])
  })

  it('tell how far they are and how they ended', () => {
    expect(progressText('stop', 1, 4)).toBe('Stopping: 1 of 4 is done.')
    expect(resultText('stop', 3, 4)).toBe('3 of 4 stopped.')
    expect(resultText('delete', 4, 4)).toBe('All 4 deleted.')
    expect(resultText('start', 1, 1)).toBe('1 started.')
  })
})
