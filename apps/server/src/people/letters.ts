/** What a user is told of what administrators do to their account. */
import type { Letter } from '../worker/mail.ts'

interface Told {
  readonly to: string
  /** Origin of the site, without a trailing slash. */
  readonly siteUrl: string
  readonly reason: string
}

export function suspended({ to, siteUrl, reason }: Told): Letter {
  return {
    to,
    subject: 'Your Ingot account is suspended',
    text: `The account with this address at ${new URL(siteUrl).host} is suspended. The reason:

${reason}

You are signed out everywhere, and your API key has ended. Instances that run are being stopped and charged up to now; none starts meanwhile. Nothing is deleted: disks, volumes, snapshots and the money in your wallet stay. Volumes and snapshots go on being charged, and what you send to your deposit address is credited.

To have it looked at, write to us:

${siteUrl}/contact

Ingot
`,
  }
}

export function reinstated({ to, siteUrl, reason }: Told): Letter {
  return {
    to,
    subject: 'Your Ingot account is open again',
    text: `The account with this address at ${new URL(siteUrl).host} is open again. What we noted:

${reason}

Sign in as before:

${siteUrl}/signin

What was stopped stays stopped until you start it. The API key that you had has ended: make a new one under Settings where a program needs one.

Ingot
`,
  }
}
