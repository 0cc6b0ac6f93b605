import { expect, it } from 'vitest'
import { withPorts } from './ports-text.ts'

it('adds what was typed, by number and once, and says what is wrong', () => {
  expect(withPorts([8888], [], '8000 8888, 8000')).toEqual([8000, 8888])
  expect(withPorts([], [], '70000')).toBe('70000 is no port: they go from 1 to 65535.')
  expect(withPorts([], [8888], '8000, 8888')).toBe('8888 is opened by the template already.')
  const twenty = Array.from({ length: 20 }, (_, n) => n + 1).join(' ')
  expect(withPorts([], [], twenty)).toHaveLength(20)
  expect(withPorts([], [8888], twenty)).toBe("At most 20 ports, with the template's 1.")
})
