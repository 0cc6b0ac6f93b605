/**
 * The mails of this room, in plain text. Whoever fills in a form may type somebody else's address, so what goes out at
 * once holds nothing that a visitor typed.
 */
import type { Letter } from '../worker/mail.ts'

interface To {
  readonly to: string
  /** Origin of the site, without a trailing slash. */
  readonly siteUrl: string
}

const signature = '\n\nIngot\n'
const hostOf = ({ siteUrl }: To): string => new URL(siteUrl).host

const arrivals = {
  contact: ['Your message to Ingot arrived', 'Your message'],
  application: ['Your application to Ingot arrived', 'Your application'],
  document: ['Your document request to Ingot arrived', 'Your request for a document'],
} as const

export function arrived(to: To, kind: keyof typeof arrivals): Letter {
  const [subject, what] = arrivals[kind]
  return {
    to: to.to,
    subject,
    text: `${what}, sent at ${hostOf(to)}, arrived. A person reads it and answers to this address.

If you sent nothing, somebody typed your address by mistake: there is nothing to do.${signature}`,
  }
}

export const answer = (
  to: To,
  about: { readonly subject: string; readonly message: string; readonly sentAt: string },
  text: string,
): Letter => ({
  to: to.to,
  subject: `Answer to what you sent to Ingot: ${about.subject}`,
  text: `${text}

To answer, write again at ${to.siteUrl}/contact.${signature}
On ${about.sentAt.slice(0, 10)} you wrote:

${quote(about.message || `A request for: ${about.subject}`)}
`,
})

const quote = (text: string): string =>
  text
    .split(/\r\n|\r|\n/)
    .map(line => `> ${line}`)
    .join('\n')

export const confirmSubscription = (to: To, link: string, days: number): Letter => ({
  to: to.to,
  subject: 'Confirm your subscription to the Ingot blog',
  text: `Somebody, most likely you, asked at ${hostOf(to)} for new blog posts at this address. Open this link to confirm it:

${link}

The link works for ${days} days. If it was not you, do nothing: without the link nothing is sent, and the address is erased.${signature}`,
})

export const subscribed = (to: To, endLink: string): Letter => ({
  to: to.to,
  subject: 'You are subscribed to the Ingot blog',
  text: `New blog posts of ${hostOf(to)} come to this address from now on.

To end it at any time, open this link, which needs no account:

${endLink}${signature}`,
})
