import type { Queue } from '@ingot/contracts/instance/places'
import { expect, test } from 'vitest'
import { placeText, queuedText, setAsideText } from './queue-text.ts'

const queue: Queue = {
  position: 2,
  since: '2026-11-20T10:00:00.000Z',
  set_aside: '0.750000',
  is_new: true,
  blocked: null,
}

test('a place in the queue says where, what is set aside, and what becomes of that', () => {
  expect(placeText(queue)).toBe('place 2 in the queue')
  expect(placeText({ ...queue, blocked: 'Insufficient funds in wallet' })).toBe('passed over in the queue')
  expect(queuedText({ name: 'box', queue })).toBe(
    'box waits: place 2 in the queue. $0.75 is set aside, not charged. It starts by itself.',
  )
  expect(queuedText({ name: 'box', queue: { ...queue, set_aside: '0.000000' } })).toBe(
    'box waits: place 2 in the queue. It starts by itself.',
  )
  expect(queuedText({ name: 'box', queue: null })).toBe('box has its place.')
  expect(setAsideText(queue)).toMatch(/^\$0\.75 of your balance, charged when it starts/)
  expect(setAsideText({ ...queue, is_new: false, set_aside: '0.125000' })).toMatch(
    /for its first ten minutes/,
  )
  expect(setAsideText({ ...queue, is_new: false, set_aside: '0.000000' })).toMatch(/^Nothing/)
})
