import { expect, it } from 'vitest'
import { challengeable, factorName, freeName, inGroups, plainCode, plainPhone } from './factor-text.ts'

const factor = (factor_type: string, more: object = {}) =>
  ({ factor_type, status: 'verified', ...more }) as never

it('offers a security key, then the authenticator first, and nothing that is not confirmed or not known', () => {
  const [recovery, phone, totp, key] = ['recovery_code', 'phone', 'totp', 'webauthn'].map(type =>
    factor(type),
  )
  const unfinished = factor('totp', { status: 'unverified' })
  expect(challengeable([recovery, factor('palm'), phone, totp, key, unfinished] as never[])).toEqual([
    key,
    totp,
    phone,
    recovery,
  ])
  expect(challengeable()).toEqual([])
})

it('names factors, and hides most of a phone number', () => {
  expect(factorName(factor('totp', { friendly_name: 'Aegis' }))).toBe('Aegis')
  expect(factorName(factor('totp'))).toBe('Authenticator app')
  expect(factorName(factor('webauthn'))).toBe('Security key')
  expect(factorName(factor('phone', { phone: '15550102030' }))).toBe('Phone •••30')
  expect(factorName(factor('recovery_code', { friendly_name: 'x' }))).toBe('Recovery codes')
})

it('finds a name that is free', () => {
  expect(freeName('Phone', [])).toBe('Phone')
  expect(freeName('Phone', ['Phone', 'Phone 2', undefined])).toBe('Phone 3')
})

it('reads codes and numbers as people write them', () => {
  expect(plainCode(' 123 456-')).toBe('123456')
  expect(plainPhone('+1 (555) 010-2030')).toBe('+15550102030')
  expect(plainPhone('555 010')).toBeNull()
  expect(plainPhone('+1 <script>')).toBeNull()
})

it('writes recovery codes in groups, and reads them back', () => {
  expect(inGroups('9b3chpmtc6qht8dg')).toBe('9b3c-hpmt-c6qh-t8dg')
  expect(plainCode(inGroups('9b3chpmtc6qht8dg'))).toBe('9b3chpmtc6qht8dg')
  expect(inGroups('already-apart')).toBe('already-apart')
})
