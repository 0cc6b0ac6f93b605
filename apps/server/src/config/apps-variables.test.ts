import { expect, test } from 'vitest'
import { readConfig } from '../config.ts'
import { isPublicSuffix } from './apps-variables.ts'
import { ConfigError } from './config-error.ts'

const hostOf = (env: Record<string, string>) => readConfig(env).appsHost

test('ports have a host on this machine, none on a public address, and the one that is named', () => {
  expect(hostOf({})).toBe('apps.localhost')
  expect(hostOf({ INGOT_HOST: '127.0.0.1' })).toBe('apps.localhost')
  expect(hostOf({ INGOT_PUBLIC_URL: 'https://cloud.example.com' })).toBeNull()
  expect(hostOf({ INGOT_HOST: '0.0.0.0' })).toBeNull()
  expect(hostOf({ INGOT_PUBLIC_URL: 'https://cloud.example.com', INGOT_APPS_HOST: 'apps.example.net' })).toBe(
    'apps.example.net',
  )
})

test.each([
  ['https://cloud.example.com', 'apps.example.com'],
  ['https://example.com', 'apps.example.com'],
  ['https://apps.example.com', 'example.com'],
  ['https://cloud.example.co.uk', 'x.example.co.uk'],
  ['https://x.apps.example.net', 'apps.example.net'],
  ['https://ada.github.io', 'apps.ada.github.io'],
])('a host of the console’s own site is refused at the start: %s and %s', (publicUrl, host) => {
  expect(() => hostOf({ INGOT_PUBLIC_URL: publicUrl, INGOT_APPS_HOST: host })).toThrow(
    /INGOT_APPS_HOST is .* same site as the console/,
  )
})

test('names below one public suffix are different sites', () => {
  const env = { INGOT_PUBLIC_URL: 'https://cloud.example.co.uk', INGOT_APPS_HOST: 'apps.other.co.uk' }
  expect(hostOf(env)).toBe('apps.other.co.uk')
})

test.each([
  '10.0.0.5',
  'apps',
  'https://apps.example.net',
  '*.apps.example.net',
  'Apps.Example.net',
  'apps.example.net:8443',
])('what is no host name is refused: %s', host =>
  expect(() => hostOf({ INGOT_APPS_HOST: host })).toThrow(ConfigError),
)

test('what browsers list as a suffix is known as one', () => {
  expect(isPublicSuffix('github.io')).toBe(true)
  for (const host of ['apps.localhost', 'apps.example.net', 'apps.ada.github.io'])
    expect(isPublicSuffix(host), host).toBe(false)
})
