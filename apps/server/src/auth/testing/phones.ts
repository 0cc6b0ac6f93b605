/** A service that texts into its inbox, and what tests do with a phone there. */
import { sql } from 'kysely'
import { apiVersion, createTestAuth, newPhone, useTestAuth } from './auth-server.ts'

export const password = 'correct horse'
export const inbox = { sms: { kind: 'inbox' } } as const
export const digits = (phone: string) => phone.slice(1)

export function useTestPhones() {
  const auth = useTestAuth(() => createTestAuth({}, undefined, inbox))
  const post = (path: string, body: unknown) => auth.call('POST', path, { headers: apiVersion, body })
  const later = () =>
    sql`update auth_sending set sent_at = sent_at - interval '61 seconds'`.execute(auth.database.kysely)

  /** The newest code sent to a phone. */
  async function codeTo(phone: string): Promise<string> {
    const [sms] = await auth.mailTo(phone)
    return /^\d{6}/.exec(sms!.text)![0]
  }

  async function withPhone() {
    const phone = newPhone()
    const client = auth.client()
    await client.signUp({ phone, password })
    const { data } = await client.verifyOtp({ phone, token: await codeTo(phone), type: 'sms' })
    await later()
    return { phone, client, user: data.user!, token: data.session!.access_token }
  }

  return { auth, post, later, codeTo, withPhone }
}
