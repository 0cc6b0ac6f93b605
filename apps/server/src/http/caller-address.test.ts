import { describe, expect, test } from 'vitest'
import { callerAddress, createProxyWarning } from './caller-address.ts'

describe('the address of a caller', () => {
  test.each([
    ['198.51.100.7', '198.51.100.7'],
    ['198.51.100.7:52011', '198.51.100.7'],
    ['2001:db8::1', '2001:db8::1'],
    ['[2001:db8::1]:443', '2001:db8::1'],
    ['fe80::1%eth0', 'fe80::1'],
    ['unknown', null],
    ["1.2.3.4:5'", null],
    ['', null],
  ])('%j is %j', (ip, address) => expect(callerAddress({ ip })).toBe(address))
})

test('a proxy that the server was not told of is named once, with the variable to set', () => {
  const said: unknown[] = []
  const warn = createProxyWarning({ warn: (...line: unknown[]) => void said.push(line) })
  warn({ headers: { host: 'cloud.example' } })
  expect(said).toEqual([])
  warn({ headers: { forwarded: 'for=198.51.100.7' } })
  warn({ headers: { 'x-forwarded-for': '198.51.100.8' } })
  expect(said).toEqual([[{ header: 'forwarded' }, expect.stringContaining('INGOT_TRUST_PROXY')]])
})
