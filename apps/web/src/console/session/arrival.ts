import { suspensionText } from './auth-failure.ts'

/**
 * What a mailed link or a provider brought along in the address: a session and its kind, a message, or a failure. Read
 * when the application starts, because the auth client takes a session out of the address and clears it.
 */
export interface LinkFailure {
  readonly code: string
  readonly description: string
  /** The link belongs to a flow that was begun in another browser. */
  readonly isElsewhere: boolean
}

export interface Arrival {
  /** `recovery`, `magiclink`, `invite`, `email_change`, `signup`: what the link was for. A provider says nothing. */
  readonly type: string | null
  /** The service's words when a link was taken and something else is still to be done. */
  readonly message: string | null
  readonly failure: LinkFailure | null
}

const elsewhere = new Set(['flow_state_not_found', 'flow_state_expired', 'bad_code_verifier'])

/** Failures of providers stand in the search and in the fragment, those of mails in the fragment alone. */
export function readArrival({ search, hash }: { readonly search: string; readonly hash: string }): Arrival {
  const inSearch = new URLSearchParams(search)
  const inHash = new URLSearchParams(hash.replace(/^#/, ''))
  const get = (key: string) => inHash.get(key) ?? inSearch.get(key)
  const code = get('error_code') ?? get('error')
  const description = get('error_description') ?? ''
  // This client's own links bring the session itself; a code can only be redeemed where its verifier is kept.
  const isCode = inSearch.has('code') && !inHash.has('access_token')
  const failed = code !== null || description !== '' || isCode
  return {
    type: inHash.get('type'),
    message: inHash.get('message'),
    failure: failed
      ? { code: code ?? '', description, isElsewhere: (isCode && !code) || elsewhere.has(code ?? '') }
      : null,
  }
}

const words: Readonly<Record<string, string>> = {
  otp_expired: 'The link has expired or was already used. Each link works once.',
  access_denied: 'The provider was not allowed to sign you in. Nothing was changed.',
  signup_disabled: 'There is no account for this sign-in yet, and new accounts are not being made right now.',
  provider_email_needs_verification:
    'The provider has not confirmed your email address yet. Confirm it there, then try again.',
  identity_already_exists: 'This sign-in already belongs to another account. Nothing was changed.',
  server_error: 'The sign-in could not be completed. Try again shortly.',
}

/** What happened, in a sentence. The screen offers what to do. */
export function failureText({ code, description, isElsewhere }: LinkFailure): string {
  if (isElsewhere)
    return 'This link works only in the browser that asked for it, and only for a short time. Open it there, or ask for a new one here.'
  if (code === 'server_error' && description) return description
  if (code === 'user_banned') return suspensionText(description)
  return words[code] ?? (description || 'The service refused the link.')
}

/** As the application was opened. */
export const arrival: Arrival = readArrival(location)
