import { expect, it } from 'vitest'
import { cameByMail, claimsOf, owesSecondFactor } from './second-factor.ts'

const token = (claims: object) => `e30.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.sig`
const factor = (status: 'verified' | 'unverified') => ({ status, factor_type: 'totp' }) as never

const session = (aal: string, factors?: never[]) => ({
  access_token: token({ aal, name: 'Žofie', amr: [{ method: 'password' }] }),
  user: { factors },
})

it('is owed by a first-level session of somebody with a verified factor', () => {
  expect(owesSecondFactor(session('aal1', [factor('verified')]))).toBe(true)
  expect(owesSecondFactor(session('aal2', [factor('verified')]))).toBe(false)
})

it('is not owed while a factor is only being set up', () => {
  expect(owesSecondFactor(session('aal1', [factor('unverified')]))).toBe(false)
  expect(owesSecondFactor(session('aal1'))).toBe(false)
})

it('knows who came by a mailed link', () => {
  expect(cameByMail({ access_token: token({ amr: [{ method: 'otp' }] }) })).toBe(true)
  expect(cameByMail({ access_token: token({ amr: [{ method: 'password' }] }) })).toBe(false)
})

it.each(['', 'a.b', 'a.!!!.c'])('%j is no token', text => expect(claimsOf(text)).toEqual({ methods: [] }))
