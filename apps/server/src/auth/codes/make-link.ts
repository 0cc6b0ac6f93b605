/** Makes a code and the link that leads to it; mailing it is the caller's. */
import { sql } from 'kysely'
import type { Tx } from '../../db/database.ts'
import type { AuthSettings } from '../settings.ts'
import { basePath } from '../wire.ts'
import { hashOf, type LinkType, makeCode, type OtpKind, pkcePrefix, tokenOf } from './otp.ts'
import type { Challenge } from './pkce.ts'
import type { Sets } from './sets.ts'

/** Whom a link is for, and what it does. */
export interface NewLink {
  readonly userId: string
  readonly kind: OtpKind
  readonly type: LinkType
  readonly to: string
  readonly challenge: Challenge | null
  readonly redirectTo: string
  readonly sets?: Sets
}

export interface Link {
  readonly link: string
  readonly token: string
  readonly code: string
  readonly expiresAt: Date
}

export async function makeLink(
  tx: Tx,
  { settings, siteUrl }: { settings: AuthSettings; siteUrl: string },
  wanted: NewLink,
): Promise<Link> {
  const code = makeCode(settings.otpDigits)
  const token = (wanted.challenge ? pkcePrefix : '') + tokenOf(wanted.to, code)
  const expiresAt = new Date(Date.now() + settings.otpLifeSeconds * 1000)
  await sql`
    insert into auth_otp (user_id, kind, token_hash, code_challenge, code_challenge_method, password_hash, identity_id,
      expires_at)
    values (${wanted.userId}, ${wanted.kind}, ${hashOf(token)}, ${wanted.challenge?.challenge ?? null},
      ${wanted.challenge?.method ?? null}, ${wanted.sets?.passwordHash ?? null}, ${wanted.sets?.identityId ?? null},
      ${expiresAt})
    on conflict (user_id, kind) do update set token_hash = excluded.token_hash, failed_attempts = 0, asker_failures = 0,
      code_challenge = excluded.code_challenge, code_challenge_method = excluded.code_challenge_method,
      password_hash = excluded.password_hash, identity_id = excluded.identity_id,
      sent_at = now(), expires_at = excluded.expires_at`.execute(tx)
  const redirectTo = /[&=#]/.test(wanted.redirectTo)
    ? encodeURIComponent(wanted.redirectTo)
    : wanted.redirectTo
  const link = `${siteUrl}${basePath}/verify?token=${token}&type=${wanted.type}&redirect_to=${redirectTo}`
  return { link, token, code, expiresAt }
}
