import { afterEach, expect, test, vi } from 'vitest'
import { deviceNumber } from './device-number.ts'

afterEach(() => {
  vi.unstubAllGlobals()
})

function storage(): Pick<Storage, 'getItem' | 'setItem'> {
  const kept = new Map<string, string>()
  return { getItem: key => kept.get(key) ?? null, setItem: (key, value) => void kept.set(key, value) }
}

test('a browser keeps its number, in the form that the service takes, and another has another', () => {
  const numbers = [storage(), storage()].map(own => {
    vi.stubGlobal('localStorage', own)
    const first = deviceNumber()
    expect(first).toMatch(/^[A-Za-z0-9_-]{22,64}$/)
    expect(deviceNumber()).toBe(first)
    return first
  })
  expect(numbers[0]).not.toBe(numbers[1])
})

test('a browser that keeps nothing has none', () => {
  vi.stubGlobal('localStorage', {
    getItem() {
      throw new Error('denied')
    },
  })
  expect(deviceNumber()).toBeNull()
})
