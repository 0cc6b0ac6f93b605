/** E-mail addresses as the service takes them: plain ASCII, lower case, so that one address is one account. */
import { AuthError, invalid } from './errors.ts'

const form =
  /^[a-z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/

const maxLength = 255

/** Whether any account can have this address, in lower case. */
export const isEmail = (text: string): boolean => text.length <= maxLength && form.test(text)

export function readEmail(text: string): string {
  if (text === '') throw invalid('An email address is required')
  if (text.length > maxLength) throw invalid('An email address is too long')
  const email = text.toLowerCase()
  if (!form.test(email)) throw invalid('Unable to validate email address: invalid format')
  return email
}

/** Phones are not served yet, but a wrong number is told before that. */
export function refusePhone(text: string, status: 400 | 422, message: string): never {
  if (!/^[1-9][0-9]{1,14}$/.test(text.replaceAll(' ', '').replace(/^\+/, '')))
    throw invalid('Invalid phone number format (E.164 required)')
  throw new AuthError(status, 'phone_provider_disabled', message)
}
