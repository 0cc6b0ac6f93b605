/** What the auth service refused, in its own words, and at which field it belongs when it names one. */
export interface AuthFailure {
  readonly message: string
  readonly field: 'email' | 'password' | null
  /** The password was right; the address waits for its confirmation. */
  readonly isUnconfirmed: boolean
}

interface Refusal {
  readonly message: string
  readonly code?: string | undefined
  readonly status?: number | undefined
}

const unreachable = 'The service cannot be reached. Check your connection and try again.'
const notAnswering = 'The service is not answering. Try again shortly.'

export function failureOf(error: Refusal): AuthFailure {
  return {
    message: wordsOf(error),
    field: fieldOf(error),
    isUnconfirmed: error.code === 'email_not_confirmed',
  }
}

/** Without an answer the client's own words stand in `message`; they are for developers. */
function wordsOf({ message, status }: Refusal): string {
  if (!status) return unreachable
  return status >= 500 ? notAnswering : message
}

function fieldOf({ code, message }: Refusal): AuthFailure['field'] {
  if (code === 'weak_password') return 'password'
  if (code === 'user_already_exists' || code === 'email_exists' || code === 'email_address_invalid')
    return 'email'
  if (code !== 'validation_failed') return null
  if (/password/i.test(message)) return 'password'
  return /email/i.test(message) ? 'email' : null
}
