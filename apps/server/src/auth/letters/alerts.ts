/** Alerts: they tell the owner of an account by mail what was done to it, with what to do if it was somebody else. */
import type { Letter } from '../../worker/mail.ts'
import { readable, signature } from './letters.ts'

/** What every alert needs to know. */
export interface Alert {
  readonly to: string
  /** Origin of the site, without a trailing slash. */
  readonly siteUrl: string
  readonly at: Date
}

interface Remedy {
  readonly text: string
  readonly path: string | null
}

function tell({ to, siteUrl, at }: Alert, subject: string, what: string, remedy: Remedy): Letter {
  const { host } = new URL(siteUrl)
  return {
    to,
    subject,
    text: `${what}

Account: ${to} at ${host}
Time:    ${readable(at)}

If it was you, there is nothing to do. If it was not, ${remedy.text}${remedy.path ? `:\n\n${siteUrl}${remedy.path}` : '.'}

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

export const newDevice = (alert: Alert, seen: string, ip: string | null): Letter =>
  tell(
    alert,
    'New sign-in to your Ingot account',
    `Somebody signed in to your account with a browser that was not used for it before: ${seen}${ip ? `, from ${ip}` : ''}.`,
    newPassword,
  )

export const passwordChanged = (alert: Alert): Letter =>
  tell(
    alert,
    'Your Ingot password was changed',
    'The password of your account was changed. Every other session was ended.',
    newPassword,
  )

/** To the address that was in use before. */
export const emailChanged = (alert: Alert, email: string): Letter =>
  tell(
    alert,
    'Your Ingot account has a new address',
    `Your account now uses the address ${email}. This one does not sign in any more.`,
    {
      text: 'somebody else has control of your account, and only the new address can set a password for it',
      path: null,
    },
  )

export const phoneChanged = (alert: Alert, phone: string): Letter =>
  tell(
    alert,
    'Your Ingot account has a new phone number',
    `The phone number +${phone} was confirmed for your account. It can be used to sign in.`,
    endSessions,
  )

/** `factor`: what it is, such as `authenticator app "Pixel"`. */
export const factorAdded = (alert: Alert, factor: string): Letter =>
  tell(
    alert,
    'A second factor was added to your Ingot account',
    `Your account now also asks for a code when you sign in. What was added: ${factor}.`,
    endSessions,
  )

export const factorRemoved = (alert: Alert, factor: string): Letter =>
  tell(
    alert,
    'A second factor was removed from your Ingot account',
    `A second factor was removed from your account: ${factor}. Codes from it are not asked for any more.`,
    endSessions,
  )
