import { expect, test } from 'vitest'
import { createHosts, originOfPort } from './address.ts'

const config = { appsHost: 'apps.example.net', publicUrl: 'https://cloud.example.com', namesConsole: true }
const whose = createHosts(config)

test('where the console has a name, another one with a dot is nobody’s; addresses and names of a network lead to it', () => {
  for (const host of [
    'cloud.example.com',
    'CLOUD.example.com.',
    'cloud.example.com:443',
    '10.0.0.5:8080',
    'ingot:8080',
    '[::1]:8080',
    'localhost',
    undefined,
  ])
    expect(whose(host), String(host)).toBe('console')
  for (const host of [
    'evil.example',
    'cloud.example.com.evil.example',
    'xcloud.example.com',
    'example.net',
    'apps.example.net',
    'www.apps.example.net',
  ])
    expect(whose(host), host).toBe('unknown')
  expect(whose('8888-abcdefgh.apps.example.net:8443')).toEqual({ port: 8888, user: 'abcdefgh' })
  expect(whose('8888-abcdefgh.apps.example.net.evil.example')).toBe('unknown')
})

test('where nobody named the console, or ports are off, its names are not known', () => {
  expect(createHosts({ ...config, namesConsole: false })('gpu.lan')).toBe('console')
  expect(createHosts({ ...config, appsHost: null })('8888-abcdefgh.apps.example.net')).toBe('console')
  expect(originOfPort(config, { user: 'abcdefgh', port: 8888 })).toBe(
    'https://8888-abcdefgh.apps.example.net',
  )
  expect(() => originOfPort({ ...config, appsHost: null }, { user: 'abcdefgh', port: 1 })).toThrow(
    /Ports are switched off here/,
  )
})
