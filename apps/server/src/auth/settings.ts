/**
 * What an operator may set about sign-in, with the defaults. On loopback the limits per IP are loose: there all users
 * are one.
 */
import { messageSpacingSeconds, passwordLimits } from '@ingot/contracts/accounts'
import { type Config, noProviders, type SignInConfig } from '../config.ts'

/** A bucket of `burst` requests that refills at `perSecond`; null: no limit. */
export type Limit = { readonly burst: number; readonly perSecond: number } | null

/** One bucket per IP and name. */
export const bucketNames = [
  'signup',
  'otp',
  'recover',
  'resend',
  'user',
  'verify',
  'token',
  'authorize',
  'sso',
  'saml_acs',
  'mfa_challenge',
  'mfa_verify',
] as const
export type BucketName = (typeof bucketNames)[number]

export interface FactorSettings {
  /** Kinds that may be enrolled and used. */
  readonly totp: boolean
  readonly phone: boolean
  readonly webauthn: boolean
  readonly recoveryCodes: boolean
  readonly max: number
  /** Of a challenge, and of a factor that was enrolled and never verified. */
  readonly lifeSeconds: number
  /** Per factor, until a right code. */
  readonly wrongCodes: { readonly free: number; readonly maxPauseSeconds: number }
}

/** Checked when a session is refreshed, so an access token in hand works to its end. Null: no limit. */
export interface SessionRules {
  /** Longest life, however active. */
  readonly timeBoxSeconds: number | null
  readonly inactivitySeconds: number | null
  /** How long a session of a user with a second factor lasts without it. */
  readonly lowAalSeconds: number | null
  /** Signing in ends the user's other sessions. */
  readonly singlePerUser: boolean
}

export interface AuthSettings {
  readonly signUp: boolean
  /** Accounts open without a mail. */
  readonly autoconfirm: boolean
  /** Accounts open without a code to their phone. */
  readonly phoneAutoconfirm: boolean
  readonly emailProvider: boolean
  readonly minPasswordLength: number
  /** Passwords that everybody tries first are refused. */
  readonly refuseCommonPasswords: boolean
  /** Changing a password asks for the present one. */
  readonly requireCurrentPassword: boolean
  /** Changing the password in a session older than a day asks for a mailed code. */
  readonly securePasswordChange: boolean
  /** A change of address is confirmed at both addresses. */
  readonly secureEmailChange: boolean
  readonly otpDigits: number
  readonly otpLifeSeconds: number
  /** Wrong guesses after which a mailed code is worth nothing. */
  readonly maxOtpFailures: number
  /** Codes that a person types from a phone or a mail; short, so they live briefly. */
  readonly typedDigits: number
  readonly smsLifeSeconds: number
  readonly nonceLifeSeconds: number
  readonly mailSpacingSeconds: number
  readonly smsSpacingSeconds: number
  /** All mails of this service together. */
  readonly mails: Limit
  /** All messages to phones together: each costs money. */
  readonly sms: Limit
  /**
   * Calls whose work depends on whether an address has an account answer at the next multiple of this, so that their
   * time tells nothing; 0: at once.
   */
  readonly evenAnswerMs: number
  readonly accessTokenSeconds: number
  /** How long an older refresh token still gets the present one: tabs that refresh at once. */
  readonly refreshReuseSeconds: number
  /** How long a refresh waits for another one of the same session. */
  readonly refreshWaitSeconds: number
  readonly codeLifeSeconds: number
  /** Globs of further addresses that links may lead to. */
  readonly redirectAllowList: readonly string[]
  readonly buckets: Readonly<Record<BucketName, Limit>>
  /** Who else vouches for users. */
  readonly providers: SignInConfig
  /** Signed-in users may add and remove providers. */
  readonly manualLinking: boolean
  /** From the redirect to a provider to the one back. */
  readonly flowLifeSeconds: number
  readonly relayStateLifeSeconds: number
  /** Wrong codes per phone or user, as wrong passwords per address. */
  readonly wrongCodes: { readonly free: number; readonly maxPauseSeconds: number }
  readonly wrongPasswords: { readonly free: number; readonly maxPauseSeconds: number }
  readonly factors: FactorSettings
  readonly sessions: SessionRules
}

const loopbackFactor = 10

const daySeconds = 86_400
const inSeconds = (days: number | null | undefined): number | null => (days ? days * daySeconds : null)

export type SettingsConfig = Pick<Config, 'loopback'> &
  Partial<Pick<Config, 'signIn' | 'signUp' | 'refuseCommonPasswords' | 'sessions'>>

export function defaultSettings(config: SettingsConfig): AuthSettings {
  const factor = config.loopback ? loopbackFactor : 1
  const per5Minutes = (requests: number): Limit => ({
    burst: 30 * factor,
    perSecond: (requests / 300) * factor,
  })
  return {
    signUp: config.signUp ?? true,
    autoconfirm: false,
    phoneAutoconfirm: false,
    emailProvider: true,
    minPasswordLength: passwordLimits.minCharacters,
    refuseCommonPasswords: config.refuseCommonPasswords ?? true,
    requireCurrentPassword: false,
    securePasswordChange: false,
    secureEmailChange: true,
    // Mails carry the link alone. Its token is derived from address and code, so a short code could be guessed.
    otpDigits: 10,
    otpLifeSeconds: 86_400,
    maxOtpFailures: 10,
    typedDigits: 6,
    smsLifeSeconds: 60,
    nonceLifeSeconds: 600,
    mailSpacingSeconds: messageSpacingSeconds,
    smsSpacingSeconds: messageSpacingSeconds,
    mails: null,
    sms: { burst: 30 * factor, perSecond: (30 / 3600) * factor },
    evenAnswerMs: 200,
    accessTokenSeconds: 3600,
    refreshReuseSeconds: 10,
    refreshWaitSeconds: 5,
    codeLifeSeconds: 300,
    redirectAllowList: [],
    buckets: {
      signup: per5Minutes(30),
      otp: per5Minutes(30),
      recover: per5Minutes(30),
      resend: per5Minutes(30),
      user: per5Minutes(30),
      verify: per5Minutes(30),
      token: per5Minutes(150),
      authorize: per5Minutes(150),
      sso: per5Minutes(30),
      saml_acs: per5Minutes(15),
      mfa_challenge: { burst: 30 * factor, perSecond: (15 / 60) * factor },
      mfa_verify: { burst: 30 * factor, perSecond: (15 / 60) * factor },
    },
    providers: config.signIn ?? noProviders,
    manualLinking: true,
    flowLifeSeconds: 300,
    relayStateLifeSeconds: 120,
    wrongCodes: { free: 5, maxPauseSeconds: 300 },
    wrongPasswords: { free: 5, maxPauseSeconds: 300 },
    factors: {
      totp: true,
      phone: true,
      webauthn: true,
      recoveryCodes: true,
      max: 10,
      lifeSeconds: 300,
      wrongCodes: { free: 5, maxPauseSeconds: 900 },
    },
    sessions: {
      timeBoxSeconds: inSeconds(config.sessions?.maxDays),
      inactivitySeconds: inSeconds(config.sessions?.idleDays),
      lowAalSeconds: null,
      singlePerUser: config.sessions?.single ?? false,
    },
  }
}
