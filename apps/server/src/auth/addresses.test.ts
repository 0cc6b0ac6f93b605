import { expect, test } from 'vitest'
import { emailOf, readEmail } from './addresses.ts'

test('an address is taken in lower case', () => {
  expect(readEmail('Ada.Lovelace@Example.COM')).toBe('ada.lovelace@example.com')
  expect(emailOf('Ada.Lovelace@Example.COM')).toBe('ada.lovelace@example.com')
})

// U+212A lower-cases to the letter k, so what looks like one address would become another.
test.each(['\u212Aate@example.com', 'kate@boo\u212As.example', 'ad\u0130@example.com', 'ädä@example.com'])(
  'an address with other letters than those of ASCII is none before it is lower-cased: %s',
  text => {
    expect(() => readEmail(text)).toThrow('Unable to validate email address: invalid format')
    expect(emailOf(text)).toBeNull()
  },
)
