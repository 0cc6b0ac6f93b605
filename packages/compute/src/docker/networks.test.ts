/** Blocks of a range: none is given away twice, whatever else the host uses. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { firstFree, rangeOf } from './networks.ts'

describe('blocks of a range', () => {
  it('the first free one is taken', () => {
    const range = rangeOf('10.213.0.0/16')
    expect(firstFree(range, [])).toBe('10.213.0.0/28')
    expect(firstFree(range, ['10.213.0.0/28', '10.213.0.32/28'])).toBe('10.213.0.16/28')
    expect(firstFree(range, ['10.213.0.0/24'])).toBe('10.213.1.0/28')
    expect(firstFree(range, ['10.213.0.8/29'])).toBe('10.213.0.16/28')
    expect(firstFree(range, ['10.0.0.0/8'])).toBeNull()
    expect(firstFree(range, ['172.17.0.0/16'], 2)).toBe('10.213.0.32/28')
  })

  it('a range that is used up gives none', () => {
    const range = rangeOf('10.9.8.7/27')
    expect(firstFree(range, [])).toBe('10.9.8.0/28')
    expect(firstFree(range, ['10.9.8.0/28'])).toBe('10.9.8.16/28')
    expect(firstFree(range, ['10.9.8.0/28', '10.9.8.16/28'])).toBeNull()
  })

  it('one after the other they all differ, and lie in the range', () => {
    fc.assert(
      fc.property(fc.integer({ min: 22, max: 28 }), fc.nat(255), (bits, third) => {
        const range = rangeOf(`10.20.${third}.0/${bits}`)
        const used: string[] = []
        for (let next = firstFree(range, used); next; next = firstFree(range, used)) used.push(next)
        expect(new Set(used).size).toBe(2 ** (28 - bits))
      }),
      { numRuns: 40 },
    )
  })

  it('what is no range is refused', () => {
    for (const pool of [
      '',
      '10.0.0.0',
      '10.0.0.0/29',
      '10.0.0.0/x',
      'fd00::/16',
      '10.0.0.300/16',
      '10.0.0.0/',
    ])
      expect(() => rangeOf(pool)).toThrow('10.213.0.0/16')
  })
})
