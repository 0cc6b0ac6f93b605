/** What an operator may set about sign-in, with the defaults. On loopback the limits per IP are loose: there all users are one. */
import type { Config } from '../config.ts'

/** A bucket of `burst` requests that refills at `perSecond`; null: no limit. */
export type Limit = { readonly burst: number; readonly perSecond: number } | null

/** One bucket per IP and name. */
export const bucketNames = ['signup', 'resend', 'user', 'verify', 'token'] as const
export type BucketName = (typeof bucketNames)[number]

export interface AuthSettings {
  readonly signUp: boolean
  /** Accounts open without a mail. */
  readonly autoconfirm: boolean
  readonly minPasswordLength: number
  /** Changing a password asks for the present one. */
  readonly requireCurrentPassword: boolean
  /** A change of address is confirmed at both addresses. */
  readonly secureEmailChange: boolean
  readonly otpDigits: number
  readonly otpLifeSeconds: number
  /** Wrong guesses after which a mailed code is worth nothing. */
  readonly maxOtpFailures: number
  readonly mailSpacingSeconds: number
  /** All mails of this service together. */
  readonly mails: Limit
  readonly accessTokenSeconds: number
  /** How long an older refresh token still gets the present one: tabs that refresh at once. */
  readonly refreshReuseSeconds: number
  /** How long a refresh waits for another one of the same session. */
  readonly refreshWaitSeconds: number
  readonly codeLifeSeconds: number
  /** Globs of further addresses that links may lead to. */
  readonly redirectAllowList: readonly string[]
  readonly buckets: Readonly<Record<BucketName, Limit>>
  readonly wrongPasswords: { readonly free: number; readonly maxPauseSeconds: number }
}

const loopbackFactor = 10

export function defaultSettings(config: Pick<Config, 'loopback'>): AuthSettings {
  const factor = config.loopback ? loopbackFactor : 1
  const per5Minutes = (requests: number): Limit => ({
    burst: 30 * factor,
    perSecond: (requests / 300) * factor,
  })
  return {
    signUp: true,
    autoconfirm: false,
    minPasswordLength: 6,
    requireCurrentPassword: false,
    secureEmailChange: true,
    // Mails carry the link alone. Its token is derived from address and code, so a short code could be guessed.
    otpDigits: 10,
    otpLifeSeconds: 86_400,
    maxOtpFailures: 10,
    mailSpacingSeconds: 60,
    mails: null,
    accessTokenSeconds: 3600,
    refreshReuseSeconds: 10,
    refreshWaitSeconds: 5,
    codeLifeSeconds: 300,
    redirectAllowList: [],
    buckets: {
      signup: per5Minutes(30),
      resend: per5Minutes(30),
      user: per5Minutes(30),
      verify: per5Minutes(30),
      token: per5Minutes(150),
    },
    wrongPasswords: { free: 5, maxPauseSeconds: 300 },
  }
}
