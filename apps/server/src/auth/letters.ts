/** The mails of this room: plain text, one link, and until when it works. */
import type { Letter } from '../worker/mail.ts'

export interface LinkMail {
  readonly to: string
  readonly link: string
  readonly expiresAt: Date
  /** Host of the site, so that the reader knows what this is about. */
  readonly host: string
}

const signature = '\n\nIngot\n'

/** `21 November 2026, 14:30 UTC` */
const readable = (time: Date): string =>
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
