import { expect, it } from 'vitest'
import { emptyProfile, parsePendingProfile } from './pending-profile.ts'

const profile = {
  company: 'Analytical Engines',
  role: 'ml-engineer',
  use_case: 'training',
  plan_name: 'Free',
  email: 'ada@example.com',
} as const

it('comes back as it was kept', () => {
  expect(parsePendingProfile(JSON.stringify(profile))).toEqual(profile)
})

it.each(['', '{', 'null', '[]', '"text"', '12'])('%j is no profile', text => {
  expect(parsePendingProfile(text)).toBeNull()
})

it('the plan defaults to Free, and so does what is missing to nothing', () => {
  expect(parsePendingProfile('{}')).toEqual(emptyProfile)
})

it('lets no unknown value through', () => {
  const odd = { company: 'x'.repeat(500), role: 'admin', use_case: '__proto__', plan_name: 7, is_admin: true }
  const read = parsePendingProfile(JSON.stringify(odd))
  expect(read).toEqual({ ...emptyProfile, company: 'x'.repeat(120) })
})
