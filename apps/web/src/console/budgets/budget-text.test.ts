import { expect, test } from 'vitest'
import { endText, limitError, limitOf, usedText } from './budget-text.ts'

test('an amount is read as people type it', () => {
  expect(limitOf(' $1,500.50 ')).toBe('1500.50')
  for (const typed of ['50', '$50', '1,000,000', '0.01']) expect(limitError(typed)).toBeNull()
  for (const typed of ['', '0', '-5', 'fifty', '1,000,000.01', '1.2345678', '5,50', '1,50.00'])
    expect(limitError(typed)).not.toBeNull()
})

test('figures and what happens at the end are said in words', () => {
  const budget = {
    limit: '50.000000',
    at_limit: 'stop',
    spent: '12.400000',
    left: '37.600000',
    used_percent: 24,
    period_start: '2026-11-01T00:00:00.000Z',
    period_end: null,
    reached_at: null,
  } as const
  expect(usedText(budget)).toBe('$12.40 of $50.00 used, 24%')
  expect(endText(budget)).toContain('stops')
  const usedUp = { ...budget, left: '0.000003', reached_at: budget.period_start }
  expect(endText(usedUp)).toContain('nothing starts')
  expect(endText({ ...usedUp, at_limit: 'warn' })).toContain('nothing stops')
})
