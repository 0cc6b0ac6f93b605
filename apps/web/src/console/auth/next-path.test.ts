import { expect, it } from 'vitest'
import { nextSearch, safeNextPath } from './next-path.ts'

const origin = 'https://cloud.example.com'

it.each(['/console/instances?deploy=1', '/terminal/0198-a', '/admin', '/console'])('follows %s', path => {
  expect(safeNextPath(path, origin)).toBe(path)
})

it('follows a section of a page, and drops a fragment that brings values', () => {
  expect(safeNextPath('/console/settings#security', origin)).toBe('/console/settings#security')
  expect(safeNextPath('/console/settings?a=1#access_token=x', origin)).toBe('/console/settings?a=1')
})

it.each([
  undefined,
  '',
  'https://evil.example/console',
  '//evil.example/console',
  '/\\evil.example',
  '/\t/evil.example',
  'javascript:alert(1)',
  '/signin?next=/signin',
  '/consolex',
  'console',
])('leads to the dashboard instead of %j', path => {
  expect(safeNextPath(path, origin)).toBe('/dashboard')
})

it('says nothing about a page where sign-in leads anyway', () => {
  expect(nextSearch('/dashboard')).toEqual({})
  expect(nextSearch('/console/logs?instance=a')).toEqual({ next: '/console/logs?instance=a' })
})
