/** The mails of this room that carry a link or a code, in plain text. They say until when it works. */
import type { Letter } from '../../worker/mail.ts'

export interface LinkMail {
  readonly to: string
  readonly link: string
  readonly expiresAt: Date
  /** Host of the site, so that the reader knows what this is about. */
  readonly host: string
}

export const signature = '\n\nIngot\n'

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

/** `bringsPassword`: whoever opens it gets an account with a password that somebody else may have typed. */
export function confirmSignUp({ to, link, expiresAt, host }: LinkMail, bringsPassword: boolean): Letter {
  const aboutPassword =
    '\n\nThe account then has the password that was typed at that sign-up. Open the link only if you typed it.'
  return {
    to,
    subject: 'Confirm your address to open your Ingot account',
    text: `Somebody, most likely you, signed up at ${host} with this address. Open this link to confirm it:

${link}

The link works once, until ${readable(expiresAt)}. After that, ask for a new one on the sign-in page.${bringsPassword ? aboutPassword : ''}

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

The link works once, until ${readable(expiresAt)}.${oldEmail ? ' Until then the old address stays in use.' : ''}

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
