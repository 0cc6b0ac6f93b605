import { expect, it } from 'vitest'
import { blockedText, consequencesOf } from './deletion-words.ts'

const nothing = {
  balance_usd: '0.000000',
  instances: 0,
  running: 0,
  volumes: 0,
  snapshots: 0,
  volume_grace_days: 7,
  blocked_by: [],
  proof: 'password',
} as const

it('names what is lost, and only that', () => {
  expect(consequencesOf({ ...nothing, blocked_by: [] })).toHaveLength(2)
  const lines = consequencesOf({ ...nothing, blocked_by: [], instances: 3, running: 2, volumes: 1 })
  expect(lines[0]).toBe('3 instances are destroyed with their disks; what runs on 2 of them ends now.')
  expect(lines[1]).toBe(
    '1 network volume is out of reach now and destroyed 7 days later. What is left of its month returns to the balance first.',
  )
  expect(consequencesOf({ ...nothing, blocked_by: [], volumes: 2, snapshots: 1 })[0]).toBe(
    '2 network volumes and 1 snapshot are out of reach now and destroyed 7 days later. What is left of their months returns to the balance first.',
  )
  expect(consequencesOf({ ...nothing, blocked_by: [], instances: 1 })[0]).toBe(
    '1 instance is destroyed with its disk.',
  )
})

it('says why it cannot be done yet', () => {
  expect(blockedText({ blocked_by: [] })).toBeNull()
  expect(blockedText({ blocked_by: ['hold', 'withdrawal'] })).toBe(
    'Money of your account is held for a review. A withdrawal is on its way. The account can be deleted when that is done.',
  )
})
