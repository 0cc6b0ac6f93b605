/** Addresses and phones as the service takes them, in one spelling each, so that one of them is one account. */
import { createHash } from 'node:crypto'
import { maxEmailLength } from '@ingot/contracts/accounts'
import { invalid } from './errors.ts'

const form =
  /^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]+@[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?)*$/

/**
 * The address as accounts have it, in lower case; null where no account can have it. It is checked as it came:
 * lower-casing makes letters of ASCII from others (U+212A becomes k), and so another person's address.
 */
export const emailOf = (text: string): string | null =>
  text.length <= maxEmailLength && form.test(text) ? text.toLowerCase() : null

export function readEmail(text: string): string {
  if (text === '') throw invalid('An email address is required')
  if (text.length > maxEmailLength) throw invalid('An email address is too long')
  const email = emailOf(text)
  if (email === null) throw invalid('Unable to validate email address: invalid format')
  return email
}

const phoneForm = /^[1-9][0-9]{1,14}$/

/** The number's digits (E.164), as clients know it: without spaces and plus. */
export function readPhone(text: string): string {
  const phone = text.replaceAll(' ', '').replace(/^\+/, '')
  if (!phoneForm.test(phone)) throw invalid('Invalid phone number format (E.164 required)')
  return phone
}

/**
 * The key under which limits count what was typed as an address, for `auth_locked_seconds` and `auth_clear_failures`
 * too. Only the hash is kept: it may be a password or worse.
 */
export const addressKey = (typed: string): string => createHash('sha256').update(typed).digest('base64url')
