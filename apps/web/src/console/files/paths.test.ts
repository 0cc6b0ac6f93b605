import { describe, expect, it } from 'vitest'
import { crumbsOf, isNameable, joined, nameOf, parentOf, readPath, whyNotName } from './paths.ts'

describe('a path', () => {
  it('is put together and taken apart', () => {
    expect([joined('/', 'a'), joined('/a', 'b')]).toEqual(['/a', '/a/b'])
    expect(['/a/b', '/a', '/'].map(parentOf)).toEqual(['/a', '/', '/'])
    expect(['/a/b', '/a', '/'].map(nameOf)).toEqual(['b', 'a', ''])
    expect(crumbsOf('/a/b c')).toEqual([
      { name: '/', path: '/' },
      { name: 'a', path: '/a' },
      { name: 'b c', path: '/a/b c' },
    ])
    expect(crumbsOf('/')).toHaveLength(1)
  })

  it('is read from an address only where it is one', () => {
    expect(['/', '/a//b/', '/./a', '/a/../b'].map(readPath)).toEqual(['/', '/a/b', '/a', '/a/../b'])
    expect([undefined, '', 'a', '/a\n', `/${'a'.repeat(5000)}`].map(readPath)).toEqual(
      Array.from({ length: 5 }, () => null),
    )
  })
})

describe('a name', () => {
  it('is refused in words where no file can have it', () => {
    expect(['a', '…', ' ', '.hidden', 'ü'.repeat(127)].map(whyNotName)).toEqual(
      Array.from({ length: 5 }, () => null),
    )
    expect(['', '.', '..', 'a/b', 'a\u0007'].every(name => whyNotName(name))).toBe(true)
    expect(whyNotName('ü'.repeat(150))).toBe('A name has at most 255 bytes; this one has 300')
  })

  it('of bytes that are no text cannot be used in a call', () => {
    expect([isNameable('ü'), isNameable('a\uFFFD')]).toEqual([true, false])
  })
})
