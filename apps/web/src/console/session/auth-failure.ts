/** What the auth service refused, in its own words, and at which field it belongs when it names one. */
import { tooShort } from './new-password.ts'

export interface AuthFailure {
  readonly message: string
  readonly field: 'email' | 'password' | null
  /** The password was right; the address waits for its confirmation. */
  readonly isUnconfirmed: boolean
  /** The password was right; the account is kept out. */
  readonly isSuspended: boolean
}

export interface Refusal {
  readonly message: string
  readonly code?: string | undefined
  readonly status?: number | undefined
}

/** What a person reads when nothing explains what happened. */
export const unexpected = 'An unexpected error occurred'

/** Something threw where only answers were expected: nobody knows more. */
export const unexplained: Refusal = { message: '' }

const unreachable = 'The service cannot be reached. Check your connection and try again.'
const notAnswering = 'The service is not answering. Try again shortly.'

export function failureOf(error: Refusal): AuthFailure {
  return {
    message: wordsOf(error),
    field: fieldOf(error),
    isUnconfirmed: error.code === 'email_not_confirmed',
    isSuspended: error.code === 'user_banned',
  }
}

/** Without an answer the client's own words stand in `message`; they are for developers. */
function wordsOf({ message, status, code }: Refusal): string {
  if (status === undefined) return unexpected
  if (status === 0) return unreachable
  if (status >= 500) return notAnswering
  if (code === 'user_banned') return suspensionText(message)
  const length = code === 'weak_password' && /at least (\d+) characters/.exec(message)?.[1]
  return length ? tooShort(length) : message
}

/** The service's own words where they say why; a ban without a reason is told as that. */
export const suspensionText = (message: string): string =>
  /suspended/.test(message) ? message : 'This account is suspended. Write to us to have it looked at.'

function fieldOf({ code, message }: Refusal): AuthFailure['field'] {
  if (code === 'weak_password' || code === 'same_password') return 'password'
  if (code === 'user_already_exists' || code === 'email_exists' || code === 'email_address_invalid')
    return 'email'
  if (code !== 'validation_failed') return null
  if (/password/i.test(message)) return 'password'
  return /email/i.test(message) ? 'email' : null
}

/**
 * Whether asking for a mail failed in a way that a stranger may see. An address without an account, and one that was
 * mailed a moment ago, get the same answer as any other: the screen must not tell who has an account.
 */
export const mailFailure = (error: Refusal | null): string | null =>
  !error || error.code === 'otp_disabled' || error.code === 'over_email_send_rate_limit'
    ? null
    : wordsOf(error)

const codeWords: Readonly<Record<string, string>> = {
  mfa_verification_failed: 'This code is not right. Enter the newest one.',
  mfa_challenge_expired: 'This took too long. Ask for a new code and enter it.',
  mfa_ip_address_mismatch: 'Your network changed meanwhile. Enter the newest code once more.',
  mfa_factor_not_found: 'This method was removed meanwhile. Choose another one.',
  over_sms_send_rate_limit: 'A code was sent a moment ago. Use that one, or ask again a little later.',
}

const keyWords: Readonly<Record<string, string>> = {
  mfa_verification_failed: 'This key was not accepted. Use the one that you added here.',
  mfa_challenge_expired: 'This took too long. Try again.',
  mfa_ip_address_mismatch: 'Your network changed meanwhile. Try again.',
  mfa_verified_factor_exists: 'This key is one of your factors already.',
  mfa_factor_name_conflict: 'Another factor has this name.',
  mfa_webauthn_enroll_not_enabled: 'Security keys cannot be added at this service.',
  mfa_webauthn_verify_not_enabled: 'Security keys cannot be used at this service any more. Use another way.',
}

/** For the screens that ask for a security key. */
export const keyFailure = (error: Refusal): string => keyWords[error.code ?? ''] ?? codeFailure(error)

/** For the screens that ask for a code. */
export const codeFailure = (error: Refusal): string => codeWords[error.code ?? ''] ?? wordsOf(error)
