import { describe, expect, test } from 'vitest'
import { allowedRedirect } from './redirect.ts'

const rule = (site: string, redirectAllowList: string[] = []) => ({
  siteUrl: site,
  settings: { redirectAllowList },
})

describe('where a link leads', () => {
  const local = rule('http://localhost:8080')
  const real = rule('https://cloud.example.com', [
    'https://*.preview.example.com/**',
    'https://app.example.com/back?',
    'ingot://callback',
    'http://203.0.113.7/**',
    'http://127.0.0.1:*/**',
  ])

  test.each([
    'http://localhost:8080',
    'http://localhost:8080/console?x=1#y',
    'http://localhost:5173/',
    'http://127.0.0.1:9999/done',
    'http://127.8.8.8/',
    'http://[::1]:3000/',
  ])('on loopback: %s', url => {
    expect(allowedRedirect(url, local)).toBe(url)
  })

  test.each([
    '',
    '/console',
    'https://localhost:8080/',
    'http://example.com/',
    'http://localhost.example.com/',
    'http://localhost:8080@example.com/',
    'http://user:secret@localhost:8080/',
    'http://0.0.0.0/',
    'http://10.0.0.1/',
    'javascript:alert(1)',
    'data:text/html,x',
    '//localhost:8080/',
    'http:\\\\localhost:8080',
    '\thttp://localhost:8080/',
    'http://localhost:8080/\n',
    'http://localhost:8080/ x',
    `http://localhost:8080/${'x'.repeat(3000)}`,
  ])('never, on loopback: %j', url => {
    expect(allowedRedirect(url, local)).toBeNull()
  })

  test.each([
    'https://cloud.example.com/console',
    'https://a.preview.example.com/x/y.z?q=1',
    'https://app.example.com/back1#fragment',
    'ingot://callback',
    'http://127.0.0.1:4000/done',
  ])('on a public site: %s', url => {
    expect(allowedRedirect(url, real)).toBe(url)
  })

  test.each([
    'http://cloud.example.com/',
    'https://cloud.example.com:8443/',
    'https://a.b.preview.example.com/',
    'https://preview.example.com/',
    'https://app.example.com/back',
    'https://app.example.com/back12',
    'http://203.0.113.7/x',
    'http://3405803783/x',
    'http://localhost:8080/',
    'http://[::1]/',
    'https://evil.example/#https://cloud.example.com/',
    // Their hosts are evil.example and evil; a * must not take what follows for a part of them.
    'https://evil%2Eexample?.preview.example.com/',
    'https://evil?.preview.example.com/',
    'https://evil:443?.preview.example.com/',
  ])('never, on a public site: %s', url => {
    expect(allowedRedirect(url, real)).toBeNull()
  })

  test.each([
    [
      'http://localhost:8080/größe?q=日本#ü',
      'http://localhost:8080/gr%C3%B6%C3%9Fe?q=%E6%97%A5%E6%9C%AC#%C3%BC',
    ],
    ['https://zürich.preview.example.com/', 'https://xn--zrich-kva.preview.example.com/'],
    // A full-width stop is a stop to browsers, which the list does not allow there.
    ['https://a．b.preview.example.com/', null],
    ['https://app.example.com/backé', null],
    ['https://cloud.example.com／evil.example/', null],
  ])('with letters beyond ASCII is written as browsers write it: %s', (url, expected) => {
    const rules = url.startsWith('http:') ? local : real
    expect(allowedRedirect(url, rules)).toBe(expected)
  })
})
