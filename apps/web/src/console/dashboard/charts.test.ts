import type { UsageRow } from '@ingot/contracts/billing'
import { parseUsd } from '@ingot/contracts/money'
import { describe, expect, it } from 'vitest'
import { balanceSentence, balanceShape, scaleOf, toneOf } from './balance.ts'
import { eventWords } from './event-words.ts'
import { expectedOf, meanOf, spendOf } from './spend.ts'
import { spendSentence } from './spend-sentence.ts'
import { axisOf, loadNow, meanOfCards, together } from './strips.ts'
import { dayMs, hourMs, spanText } from './times.ts'

const now = Date.parse('2026-11-24T09:12:00.000Z')
const part = (key: string | null, amount: string) => ({ key, label: key ?? 'Others', amount, used_ms: 1 })
const day = (key: string, ...parts: UsageRow['parts']): UsageRow => ({
  key,
  label: key,
  amount: `${parts.reduce((sum, { amount }) => sum + Number(amount), 0).toFixed(6)}`,
  used_ms: 1,
  parts,
})

describe('spending', () => {
  const items = [
    day('2026-11-01', part('L4', '99.000000')),
    day(
      '2026-11-22',
      part('H100', '5.000001'),
      part('A40', '1.000000'),
      part('volume', '0.300000'),
      part('snapshot', '0.200000'),
    ),
    day('2026-11-24', part('A40', '2.000000'), part('L4', '0.250000'), part(null, '0.250000')),
  ]
  const from = Date.parse('2026-11-21')
  const { spends, parts } = spendOf(items, 'day', from, now)

  it('has each day, also one without spending, and nothing of before', () => {
    expect(spends.map(({ at, amount }) => [new Date(at).toISOString().slice(8, 10), amount])).toEqual([
      ['21', '0.000000'],
      ['22', '6.500001'],
      ['23', '0.000000'],
      ['24', '2.500000'],
    ])
  })

  it('names the two dearest GPUs and puts the others together, to the last digit', () => {
    expect(parts).toEqual([
      { place: 0, label: 'H100', amount: '5.000001' },
      { place: 1, label: 'A40', amount: '3.000000' },
      { place: 2, label: 'Other GPUs', amount: '0.500000' },
      { place: 3, label: 'Storage', amount: '0.500000' },
    ])
    for (const each of spends)
      expect(each.parts.reduce((sum, amount) => sum + parseUsd(amount), 0n)).toBe(parseUsd(each.amount))
  })

  it('has the mean of the days that are over, and today at the present rate', () => {
    expect(meanOf(spends)).toBe('2.166667')
    expect(meanOf(spends.slice(-1))).toBe(null)
    // 14 h 48 min of a dollar an hour.
    expect(expectedOf(spends.at(-1)!, dayMs, '1.000000', now)).toBe('17.300000')
    expect(expectedOf(spends.at(-1)!, dayMs, '0.000000', now)).toBe(null)
  })

  it('is one sentence', () => {
    expect(spendSentence('day', spends, '2.166667', '17.300000')).toBe(
      'Spend per day, Sat 21 Nov to Tue 24 Nov UTC: highest $6.50, Sun 22 Nov. Average $2.17. Today $2.50. About $17.30 by midnight UTC at this rate.',
    )
    expect(spendSentence('hour', [{ at: now, amount: '0.000000', parts: [] }], null, null)).toBe(
      'Spend per hour, 09:12 to 09:12 UTC: nothing.',
    )
  })

  it('by the hour begins with the hour that is asked for', () => {
    const hours = spendOf(
      [day('2026-11-24T08:00:00.000Z', part('A40', '0.750000'))],
      'hour',
      Date.parse('2026-11-24T07:00:00.000Z'),
      now,
    )
    expect(hours.spends.map(({ amount }) => amount)).toEqual(['0.000000', '0.750000', '0.000000'])
  })
})

describe('the balance', () => {
  const history = {
    from: '2026-11-18T09:12:00.000Z',
    to: '2026-11-24T09:12:00.000Z',
    points: [
      { at: '2026-11-18T09:12:00.000Z', balance: '1500.000000' },
      { at: '2026-11-19T12:00:00.000Z', balance: '800.000000' },
      { at: '2026-11-19T12:00:00.000Z', balance: '2300.000000' },
      { at: '2026-11-24T09:12:00.000Z', balance: '1338.120000' },
    ],
    deposits: [{ at: '2026-11-19T12:00:00.000Z', amount: '1500.000000' }],
  }
  const present = { now, balance: '1338.120000', ratePerHour: '24.840000', emptyAt: now + 2 * dayMs }

  it('goes on in a straight line to its end, past the mail', () => {
    const shape = balanceShape(history, present)
    expect(shape).toMatchObject({
      from: Date.parse(history.from),
      top: 3000,
      isEndShown: true,
      next: [
        { at: now, usd: 1338.12 },
        { at: present.emptyAt, usd: 0 },
      ],
    })
    expect(shape.to).toBeGreaterThan(present.emptyAt)
    expect(shape.mail!.usd).toBe(100)
    expect((shape.mail!.at - now) / (2 * dayMs)).toBeCloseTo(1 - 100 / 1338.12, 6)
    expect(shape.past.at(-1)).toEqual({ at: now, usd: 1338.12 })
  })

  it('leaves at the edge where its end is later than six days, and is level where there is none', () => {
    const later = balanceShape(history, { ...present, emptyAt: now + 12 * dayMs })
    expect(later).toMatchObject({ to: now + 6 * dayMs, isEndShown: false, mail: null })
    expect(later.next[1].usd).toBeCloseTo(1338.12 / 2, 6)
    expect(balanceShape(history, { ...present, emptyAt: null }).next[1]).toEqual({
      at: now + 6 * dayMs,
      usd: 1338.12,
    })
    expect(
      balanceShape({ ...history, points: [] }, { ...present, balance: '0.000000', emptyAt: null }).top,
    ).toBe(1)
  })

  it('has round values on its scale', () => {
    expect(scaleOf(2300)).toEqual([0, 1000, 2000, 3000])
    for (const most of [0, 0.4, 1, 7, 49.2, 100, 101, 2300, 999_999]) {
      const ticks = scaleOf(most)
      expect(ticks.at(-1)!).toBeGreaterThanOrEqual(most)
      expect(ticks.length).toBeLessThanOrEqual(5)
    }
  })

  it('is one sentence, with what comes', () => {
    expect(balanceSentence(history, present)).toBe(
      'Balance from 18 Nov to 24 Nov: between $800.00 and $2,300.00, now $1,338.12. Deposits: $1,500.00 on 19 Nov. At $24.84 per hour it is used up on Thu 26 Nov 09:12 UTC.',
    )
    expect(balanceSentence(history, { ...present, emptyAt: null })).toMatch(/No end at this rate\.$/)
  })

  it('warns in its last day, and more in its last two hours', () => {
    const at = (ms: number | null) => toneOf({ ...present, emptyAt: ms === null ? null : now + ms })
    expect([at(null), at(dayMs), at(dayMs - 1), at(2 * hourMs), at(2 * hourMs - 1)]).toEqual([
      'calm',
      'calm',
      'warn',
      'warn',
      'danger',
    ])
  })
})

