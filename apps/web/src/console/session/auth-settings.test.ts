import { expect, it } from 'vitest'
import { providerName, readRules, readWays } from './auth-settings.ts'

const settings = {
  external: { email: true, phone: false, anonymous_users: false, google: true, github: true, gitlab: false },
  saml_enabled: true,
  sms_provider: '',
  disable_signup: false,
}

it('offers the providers that are on, and nothing before the service has answered', () => {
  expect(readWays(settings)).toEqual({
    providers: [
      { id: 'github', name: 'GitHub' },
      { id: 'google', name: 'Google' },
    ],
    hasSso: true,
    hasSms: false,
    hasSignUp: true,
  })
  expect(readWays({ ...settings, sms_provider: 'dev' }).hasSms).toBe(true)
  expect(readWays(undefined)).toEqual({ providers: [], hasSso: false, hasSms: false, hasSignUp: true })
  expect(readWays({ ...settings, disable_signup: true }).hasSignUp).toBe(false)
})

it('knows the rules of the service, and the usual ones before it has answered', () => {
  expect(readRules({ ...settings, password_min_length: 12, mail_spacing_seconds: 90 })).toEqual({
    minPasswordLength: 12,
    mailSpacingSeconds: 90,
  })
  expect(readRules(undefined)).toEqual({ minPasswordLength: 6, mailSpacingSeconds: 60 })
})

it('calls a provider as its operator does', () => {
  const own = { ...settings, external: { oidc: true }, external_names: { oidc: 'Example Corp' } }
  expect(readWays(own).providers).toEqual([{ id: 'oidc', name: 'Example Corp' }])
})

it('writes providers as they write themselves', () => {
  expect(providerName('github')).toBe('GitHub')
  expect(providerName('keycloak')).toBe('Keycloak')
})
