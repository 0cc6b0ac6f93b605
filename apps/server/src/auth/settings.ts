/**
 * The rules that the service goes by. What an operator sets comes from `config/auth-variables.ts`, where the defaults
 * stand; the rest is fixed. On loopback the limits are ten times as wide: there all users are one.
 */
import { authVariables } from '../config/auth-variables.ts'
import { readVariables } from '../config/variable.ts'
import { type Config, noProviders, type SignInConfig } from '../config.ts'

/** A bucket of `burst` requests that refills at `perSecond`; null: no limit. */
export type Limit = { readonly burst: number; readonly perSecond: number } | null

/** One bucket per IP and name. */
export const bucketNames = [
  'signup',
  'anonymous',
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
  /** Anybody may sign in without saying who they are. */
  readonly anonymous: boolean
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
  /** Phones that get no message, and the code that always fits each. */
  readonly testOtps: ReadonlyMap<string, string>
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
  /** Staff who have no second factor change nothing. */
  readonly staffFactor: boolean
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
const inSeconds = (days: number | null): number | null => (days ? days * daySeconds : null)

export type SettingsConfig = Pick<Config, 'loopback'> & Partial<Pick<Config, 'signIn' | 'auth'>>

/** What holds where nothing is set. */
const authDefaults: Config['auth'] = readVariables(authVariables, {})

export function defaultSettings({
  loopback,
  signIn,
  auth: given = authDefaults,
}: SettingsConfig): AuthSettings {
  const factor = loopback ? loopbackFactor : 1
  const allowed = (calls: number | null, perSeconds: number, burst: number): Limit =>
    calls === null ? null : { burst: burst * factor, perSecond: (calls / perSeconds) * factor }
  const perHour = (calls: number | null) => allowed(calls, 3600, calls ?? 0)
  const per5Minutes = (calls: number | null) => allowed(calls, 300, given.INGOT_AUTH_RATE_LIMIT_BURST)
  const otp = per5Minutes(given.INGOT_AUTH_RATE_LIMIT_OTP)
  const mfa = per5Minutes(given.INGOT_AUTH_RATE_LIMIT_MFA)
  return {
    signUp: given.INGOT_SIGN_UP,
    anonymous: given.INGOT_AUTH_ANONYMOUS,
    autoconfirm: given.INGOT_AUTH_AUTOCONFIRM_MAIL,
    phoneAutoconfirm: given.INGOT_AUTH_AUTOCONFIRM_SMS,
    emailProvider: given.INGOT_AUTH_EMAIL_PROVIDER,
    minPasswordLength: given.INGOT_AUTH_MIN_PASSWORD_LENGTH,
    refuseCommonPasswords: given.INGOT_REFUSE_COMMON_PASSWORDS,
    requireCurrentPassword: given.INGOT_AUTH_REQUIRE_CURRENT_PASSWORD,
    securePasswordChange: given.INGOT_AUTH_SECURE_PASSWORD_CHANGE,
    secureEmailChange: given.INGOT_AUTH_SECURE_EMAIL_CHANGE,
    // Mails carry the link alone. Its token is derived from address and code, so a short code could be guessed.
    otpDigits: 10,
    otpLifeSeconds: given.INGOT_AUTH_MAIL_OTP_EXPIRY_SECONDS,
    maxOtpFailures: 10,
    typedDigits: given.INGOT_AUTH_OTP_LENGTH,
    testOtps: new Map(given.INGOT_AUTH_TEST_OTP),
    smsLifeSeconds: given.INGOT_AUTH_SMS_OTP_EXPIRY_SECONDS,
    nonceLifeSeconds: given.INGOT_AUTH_NONCE_EXPIRY_SECONDS,
    mailSpacingSeconds: given.INGOT_AUTH_MAIL_SPACING_SECONDS,
    smsSpacingSeconds: given.INGOT_AUTH_SMS_SPACING_SECONDS,
    mails: perHour(given.INGOT_AUTH_RATE_LIMIT_MAILS),
    sms: perHour(given.INGOT_AUTH_RATE_LIMIT_SMS),
    evenAnswerMs: 200,
    accessTokenSeconds: given.INGOT_AUTH_JWT_EXPIRY_SECONDS,
    refreshReuseSeconds: given.INGOT_AUTH_REUSE_INTERVAL_SECONDS,
    refreshWaitSeconds: 5,
    codeLifeSeconds: given.INGOT_AUTH_CODE_EXPIRY_SECONDS,
    redirectAllowList: given.INGOT_AUTH_REDIRECT_ALLOW_LIST,
    buckets: {
      signup: otp,
      anonymous: perHour(given.INGOT_AUTH_RATE_LIMIT_ANONYMOUS),
      otp,
      recover: otp,
      resend: otp,
      user: otp,
      verify: per5Minutes(given.INGOT_AUTH_RATE_LIMIT_VERIFY),
      token: per5Minutes(given.INGOT_AUTH_RATE_LIMIT_TOKEN),
      authorize: per5Minutes(given.INGOT_AUTH_RATE_LIMIT_AUTHORIZE),
      sso: per5Minutes(given.INGOT_AUTH_RATE_LIMIT_SSO),
      saml_acs: per5Minutes(given.INGOT_AUTH_RATE_LIMIT_SAML_ACS),
      mfa_challenge: mfa,
      mfa_verify: mfa,
    },
    providers: signIn ?? noProviders,
    manualLinking: given.INGOT_AUTH_MANUAL_LINKING,
    staffFactor: given.INGOT_STAFF_FACTOR === 'required',
    flowLifeSeconds: given.INGOT_AUTH_FLOW_EXPIRY_SECONDS,
    relayStateLifeSeconds: given.INGOT_AUTH_RELAY_STATE_EXPIRY_SECONDS,
    wrongCodes: {
      free: given.INGOT_AUTH_LOCKOUT_CODE_TRIES,
      maxPauseSeconds: given.INGOT_AUTH_LOCKOUT_CODE_SECONDS,
    },
    wrongPasswords: {
      free: given.INGOT_AUTH_LOCKOUT_PASSWORD_TRIES,
      maxPauseSeconds: given.INGOT_AUTH_LOCKOUT_PASSWORD_SECONDS,
    },
    factors: {
      totp: true,
      phone: true,
      webauthn: true,
      recoveryCodes: true,
      max: 10,
      lifeSeconds: given.INGOT_AUTH_MFA_CHALLENGE_EXPIRY_SECONDS,
      wrongCodes: {
        free: given.INGOT_AUTH_LOCKOUT_MFA_TRIES,
        maxPauseSeconds: given.INGOT_AUTH_LOCKOUT_MFA_SECONDS,
      },
    },
    sessions: {
      timeBoxSeconds: inSeconds(given.INGOT_SESSION_DAYS),
      inactivitySeconds: inSeconds(given.INGOT_SESSION_IDLE_DAYS),
      lowAalSeconds: given.INGOT_AUTH_ALLOW_LOW_AAL_SECONDS,
      singlePerUser: given.INGOT_SINGLE_SESSION,
    },
  }
}
