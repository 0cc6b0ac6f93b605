/** Sends the signed-in user a code, by mail or else to their phone, that confirms a change of password. */
import { sql } from 'kysely'
import { inTransaction, type Tx } from '../../db/database.ts'
import { queueMail } from '../../worker/mail.ts'
import { AuthError, invalid } from '../errors.ts'
import { confirmItIsYou } from '../letters/letters.ts'
import { assertMailSpacing, takeMail } from '../limits.ts'
import { keepCode, makeTypedCode } from './otp.ts'
import { lockUser, type UserRow } from '../queries.ts'
import type { AuthServices } from '../services.ts'
import { textCode } from './text-code.ts'

export async function reauthenticate(auth: AuthServices, user: UserRow): Promise<object> {
  if (user.email) {
    if (!user.email_confirmed_at)
      throw new AuthError(422, 'email_not_confirmed', 'Please verify your email first.')
    await inTransaction(auth.database.kysely, tx => mailNonce(tx, auth, user.id, user.email!))
    auth.wakeMail()
    return {}
  }
  if (!user.phone) throw invalid('Reauthentication requires the user to have an email or a phone number')
  if (!user.phone_confirmed_at)
    throw new AuthError(422, 'phone_not_confirmed', 'Please verify your phone first.')
  const { messageId } = await textCode(auth, {
    phone: user.phone,
    channel: 'sms',
    async keep(tx, code) {
      await keepNonce(tx, auth, user.id, code, auth.settings.smsLifeSeconds)
      return user
    },
  })
  return { message_id: messageId }
}

async function mailNonce(tx: Tx, auth: AuthServices, userId: string, email: string): Promise<void> {
  const user = await lockUser(tx, userId)
  assertMailSpacing(auth, user!.reauthentication_sent_at)
  await takeMail(tx, auth)
  const code = makeTypedCode(auth)
  const expiresAt = await keepNonce(tx, auth, userId, code, auth.settings.nonceLifeSeconds)
  const { host } = new URL(auth.siteUrl)
  await queueMail(tx, auth.vault, confirmItIsYou(email, code, expiresAt, host))
}

async function keepNonce(
  tx: Tx,
  auth: AuthServices,
  userId: string,
  code: string,
  lifeSeconds: number,
): Promise<Date> {
  await sql`update auth_user set reauthentication_sent_at = now(), updated_at = now() where id = ${userId}`.execute(
    tx,
  )
  return keepCode(tx, auth, userId, 'reauthentication', code, lifeSeconds)
}
