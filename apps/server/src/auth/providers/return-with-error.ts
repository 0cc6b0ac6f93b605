/** Sends a browser back from a provider with a refusal, in the query and in the fragment. */
import { AuthError, type OAuthError } from '../errors.ts'
import { withFragment, withQuery } from '../redirect.ts'

export function returnWithError(redirectTo: string, error: AuthError | OAuthError): string {
  const values: Record<string, string> =
    error instanceof AuthError
      ? { error: nameOf(error), error_code: error.code, error_description: error.message }
      : { error: error.error, error_description: error.message }
  return withFragment(withQuery(redirectTo, values), { ...values, sb: '' })
}

const names: Readonly<Record<number, string>> = {
  400: 'invalid_request',
  401: 'unauthorized_client',
  403: 'access_denied',
}
const denials = new Set(['signup_disabled', 'user_banned', 'provider_email_needs_verification'])

function nameOf({ status, code }: AuthError): string {
  return denials.has(code) ? 'access_denied' : (names[status] ?? 'server_error')
}
