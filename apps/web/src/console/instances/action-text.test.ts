import { IngotError } from '@ingot/contracts/errors'
import { expect, test } from 'vitest'
import { endedText, refusedText } from './action-text.ts'

test.each(['start', 'restart'] as const)('a %s without its reserve is told as that, not as a charge', act => {
  const message = 'Insufficient funds in wallet. Restarting needs ten minutes in advance: $0.13'
  expect(refusedText(act, new IngotError('insufficient_funds', { message }))).toEqual({
    text: message,
    needsFunds: true,
  })
})

test('another refusal names the act and its reason', () => {
  const error = new IngotError('no_capacity', { message: 'No A40 is free in US-East right now.' })
  expect(refusedText('start', error)).toEqual({
    text: 'Failed to start instance: No A40 is free in US-East right now.',
    needsFunds: false,
  })
})

test('one whose budget was used up before is told as that, and needs no funds', () => {
  const words = 'Stopped because its budget of $5.00 is used up.'
  expect(
    endedText('Stopping', {
      name: 'box',
      status_reason: 'budget_reached',
      status_message: words,
      paid_until: null,
    }),
  ).toEqual({
    text: words,
    needsFunds: false,
  })
})

test.each([
  ['Stopping', "Instance stopped but couldn't charge $0.75 for usage. Please add funds to your wallet."],
  ['Restarting', "Couldn't charge $0.75 for usage before restart. Please add funds to your wallet."],
] as const)('%s a wallet that had run dry says what could not be charged', (act, words) => {
  const answer = {
    name: 'box',
    status_reason: 'balance_empty',
    status_message: words,
    paid_until: null,
  } as const
  expect(endedText(act, answer)).toEqual({ text: words, needsFunds: true })
  expect(endedText(act, { ...answer, status_reason: null, status_message: null })).toEqual({
    text:
      act === 'Stopping'
        ? 'Stopping box. Its GPU goes back: others may take it while it is stopped.'
        : 'Restarting box.',
    needsFunds: false,
  })
})

test('a stop says that its card goes back, and inside a term that it stays reserved', () => {
  const now = new Date('2026-11-20T10:00:00.000Z')
  const box = {
    name: 'box',
    status_reason: null,
    status_message: null,
    paid_until: '2026-12-20T10:00:00.000Z',
  }
  expect(endedText('Stopping', box, now).text).toBe(
    'Stopping box. Its GPU stays reserved for it until its term ends.',
  )
})
