/** What an operator may set about accounts, with today's defaults. `auth/settings.ts` makes the settings of them. */
import { messageSpacingSeconds, passwordLimits } from '@ingot/contracts/accounts'
import { choice, flag, integer, list, rate, type Variables } from './variable.ts'

const daySeconds = 86_400
const monthSeconds = 30 * daySeconds
const hourSeconds = 3600

/**
 * A pattern of addresses names its scheme and a host: wildcards that reach over a slash stand after the host only,
 * or any site would fit.
 */
function parseGlob(glob: string): string | undefined {
  const [, host] = /^[a-z][a-z0-9+.-]*:\/\/([^/]+)(?:\/|$)/.exec(glob) ?? []
  const isNamed = host !== undefined && !host.includes('**') && /[a-z0-9]/i.test(host)
  return isNamed && glob.length <= 500 && !/\s/.test(glob) ? glob : undefined
}

/** A phone as the service keeps it, and the code that always fits. */
function parseTestNumber(entry: string): readonly [phone: string, code: string] | undefined {
  const [, phone, code] = /^\+?([1-9]\d{1,14})=(\d{6,10})$/.exec(entry) ?? []
  return phone && code ? [phone, code] : undefined
}

const accounts = {
  INGOT_SIGN_UP: flag({ absent: true, does: 'Anybody may open an account; otherwise only who is invited.' }),
  INGOT_AUTH_ANONYMOUS: flag({
    absent: false,
    does: 'Anybody may sign in without saying who they are.',
  }),
  INGOT_AUTH_EMAIL_PROVIDER: flag({
    absent: true,
    does: 'Accounts are known by e-mail address and password.',
  }),
  INGOT_AUTH_AUTOCONFIRM_MAIL: flag({
    absent: false,
    does: 'Accounts open without a mail, so nobody proves an address.',
  }),
  INGOT_AUTH_AUTOCONFIRM_SMS: flag({
    absent: false,
    does: 'Accounts open without a code to their phone, so nobody proves a number.',
  }),
  INGOT_AUTH_MANUAL_LINKING: flag({ absent: true, does: 'Users may add and remove providers.' }),
  INGOT_AUTH_REDIRECT_ALLOW_LIST: list(parseGlob, {
    kind: 'Patterns such as `https://*.example.com/**`, with commas between.',
    advice:
      'Write addresses with commas between them, such as https://app.example.com/**. A * stops at dots and slashes; ** does not, and may not stand in the host',
    absent: [],
    shown: 'this site alone',
    does: 'Where mailed links and providers may lead beside this site.',
  }),
  INGOT_AUTH_TEST_OTP: list(parseTestNumber, {
    kind: '`number=code`, with commas between.',
    problem: 'is not a list of numbers and codes',
    advice: 'Write numbers with codes of 6 to 10 digits, such as 4915112345678=123456',
    absent: [],
    does: 'Numbers that get no message, and the code that always fits: whoever knows it is let in.',
  }),
} satisfies Variables

const passwords = {
  INGOT_AUTH_MIN_PASSWORD_LENGTH: integer({
    min: passwordLimits.minCharacters,
    max: passwordLimits.maxBytes,
    absent: passwordLimits.minCharacters,
    does: 'Characters of a new password, at least.',
  }),
  INGOT_REFUSE_COMMON_PASSWORDS: flag({
    absent: true,
    does: 'The 10,000 most frequent passwords are refused as new ones.',
  }),
  INGOT_AUTH_REQUIRE_CURRENT_PASSWORD: flag({
    absent: false,
    does: 'Changing a password asks for the present one.',
  }),
  INGOT_AUTH_SECURE_PASSWORD_CHANGE: flag({
    absent: false,
    does: 'Changing the password in a session older than a day asks for a mailed code.',
  }),
  INGOT_AUTH_SECURE_EMAIL_CHANGE: flag({
    absent: true,
    does: 'A change of address is confirmed at both addresses.',
  }),
} satisfies Variables

const days = (does: string) => integer({ min: 1, max: 3_650, absent: null, does })

const sessions = {
  INGOT_SESSION_DAYS: days('Days from a sign-in to the next one, however active.'),
  INGOT_SESSION_IDLE_DAYS: days('Days without a call after which a session ends.'),
  INGOT_SINGLE_SESSION: flag({ absent: false, does: 'Signing in ends the user’s other sessions.' }),
  INGOT_AUTH_ALLOW_LOW_AAL_SECONDS: integer({
    min: 60,
    max: monthSeconds,
    absent: null,
    does: 'How long a session of a user with a second factor lasts without it.',
  }),
  INGOT_STAFF_FACTOR: choice(['optional', 'required'] as const, {
    absent: 'optional',
    does: 'Whether moderators and administrators need a second factor before they can change anything.',
  }),
} satisfies Variables

const seconds = (min: number, max: number, absent: number, does: string) =>
  integer({ min, max, absent, does })

