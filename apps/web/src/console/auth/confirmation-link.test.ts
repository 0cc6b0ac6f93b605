import { expect, it } from 'vitest'
import { readLinkFailure } from './confirmation-link.ts'

it('reads why a link did not work', () => {
  const hash =
    '#error=access_denied&error_code=otp_expired&error_description=Email+link+is+invalid+or+has+expired&sb='
  expect(readLinkFailure(hash)).toEqual({
    isExpired: true,
    description: 'Email link is invalid or has expired',
  })
})

it.each(['', '#', '#pricing', '#access_token=a&type=signup'])('%j is no failure', hash =>
  expect(readLinkFailure(hash)).toBeNull(),
)
