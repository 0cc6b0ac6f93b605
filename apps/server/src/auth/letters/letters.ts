/**
 * The mails of this room, in plain text: those that carry a link or a code, with until when it works, and those that tell
 * the owner of an account what was done to it, with what to do if it was somebody else.
 */
import type { Letter } from '../../worker/mail.ts'

export interface LinkMail {
  readonly to: string
  readonly link: string
  readonly expiresAt: Date
  /** Host of the site, so that the reader knows what this is about. */
  readonly host: string
}

const signature = '\n\nIngot\n'

/** `21 November 2026, 14:30 UTC` */
export const readable = (time: Date): string =>
  `${new Intl.DateTimeFormat('en-GB', {
    day: 'numeric',
    month: 'long',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    timeZone: 'UTC',
  })
    .format(time)
    .replace(' at ', ', ')} UTC`

export function confirmSignUp({ to, link, expiresAt, host }: LinkMail): Letter {
  return {
    to,
    subject: 'Confirm your address to open your Ingot account',
    text: `Somebody, most likely you, signed up at ${host} with this address. Open this link to confirm it:

${link}

The link works once, until ${readable(expiresAt)}. After that, ask for a new one on the sign-in page.

If it was not you, do nothing: without the link no account opens.${signature}`,
  }
}

export function invitation({ to, link, expiresAt, host }: LinkMail): Letter {
  return {
    to,
    subject: 'You are invited to Ingot',
    text: `Somebody at ${host} opened an account for this address. Open this link to accept it and to choose a password:

${link}

The link works once, until ${readable(expiresAt)}. After that, ask the person who invited you for a new one.

If you do not know why you got this, do nothing: without the link nobody can use the account.${signature}`,
  }
}

export function confirmNewAddress({ to, link, expiresAt, host }: LinkMail, oldEmail: string | null): Letter {
  return {
    to,
    subject: 'Confirm your new address for Ingot',
    text: `${oldEmail ?? 'An account'} asked to use this address for its account at ${host}. Open this link to confirm it:

${link}

The link works once, until ${readable(expiresAt)}. Until then the old address stays in use.

If you do not know this account, do nothing.${signature}`,
  }
}

export function confirmAddressChange({ to, link, expiresAt, host }: LinkMail, newEmail: string): Letter {
  return {
    to,
    subject: 'Your Ingot account is about to get a new address',
    text: `The account with this address at ${host} is to use ${newEmail} from now on. Open this link to agree:

${link}

The link works once, until ${readable(expiresAt)}. The change also needs the link that went to the new address.

If it was not you, do not open the link, and change your password: somebody else is signed in to your account.${signature}`,
  }
}

export function signInLink({ to, link, expiresAt, host }: LinkMail): Letter {
  return {
    to,
    subject: 'Your link to sign in to Ingot',
    text: `Open this link to sign in at ${host}:

${link}

The link works once, until ${readable(expiresAt)}.

If you did not ask for it, do nothing: nobody can sign in without this link.${signature}`,
  }
}

export function resetPassword({ to, link, expiresAt, host }: LinkMail): Letter {
  return {
    to,
    subject: 'Set a new password for Ingot',
    text: `Somebody, most likely you, asked for a new password at ${host}. Open this link to set one:

${link}

The link works once, until ${readable(expiresAt)}. Until a new password is set, the old one stays in use.

If it was not you, do nothing: without the link nothing changes.${signature}`,
  }
}

export function confirmItIsYou(to: string, code: string, expiresAt: Date, host: string): Letter {
  return {
    to,
    subject: `${code} is your Ingot code`,
    text: `Type this code at ${host} to confirm that it is you:

${code}

The code works once, until ${readable(expiresAt)}. Give it to nobody, whoever asks.

If you did not ask for it, somebody else is signed in to your account: change your password.${signature}`,
  }
}

/** What a letter about something that was done needs to know. */
export interface Notice {
  readonly to: string
  /** Origin of the site, without a trailing slash. */
  readonly siteUrl: string
  readonly at: Date
}

interface Remedy {
  readonly text: string
  readonly path: string | null
}

function tell({ to, siteUrl, at }: Notice, subject: string, what: string, remedy: Remedy): Letter {
  const { host } = new URL(siteUrl)
  return {
    to,
    subject,
    text: `${what}

Account: ${to} at ${host}
Time:    ${readable(at)}

If it was you, there is nothing to do. If it was not, ${remedy.text}${remedy.path ? `:\n\n${siteUrl}${remedy.path}` : '..'}

When you can no longer get into your account, write to whoever runs ${host}.${signature}`,
  }
}

const newPassword: Remedy = {
  text: 'set a new password, which ends every other session',
  path: '/forgot-password',
}

const endSessions: Remedy = {
  text: 'somebody else is signed in to your account. Change your password and end the sessions you do not know',
  path: '/console/settings',
}

export const newDevice = (notice: Notice, seen: string, ip: string | null): Letter =>
  tell(
    notice,
    'New sign-in to your Ingot account',
    `Somebody signed in to your account with a browser that was not used for it before: ${seen}${ip ? `, from ${ip}` : ''}.`,
    newPassword,
  )

export const passwordChanged = (notice: Notice): Letter =>
  tell(
    notice,
    'Your Ingot password was changed',
    'The password of your account was changed. Every other session was ended.',
    newPassword,
  )

/** To the address that was in use before. */
export const emailChanged = (notice: Notice, email: string): Letter =>
  tell(
    notice,
    'Your Ingot account has a new address',
    `Your account now uses the address ${email}. This one does not sign in any more.`,
    {
      text: 'somebody else has control of your account, and only the new address can set a password for it',
      path: null,
    },
  )

export const phoneChanged = (notice: Notice, phone: string): Letter =>
  tell(
    notice,
    'Your Ingot account has a new phone number',
    `The phone number +${phone} was confirmed for your account. It can be used to sign in.`,
    endSessions,
  )

/** `factor`: what it is, such as `authenticator app "Pixel"`. */
export const factorAdded = (notice: Notice, factor: string): Letter =>
  tell(
    notice,
    'A second factor was added to your Ingot account',
    `Your account now also asks for a code when you sign in. What was added: ${factor}.`,
    endSessions,
  )

export const factorRemoved = (notice: Notice, factor: string): Letter =>
  tell(
    notice,
    'A second factor was removed from your Ingot account',
    `A second factor was removed from your account: ${factor}. Codes from it are not asked for any more.`,
    endSessions,
  )