const lifetimes = {
  INGOT_AUTH_JWT_EXPIRY_SECONDS: seconds(
    300,
    daySeconds,
    hourSeconds,
    'Of an access token; browsers renew it by themselves.',
  ),
  INGOT_AUTH_REUSE_INTERVAL_SECONDS: seconds(
    0,
    300,
    10,
    'How long an older refresh token still gets the present one.',
  ),
  INGOT_AUTH_MAIL_OTP_EXPIRY_SECONDS: seconds(60, monthSeconds, daySeconds, 'Of a mailed link.'),
  INGOT_AUTH_SMS_OTP_EXPIRY_SECONDS: seconds(30, hourSeconds, 60, 'Of a code sent to a phone.'),
  INGOT_AUTH_NONCE_EXPIRY_SECONDS: seconds(
    60,
    daySeconds,
    600,
    'Of a code mailed before a change of password.',
  ),
  INGOT_AUTH_OTP_LENGTH: integer({
    min: 6,
    max: 10,
    absent: 6,
    does: 'Digits of a code that a person types from a phone or a mail.',
  }),
  INGOT_AUTH_CODE_EXPIRY_SECONDS: seconds(
    30,
    hourSeconds,
    300,
    'Of the code that a browser exchanges (PKCE).',
  ),
  INGOT_AUTH_FLOW_EXPIRY_SECONDS: seconds(
    60,
    hourSeconds,
    300,
    'From the way to a provider to the way back.',
  ),
  INGOT_AUTH_RELAY_STATE_EXPIRY_SECONDS: seconds(30, hourSeconds, 120, 'The same for SAML.'),
  INGOT_AUTH_MFA_CHALLENGE_EXPIRY_SECONDS: seconds(
    30,
    hourSeconds,
    300,
    'Of the question for a second factor.',
  ),
} satisfies Variables

const per5Minutes = (absent: number, does: string) => rate({ absent, does })

const limits = {
  INGOT_AUTH_MAIL_SPACING_SECONDS: seconds(
    0,
    daySeconds,
    messageSpacingSeconds,
    'Between two mails of a kind to one address.',
  ),
  INGOT_AUTH_SMS_SPACING_SECONDS: seconds(
    0,
    daySeconds,
    messageSpacingSeconds,
    'Between two messages to one number.',
  ),
  INGOT_AUTH_RATE_LIMIT_MAILS: rate({ absent: null, does: 'Mails of sign-in an hour, all together.' }),
  INGOT_AUTH_RATE_LIMIT_SMS: rate({ absent: 30, does: 'Messages to phones an hour, all together.' }),
  INGOT_AUTH_RATE_LIMIT_BURST: integer({
    min: 1,
    max: 10_000,
    absent: 30,
    does: 'Calls of one address that may come at once, before the limits below count.',
  }),
  INGOT_AUTH_RATE_LIMIT_OTP: per5Minutes(
    30,
    'Calls of one address in 5 minutes: sign-up, links and codes, recovery, resending, changes of a user, each on its own.',
  ),
  INGOT_AUTH_RATE_LIMIT_ANONYMOUS: rate({
    absent: 30,
    does: 'Anonymous sign-ins of one address in an hour.',
  }),
  INGOT_AUTH_RATE_LIMIT_VERIFY: per5Minutes(30, 'The same for opening links and typing codes.'),
  INGOT_AUTH_RATE_LIMIT_TOKEN: per5Minutes(150, 'The same for signing in and renewing tokens, together.'),
  INGOT_AUTH_RATE_LIMIT_AUTHORIZE: per5Minutes(150, 'The same for the way to a provider.'),
  INGOT_AUTH_RATE_LIMIT_SSO: per5Minutes(30, 'The same for the way to a single sign-on.'),
  INGOT_AUTH_RATE_LIMIT_SAML_ACS: per5Minutes(15, 'The same for the way back from it.'),
  INGOT_AUTH_RATE_LIMIT_MFA: per5Minutes(75, 'The same for asking for a second factor, and for showing it.'),
} satisfies Variables

const tries = (does: string) => integer({ min: 1, max: 1_000, absent: 5, does })
const pause = (absent: number) =>
  integer({
    min: 1,
    max: daySeconds,
    absent,
    does: 'The longest of the growing pauses after that, in seconds.',
  })

const lockouts = {
  INGOT_AUTH_LOCKOUT_PASSWORD_TRIES: tries('Wrong passwords before the next try has to wait.'),
  INGOT_AUTH_LOCKOUT_PASSWORD_SECONDS: pause(300),
  INGOT_AUTH_LOCKOUT_CODE_TRIES: tries('Wrong typed codes before the next try has to wait.'),
  INGOT_AUTH_LOCKOUT_CODE_SECONDS: pause(300),
  INGOT_AUTH_LOCKOUT_MFA_TRIES: tries('Wrong codes of a second factor before the next try has to wait.'),
  INGOT_AUTH_LOCKOUT_MFA_SECONDS: pause(900),
} satisfies Variables

export const authVariables = {
  ...accounts,
  ...passwords,
  ...sessions,
  ...lifetimes,
  ...limits,
  ...lockouts,
} satisfies Variables

export const authSections = [
  { title: 'Accounts', variables: accounts },
  { title: 'Passwords', variables: passwords },
  { title: 'Sessions', variables: sessions },
  { title: 'Lifetimes', variables: lifetimes },
  {
    title: 'Limits',
    note: 'What goes beyond is answered with 429. On a listener for this machine alone, limits of calls and messages are ten times as wide. An address is a network: one of IPv4, or a /64 of IPv6.',
    variables: limits,
  },
  {
    title: 'Lockouts',
    note: 'After so many wrong tries the next one waits, longer each time. A right one forgets them, and so does a day without any.',
    variables: lockouts,
  },
]
