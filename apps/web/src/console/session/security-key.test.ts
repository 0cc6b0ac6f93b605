import { expect, it, vi } from 'vitest'

vi.mock('./auth.tsx', () => ({ auth: {} }))
const { browserFailure, keysUnusable } = await import('./security-key.ts')

const thrown = (name: string) => Object.assign(new Error('for developers'), { name })

it.each([
  ['NotAllowedError', false, 'Nothing was confirmed'],
  ['NotAllowedError', true, 'took too long'],
  ['AbortError', false, 'Cancelled'],
  ['InvalidStateError', false, 'one of your factors already'],
  ['NotSupportedError', false, 'cannot be used here'],
  ['SecurityError', false, 'another address'],
  ['UnknownError', true, 'could not be used'],
])('says what %s means (late: %s)', (name, isLate, words) =>
  expect(browserFailure(thrown(name), isLate)).toContain(words),
)

it('says why a browser without keys cannot use them', () => {
  expect(keysUnusable()).toContain('need https')
  vi.stubGlobal('PublicKeyCredential', Object)
  vi.stubGlobal('navigator', { credentials: {} })
  expect(keysUnusable()).toBeNull()
  vi.unstubAllGlobals()
})
