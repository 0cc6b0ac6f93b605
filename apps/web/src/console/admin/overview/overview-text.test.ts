import { expect, it } from 'vitest'
import { sparkPath } from '../../../ui/Sparkline.tsx'
import { confirmationsText, reasonText } from '../acts/payment-text.ts'
import { hitsText, shownText } from '../tabs/count-text.ts'
import { balanceState, hoursText } from '../tabs/user-columns.tsx'
import { closing, opening, readPayments, readTab, readUsers, toTab } from '../tabs/tab-search.ts'
import { ageText, roughUsd, soldText, wayText } from './card-text.ts'
import { decisionText } from './decision-text.ts'

it('leaves the cents out from a thousand dollars on, and never rounds a smaller amount away', () => {
  expect(roughUsd('214806.120000')).toBe('$214,806')
  expect(roughUsd('999.990000')).toBe('$999.99')
  expect(roughUsd('1000.500000')).toBe('$1,001')
  expect(roughUsd('-48912.500000')).toBe('−$48,913')
  expect(roughUsd('0.000001')).not.toBe('$0.00')
})

it('says what is sold of what there is, in the unit that fits', () => {
  const volumes = { total: 0, days: [], sold_gb: 61_200, capacity_gb: 80_000 }
  expect(soldText(volumes)).toBe('61.2 of 80 TB sold')
  expect(soldText({ ...volumes, sold_gb: 30, capacity_gb: 500 })).toBe('30 of 500 GB sold')
  expect(soldText({ ...volumes, capacity_gb: null })).toBe('61.2 TB sold')
})

it('tells ages and ways in words', () => {
  expect([-5, 41 * 60_000, 5 * 3_600_000, 72 * 3_600_000].map(ageText)).toEqual([
    '0 min',
    '41 min',
    '5 h',
    '3 d',
  ])
  expect(wayText('Total Users', [1190, 1300, 1284])).toBe(
    'Total Users, last 3 days: 1,190 to 1,300, now 1,284',
  )
  expect(wayText('Total Users', [])).toBe('Total Users: no days yet')
})

it('draws a line from the least to the most, and a level one along the foot', () => {
  expect(sparkPath([0, 10, 5])).toBe('M0 100L1 0L2 50')
  expect(sparkPath([3, 3])).toBe('M0 100L1 100')
  expect(sparkPath([3])).toBe('')
})

it('names each kind of decision by what is to be decided', () => {
  const each = {
    id: 'x',
    user_id: null,
    user_email: null,
    since: '2026-11-26T00:00:00Z',
    title: null,
    amount_usdt: null,
    reason: null,
    priority: null,
    instances: null,
    can_decide: false,
  }
  expect(decisionText({ ...each, kind: 'payment', amount_usdt: '8.000000', reason: 'below_minimum' })).toBe(
    '8.000000 USDT, under the minimum of $10',
  )
  expect(
    decisionText({ ...each, kind: 'machine', title: 'eu2-r07', reason: 'It is not heard of.', instances: 1 }),
  ).toBe('eu2-r07: it is not heard of, 1 instance on it')
  expect(
    decisionText({
      ...each,
      kind: 'ticket',
      title: 'Help',
      priority: 'high',
      reason: 'A person was asked for.',
    }),
  ).toBe('high priority, a person was asked for, “Help”')
})

it('counts confirmations as the specification does, and keeps words it does not know', () => {
  expect(confirmationsText({ status: 'confirmed', confirmations: 19 })).toBe('12/6')
  expect(confirmationsText({ status: 'pending', confirmations: 19 })).toBe('6/6')
  expect(confirmationsText({ status: 'pending', confirmations: 2 })).toBe('2/6')
  expect(reasonText('something_new')).toBe('something_new')
  expect(reasonText(null)).toBe('')
})

it('marks a balance by what is left of it and for how long', () => {
  expect(balanceState({ balance_usd: '1338.120000', hours_left: 300 })).toBe('good')
  expect(balanceState({ balance_usd: '96.400000', hours_left: 40 })).toBe('low')
  expect(balanceState({ balance_usd: '300.000000', hours_left: 1.9 })).toBe('short')
  expect(balanceState({ balance_usd: '0.000000', hours_left: null })).toBe('short')
  expect([0.5, 1.9, 47, 48].map(hoursText)).toEqual(['30 min', '1 h', '47 h', '2 d'])
})

it('says how many of how many are shown only where that is known', () => {
  expect(hitsText({ count: 1000, is_more: true })).toBe('1,000+')
  const hits = { count: 1284, is_more: false }
  const list = { hasNextPage: true }
  expect(shownText(50, list, { hits, isFiltered: false, by: 'by spend' })).toBe('50 of 1,284, by spend')
  expect(shownText(50, list, { hits, isFiltered: true, by: 'by spend' })).toBe('50+ shown, by spend')
})

it('reads of an address what it knows, and takes what narrows one tab down off in another', () => {
  expect(readTab({ tab: 'nonsense' })).toBe('users')
  expect(readUsers({ role: 'king', sort: 'balance', order: 'asc', search: ' a ' })).toEqual({
    search: 'a',
    role: undefined,
    balance: undefined,
    sort: 'balance',
    order: 'asc',
  })
  expect(readPayments({ held: '1', of: 'no id' })).toMatchObject({ can_decide: true, user_id: undefined })
  const next = toTab('billing')
  expect(next).toMatchObject({ tab: 'billing', role: undefined, of: undefined })
  expect('search' in next).toBe(false)
  expect(opening('volume', 'v')).toEqual({ ...closing, volume: 'v' })
})
