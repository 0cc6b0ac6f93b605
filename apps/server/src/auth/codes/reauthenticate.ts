/** Sends the signed-in user a code, by mail or else to their phone, that confirms a change of password. */
import { sql } from 'kysely'
import { inTransaction, type Tx } from '../../db/database.ts'
import { queueMail } from '../../worker/mail.ts'
import { AuthError, invalid } from '../errors.ts'
import { confirmItIsYou } from '../letters/letters.ts'
import { takeMail } from '../limits.ts'
import { assertMailSpacing } from '../spacing.ts'
import { lockUser, type UserRow } from '../queries.ts'
import type { Visitor } from '../visitor.ts'
import { keepCode } from './keep-code.ts'
import type { LinkNeeds } from './mail-link.ts'
import { makeTypedCode, type OtpNeeds } from './otp.ts'
import { textCode, type TextNeeds } from './text-code.ts'

interface ReauthenticateNeeds extends TextNeeds, OtpNeeds {
  readonly wakeMail: () => void
}

export async function reauthenticate(
  needs: ReauthenticateNeeds,
  user: UserRow,
  { places }: Visitor,
): Promise<object> {
  if (user.email) {
    if (!user.email_confirmed_at)
      throw new AuthError(422, 'email_not_confirmed', 'Please verify your email first.')
    await inTransaction(needs.database.kysely, tx => mailNonce(tx, needs, user.id, user.email!))
    needs.wakeMail()
    return {}
  }
  if (!user.phone) throw invalid('Reauthentication requires the user to have an email or a phone number')
  if (!user.phone_confirmed_at)
    throw new AuthError(422, 'phone_not_confirmed', 'Please verify your phone first.')
  const { messageId } = await textCode(needs, {
    phone: user.phone,
    channel: 'sms',
    places,
    async keep(tx, code) {
      await keepNonce(tx, needs, user.id, code, needs.settings.smsLifeSeconds)
      return user
    },
  })
  return { message_id: messageId }
}

async function mailNonce(tx: Tx, needs: LinkNeeds, userId: string, email: string): Promise<void> {
  const user = await lockUser(tx, userId)
  assertMailSpacing(needs, user!.reauthentication_sent_at)
  await takeMail(tx, needs)
  const code = makeTypedCode(needs)
  const expiresAt = await keepNonce(tx, needs, userId, code, needs.settings.nonceLifeSeconds)
  const { host } = new URL(needs.siteUrl)
  await queueMail(tx, needs.vault, confirmItIsYou(email, code, expiresAt, host))
}

async function keepNonce(
  tx: Tx,
  needs: OtpNeeds,
  userId: string,
  code: string,
  lifeSeconds: number,
): Promise<Date> {
  await sql`update auth_user set reauthentication_sent_at = now(), updated_at = now() where id = ${userId}`.execute(
    tx,
  )
  return keepCode(tx, needs, userId, 'reauthentication', code, lifeSeconds)
}
