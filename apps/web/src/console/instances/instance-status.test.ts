import { expect, test } from 'vitest'
import { kindOf, progressText, reasonOf } from './instance-status.ts'

test.each([
  [0, 0, 'Pulling image'],
  [0, 1_200_000_000, 'Pulling image: 0 % of 1.2 GB'],
  [523_000_000, 1_200_000_000, 'Pulling image: 43 % of 1.2 GB'],
  // Not before it is.
  [1_199_999_999, 1_200_000_000, 'Pulling image: 99 % of 1.2 GB'],
  [1_200_000_000, 1_200_000_000, 'Pulling image: 100 % of 1.2 GB'],
])('%i of %i bytes', (done_bytes, total_bytes, text) => {
  expect(progressText({ what: 'pulling_image', done_bytes, total_bytes })).toBe(text)
})

test('what waits says so, and a stop, restart or delete that fails shows while it is tried again', () => {
  expect(reasonOf({ status: 'stopped', status_reason: 'queued' })?.short).toBe('in the queue')
  const blocked = { position: 1, since: '', set_aside: '0', is_new: true, blocked: 'no funds' }
  expect(kindOf({ status: 'stopped', status_reason: 'queued', queue: { ...blocked, blocked: null } })).toBe(
    'stopped',
  )
  expect(kindOf({ status: 'stopped', status_reason: 'queued', queue: blocked })).toBe('attention')
  expect(kindOf({ status: 'stopping', status_reason: 'delete_failed' })).toBe('failed')
  expect(kindOf({ status: 'stopping', status_reason: 'idle' })).toBe('changing')
})
