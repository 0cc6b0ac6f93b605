/**
 * Whether a session still owes its second factor. The service refuses such a session everything (`mfa_required`); this
 * only decides which screen to show, so reading the token without checking it is enough.
 */
import type { Session } from '@supabase/auth-js'

/** What the token says about how its session began; empty for what is no token. */
export function claimsOf(token: string): { readonly aal?: string; readonly methods: readonly string[] } {
  try {
    const payload = token.split('.')[1]!.replaceAll('-', '+').replaceAll('_', '/')
    const { aal, amr } = JSON.parse(atob(payload)) as { aal?: string; amr?: { method: string }[] }
    return { aal, methods: (amr ?? []).map(({ method }) => method) }
  } catch {
    return { methods: [] }
  }
}

type Owing = Pick<Session, 'access_token'> & { readonly user: Pick<Session['user'], 'factors'> }

export const owesSecondFactor = ({ access_token, user }: Owing): boolean =>
  (user.factors ?? []).some(({ status }) => status === 'verified') && claimsOf(access_token).aal !== 'aal2'

/** Whoever came through a mailed link does not know the password. */
const mailed = new Set(['otp', 'magiclink', 'recovery', 'invite', 'email/signup', 'email_change'])

export const cameByMail = ({ access_token }: Pick<Session, 'access_token'>): boolean =>
  claimsOf(access_token).methods.some(method => mailed.has(method))
