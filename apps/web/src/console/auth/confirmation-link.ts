/** The mailed link leads to /get-started, with a session or with the reason why there is none. */
export const confirmationTarget = (): string => `${location.origin}/get-started`

export interface LinkFailure {
  readonly isExpired: boolean
  readonly description: string
}

/** Null when the address brings no failure. */
export function readLinkFailure(hash: string): LinkFailure | null {
  const values = new URLSearchParams(hash.replace(/^#/, ''))
  const code = values.get('error_code')
  const description = values.get('error_description')
  if (!code && !description && !values.get('error')) return null
  return { isExpired: code === 'otp_expired', description: description ?? '' }
}
