import { describe, expect, it } from 'vitest'
import { nameInUrl, whyNoImport } from './import-url.ts'

describe('an address to import from', () => {
  it('is https, without a name or a password', () => {
    expect(['https://a.example/b?c=d', ' https://a.example '].map(whyNoImport)).toEqual([null, null])
    expect(
      ['', 'a.example', 'http://a.example/', 'ftp://a.example/', 'https://a:b@a.example/'].every(whyNoImport),
    ).toBe(true)
  })

  it('names the file by the end of its path', () => {
    expect(
      [
        'https://a.example/models/weights.bin?key=a/b',
        'https://a.example/gr%C3%BC%C3%9Fe%20.txt',
        'https://a.example/a%2Fb%0A',
        'https://a.example/100%',
        'https://a.example/folder/',
        'https://a.example',
        'none',
      ].map(nameInUrl),
    ).toEqual(['weights.bin', 'grüße .txt', 'a_b_', '100%', '', '', ''])
  })
})
