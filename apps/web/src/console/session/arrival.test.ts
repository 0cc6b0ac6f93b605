import { expect, it, vi } from 'vitest'

vi.stubGlobal('location', { search: '', hash: '' })
const { failureText, readArrival } = await import('./arrival.ts')

const read = (search: string, hash = '') => readArrival({ search, hash })

it('reads why a mailed link did not work', () => {
  const { failure } = read(
    '',
    '#error=access_denied&error_code=otp_expired&error_description=Email+link+is+invalid+or+has+expired&sb=',
  )
  expect(failure).toEqual({
    code: 'otp_expired',
    description: 'Email link is invalid or has expired',
    isElsewhere: false,
  })
  expect(failureText(failure!)).toContain('Each link works once')
})

it('reads a provider’s failure from the search', () => {
  const { failure } = read('?error=access_denied&error_description=The+user+said+no')
  expect(failure?.code).toBe('access_denied')
  expect(failureText(failure!)).toContain('provider')
})

it('a code without its verifier was asked for in another browser', () => {
  expect(read('?code=0b9f').failure?.isElsewhere).toBe(true)
  expect(failureText(read('?error=x&error_code=flow_state_expired').failure!)).toContain('browser that asked')
})

it('a session in the fragment is no failure, and says what its link was for', () => {
  expect(read('', '#access_token=a&refresh_token=b&type=recovery')).toEqual({
    type: 'recovery',
    message: null,
    failure: null,
  })
  expect(read('?code=1', '#access_token=a').failure).toBeNull()
})

it('the first of two confirmations leaves a message', () => {
  expect(read('', '#message=Confirmation+link+accepted.+Please+proceed&sb=').message).toBe(
    'Confirmation link accepted. Please proceed',
  )
})

it('a failure that nobody foresaw is told in the service’s words', () => {
  expect(failureText(read('', '#error=odd&error_description=It+rained').failure!)).toBe('It rained')
  expect(failureText(read('', '#error=odd').failure!)).toBe('The service refused the link.')
})

it.each(['', '#', '#pricing', '#security'])('%j is no failure', hash =>
  expect(read('', hash).failure).toBeNull(),
)
