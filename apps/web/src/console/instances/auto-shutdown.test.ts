import { autoShutdownOptions } from '@ingot/contracts/instances'
import { expect, test } from 'vitest'
import {
  autoShutdownInput,
  autoShutdownSelect,
  autoShutdownText,
  readAutoShutdown,
  selectedOption,
  withChoice,
} from './auto-shutdown.ts'

const on = (auto_shutdown_minutes: number) => ({ auto_shutdown_enabled: true, auto_shutdown_minutes })
const off = { auto_shutdown_enabled: false, auto_shutdown_minutes: 60 }

test('off and the seven can be chosen; what stands beside them stays to be seen', () => {
  const all = ['off', ...autoShutdownOptions.map(String)]
  expect(autoShutdownSelect(on(60)).map(option => option.value)).toEqual(all)
  expect(autoShutdownSelect(on(45)).map(option => option.value)).toEqual(all.toSpliced(4, 0, '45'))
  expect(autoShutdownSelect(on(45)).map(option => option.value)).toContain(selectedOption(on(45)))
  expect(selectedOption(off)).toBe('off')
})

test('only what can be sent is read, and only what was chosen is sent', () => {
  expect(all(['off', '5', '480', '45', '-5', 'x', undefined])).toEqual([
    'off',
    5,
    480,
    undefined,
    undefined,
    undefined,
    undefined,
  ])
  expect(autoShutdownInput(undefined)).toEqual({})
  expect(autoShutdownInput('off')).toEqual({ auto_shutdown_enabled: false })
  expect(autoShutdownInput(15)).toEqual(on(15))
})
const all = (texts: readonly (string | undefined)[]) => texts.map(readAutoShutdown)

test('the sentence is that of the choice, else of what stands', () => {
  expect(autoShutdownText(withChoice(on(60), undefined))).toBe('Stops by itself after 60 idle minutes')
  expect(autoShutdownText(withChoice(on(60), 'off'))).toMatch(/^Runs until you stop it/)
  expect(autoShutdownText(withChoice(off, 15))).toBe('Stops by itself after 15 idle minutes')
})
