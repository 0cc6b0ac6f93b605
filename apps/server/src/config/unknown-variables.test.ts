import { describe, expect, test } from 'vitest'
import { readConfig } from '../config.ts'
import { ConfigError } from './config-error.ts'
import { othersVariables } from './unknown-variables.ts'

describe('a variable that is no setting', () => {
  test.each([
    ['INGOT_TRUST_PROXIE', 'INGOT_TRUST_PROXY'],
    ['INGOT_PUBLIC_URI', 'INGOT_PUBLIC_URL'],
    ['INGOT_SERCET', 'INGOT_SECRET'],
    ['INGOT_SESSION_DAY', 'INGOT_SESSION_DAYS'],
    ['INGOT_AUTH_REDIRECT_ALLOWLIST', 'INGOT_AUTH_REDIRECT_ALLOW_LIST'],
    ['ingot_host', 'INGOT_HOST'],
    // The prefixes are what people mix up.
    ['INGOT_DATABASE_URL', 'DATABASE_URL'],
    ['INGOT_AUTH_SIGN_UP', 'INGOT_SIGN_UP'],
    ['INGOT_MIN_PASSWORD_LENGTH', 'INGOT_AUTH_MIN_PASSWORD_LENGTH'],
  ])('but close to one refuses the start: %s', (name, meant) => {
    const read = () => readConfig({ [name]: '1' })
    expect(read).toThrow(ConfigError)
    expect(read).toThrow(`${name} is not a setting. Did you mean ${meant}?`)
  })

  test('and close to none is only named; those of the tools are known', () => {
    const others = Object.fromEntries(othersVariables.map(name => [name, 'x']))
    expect(readConfig({ ...others, INGOT_COLOUR: 'red', HOST: 'x', MY_INGOT_HOST: 'x' }).unknown).toEqual([
      'INGOT_COLOUR',
    ])
  })
})