describe('strips', () => {
  it('have ticks at full six hours that do not touch, and midnight', () => {
    const { ticks, midnight } = axisOf(now - dayMs, now)
    expect(ticks.map(({ label }) => label)).toEqual(['Mon 12:00', '18:00', 'Tue 00:00', '09:12'])
    expect(midnight).toBeCloseTo(61.67, 1)
    for (let hour = 0; hour < 24; hour++) {
      const at = now + hour * hourMs
      const places = axisOf(at - dayMs, at).ticks.map(tick => tick.at)
      for (let n = 1; n < places.length; n++) expect(places[n]! - places[n - 1]!).toBeGreaterThan(15)
    }
  })

  it('have a mean of the cards that ran: each card counts, and one that was off does not', () => {
    const load = (cells: (number | null)[], simulated = false) => ({
      cells,
      ran: cells.map(each => each !== null),
      simulated,
      measured: true,
    })
    expect(
      meanOfCards([
        { gpus: 3, load: load([100, 80, null]) },
        { gpus: 1, load: load([0, null, null]) },
        { gpus: 8, load: load([0, 0, 0], true) },
        { gpus: 1, load: undefined },
      ]),
    ).toEqual({ cells: [75, 80, null], ran: [true, true, false] })
    expect(meanOfCards([{ gpus: 8, load: load([0], true) }])).toBe(null)
  })

  it('are half as long on a phone: the higher of two, and off only where both were', () => {
    expect(together({ cells: [1, 9, null, null, null], ran: [true, true, true, false, false] }, 2)).toEqual({
      cells: [9, null, null],
      ran: [true, true, false],
    })
    expect([loadNow([5, null]), loadNow([5, 7]), loadNow([5, null, null]), loadNow([])]).toEqual([
      5,
      7,
      null,
      null,
    ])
  })
})

it('an event is told in its words, a movement in its own', () => {
  const wordsOf = (event: Omit<Parameters<typeof eventWords>[0], 'volume_name'>) =>
    eventWords({ ...event, volume_name: null })
  expect(wordsOf({ action: 'instance_usage_returned', instance_name: 'box', message: null })).toEqual({
    subject: 'box',
    what: 'usage returned',
    isFailure: false,
  })
  expect(wordsOf({ action: 'api_key_generated', instance_name: null, message: 'ci\nmore' })).toEqual({
    subject: '',
    what: 'API key generated: ci',
    isFailure: false,
  })
  expect(
    wordsOf({ action: 'instance_start_failed', instance_name: 'box', message: 'x'.repeat(500) }),
  ).toMatchObject({ isFailure: true, what: `start failed: ${'x'.repeat(139)}…` })
  expect(wordsOf({ action: null, instance_name: 'box', message: 'Deposit of 25 USDT' })).toMatchObject({
    subject: '',
    what: 'Deposit of 25 USDT',
  })
  expect(
    wordsOf({ action: null, instance_name: 'box', message: 'box: first hour prepaid, 1 × A40' }),
  ).toEqual({ subject: 'box', what: 'first hour prepaid, 1\u00a0×\u00a0A40', isFailure: false })
  const volume = { instance_name: 'box', volume_name: 'weights' }
  expect(eventWords({ ...volume, action: 'volume_attached', message: 'box, at /volumes/weights' })).toEqual({
    subject: 'weights',
    what: 'attached: box, at /volumes/weights',
    isFailure: false,
  })
  expect(
    eventWords({ ...volume, instance_name: null, action: null, message: 'weights: next month' }),
  ).toMatchObject({ subject: 'weights', what: 'next month' })
  expect(wordsOf({ action: 'volume_deleted', instance_name: null, message: null }).what).toBe(
    'Volume deleted',
  )
})

it('a span is told by its two largest units', () => {
  expect(
    [59_000, 47 * 60_000, 18_720_000, 2 * hourMs, 53 * hourMs, dayMs, 100 * dayMs].map(spanText),
  ).toEqual(['0 min', '47 min', '5 h 12 min', '2 h', '2 days 5 hours', '1 day', '100 days'])
})
