import { describe, expect, test } from 'vitest'
import { type Sight, type Sign, signsOf } from './signs.ts'

const at = Date.parse('2026-11-20T10:00:30.000Z')
const seen = {
  looked_at: '2026-11-20T10:00:00.000Z',
  busy_at: '2026-11-20T09:50:00.000Z',
  seen_cpu_ms: 5_000,
  seen_input_at: '2026-11-20T09:49:00.000Z',
  seen_request_at: null,
}
const sight: Sight = {
  at,
  cpuMs: 5_000,
  cards: null,
  inputAt: seen.seen_input_at,
  inputBy: 'terminal',
  requestAt: null,
}
const soon = '2026-11-20T10:00:10.000Z'
const awake = { looked_at: '2026-11-19T10:00:00.000Z' }

describe('each signal counts by itself', () => {
  test.each<[string, Partial<typeof seen> | object, Partial<Sight>, string[] | 'unknown']>([
    ['nothing happened', {}, {}, []],
    ['2% of a core', {}, { cpuMs: 5_600 }, []],
    ['more than 2% of a core', {}, { cpuMs: 5_601 }, ['processor']],
    ['a program ended whose time is not counted any more', {}, { cpuMs: 1_000 }, ['processor']],
    ['something was typed', {}, { inputAt: soon }, ['terminal']],
    ['something came over SSH', {}, { inputAt: soon, inputBy: 'ssh' }, ['ssh']],
    ['a request changed something', {}, { requestAt: soon }, ['requests']],
    ['a card at 4%', {}, { cards: [0, 0.04] }, []],
    ['a card at 5%', {}, { cards: [0, 0.05] }, ['cards']],
    [
      'everything',
      {},
      { inputAt: soon, requestAt: soon, cpuMs: 9_000, cards: [1] },
      ['terminal', 'requests', 'processor', 'cards'],
    ],
    ['the driver measures nothing', {}, { cpuMs: null }, []],
    ['the driver measures it only now', { seen_cpu_ms: null }, {}, ['processor']],
    ['the first look of a run', { looked_at: null, busy_at: null }, {}, ['start']],
    ['a second and a half of work while the server was away', awake, { cpuMs: 6_500 }, ['processor']],
    ['no work while the server was away', awake, { cpuMs: 5_001 }, []],
    ['the processor cannot be read, and nothing else counts', {}, { cpuMs: 'unknown' }, 'unknown'],
    ['the cards cannot be read, and nothing else counts', {}, { cards: 'unknown' }, 'unknown'],
    [
      'the cards cannot be read, and the processor works',
      {},
      { cards: 'unknown', cpuMs: 9_000 },
      ['processor'],
    ],
    [
      'the processor cannot be read, and something was typed',
      {},
      { cpuMs: 'unknown', inputAt: soon },
      ['terminal'],
    ],
    ['neither can be read', {}, { cpuMs: 'unknown', cards: 'unknown' }, 'unknown'],
  ])('%s', (_, before, now, wanted) => {
    const signs = signsOf({ ...seen, ...before }, { ...sight, ...now })
    expect(signs === 'unknown' ? signs : signs.map(({ signal }) => signal)).toEqual(wanted)
  })

  test('what was seen is told: processors in use, and the busiest card', () => {
    const signs = signsOf(seen, { ...sight, cpuMs: 20_000, cards: [0.1, 0.84, 0.3] }) as readonly Sign[]
    expect(signs).toEqual([
      { signal: 'processor', amount: 0.5, card: null },
      { signal: 'cards', amount: 0.84, card: 1 },
    ])
  })

  test('the model agrees: it is at work exactly when a signal says so, and in doubt it is not stopped', () => {
    const values = {
      inputAt: [seen.seen_input_at, soon],
      requestAt: [null, soon],
      cpuMs: [null, 'unknown', 5_000, 5_700] as const,
      cards: [null, 'unknown', [0.01], [0.01, 0.6]] as const,
    }
    for (const inputAt of values.inputAt)
      for (const requestAt of values.requestAt)
        for (const cpuMs of values.cpuMs)
          for (const cards of values.cards) {
            const signs = signsOf(seen, { ...sight, inputAt, requestAt, cpuMs, cards })
            const works =
              inputAt === soon ||
              requestAt === soon ||
              cpuMs === 5_700 ||
              (Array.isArray(cards) && cards.length === 2)
            const inDoubt = cpuMs === 'unknown' || cards === 'unknown'
            expect(signs === 'unknown' ? 'unknown' : signs.length > 0).toBe(
              works || (inDoubt ? 'unknown' : false),
            )
          }
  })
})
