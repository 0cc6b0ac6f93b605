import { type AttentionItem, attentionKinds } from '@ingot/contracts/activity'
import { describe, expect, it } from 'vitest'
import { attentionText } from './attention-text.ts'

const now = Date.parse('2026-11-24T09:12:00.000Z')
const item = (changes: Partial<AttentionItem>): AttentionItem => ({
  kind: 'idle',
  at: '2026-11-24T08:25:00.000Z',
  instance_id: '01980000-0000-7000-8000-000000000001',
  instance_name: 'notebook-03',
  volume_id: null,
  volume_name: null,
  percent: null,
  others: 0,
  until: '2026-11-24T09:25:00.000Z',
  amount: '0.900000',
  place: null,
  message: null,
  ...changes,
})
const said = (changes: Partial<AttentionItem>) => {
  const { tone, subject, what, next, acts } = attentionText(item(changes), now)
  return [tone, `${subject} ${what} ${next}`.trim(), acts.join()]
}

describe('what needs somebody', () => {
  it.each<[Partial<AttentionItem>, string[]]>([
    [
      {},
      [
        'warn',
        'notebook-03 idle for 47 min. Stops by itself at 09:25 UTC; until then $0.90 per hour.',
        'keep,stop',
      ],
    ],
    [
      {
        kind: 'start_failed',
        at: '2026-11-23T07:48:00.000Z',
        message: 'The image was not found. Nothing was charged.\nlast line',
      },
      [
        'danger',
        'notebook-03 did not start at Mon 23 Nov 07:48 UTC. The image was not found. Nothing was charged.',
        'log,edit',
      ],
    ],
    [
      { kind: 'balance_empty', others: 2 },
      [
        'danger',
        'notebook-03 and 2 more stopped at 08:25 UTC: the balance was used up. The disk is kept, and nothing after that is charged.',
        'stopped,funds',
      ],
    ],
    [
      {
        kind: 'runway',
        instance_id: null,
        instance_name: null,
        until: '2026-11-24T14:24:00.000Z',
        amount: '24.840000',
      },
      [
        'warn',
        'Balance lasts 5 h 12 min. Used up at 14:24 UTC at $24.84 per hour; then what runs stops.',
        'funds',
      ],
    ],
    [
      { kind: 'budget_stopped', amount: '50.000000', until: null },
      ['warn', 'notebook-03 has used up its budget of $50.00. What draws on it stops.', 'budgets'],
    ],
    [
      { kind: 'budget_passed', instance_name: null, amount: '50.000000', until: '2026-12-01T00:00:00.000Z' },
      [
        'warn',
        'The account has used up its budget of $50.00. It is only told: what runs goes on, until Tue 1 Dec 00:00 UTC.',
        'budgets',
      ],
    ],
    [
      { kind: 'queued', place: 2, amount: '0.750000', until: null },
      [
        'info',
        'notebook-03 waits for a place since 08:25 UTC: 2 in the queue. $0.75 is set aside, not charged. It starts by itself.',
        'leave',
      ],
    ],
    [
      { kind: 'queued', place: 1, message: 'The balance does not cover it.' },
      ['warn', 'notebook-03 is passed over in the queue. The balance does not cover it.', 'leave,funds'],
    ],
    [
      { kind: 'deposit_below_minimum', others: 1, amount: '7.000000' },
      [
        'warn',
        '2 deposits of $7.00 below the minimum. Credited with the next, once they are $10 together.',
        'funds',
      ],
    ],
  ])('%o', (changes, expected) => expect(said(changes)).toEqual(expected))

  it.each<[Partial<AttentionItem>, string[]]>([
    [
      { kind: 'volume_full', percent: 96, until: null },
      ['warn', 'weights is nearly full: 96%. Programs that write to a full volume fail.', 'volume'],
    ],
    [
      { kind: 'volume_lapsed', until: '2026-12-01T08:25:00.000Z', amount: '5.000000' },
      [
        'danger',
        'weights is not paid: deleted on Tue 1 Dec 08:25 UTC. It is read-only, and costs $5.00 for the month since 08:25 UTC.',
        'funds,volume',
      ],
    ],
    [
      { kind: 'snapshot_lapsed', until: '2026-12-01T08:25:00.000Z', amount: '0.100000' },
      [
        'danger',
        'weights is not paid: deleted on Tue 1 Dec 08:25 UTC. It costs $0.10 for the month since 08:25 UTC.',
        'funds,volumes',
      ],
    ],
    [
      { kind: 'volume_failed', message: 'The host is gone.\nmore', until: null },
      ['danger', 'weights could not be made at 08:25 UTC. The host is gone.', 'create'],
    ],
  ])('of volumes %o', (changes, words) => {
    const volume = { volume_id: 'v', volume_name: 'weights', instance_id: null, instance_name: null }
    expect(said({ ...volume, ...changes })).toEqual(words)
  })

  it('is told as danger in the last two hours of the balance', () => {
    const until = (at: string) => said({ kind: 'runway', until: at })[0]
    expect([until('2026-11-24T11:11:59.000Z'), until('2026-11-24T11:12:00.000Z')]).toEqual(['danger', 'warn'])
  })

  it('has words, and something to do, for every kind', () => {
    for (const kind of attentionKinds) {
      const { subject, what, next, acts } = attentionText(item({ kind, message: 'why' }), now)
      expect([subject, what, next].every(Boolean), kind).toBe(true)
      expect(acts.length, kind).toBeGreaterThan(0)
    }
  })
})
