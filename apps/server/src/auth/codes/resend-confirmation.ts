/**
 * Sends a confirmation again, at most once a minute. The answer is the same empty one when there is nobody or nothing
 * to confirm; only a code that really went to a phone has its message's id.
 */
import { type Db, inTransaction, type Tx } from '../../db/database.ts'
import { readEmail } from '../addresses.ts'
import type { Body } from '../body.ts'
import { invalid } from '../errors.ts'
import type { SmsNeeds } from '../letters/send-sms.ts'
import { readOfferedPhone } from '../letters/read-offered-phone.ts'
import { takeMail, takeToken } from '../limits.ts'
import { assertMailSpacing, claimMail, claimNoSms } from '../spacing.ts'
import { findUserByEmail, findUserByPhone, lockUser, type UserRow } from '../queries.ts'
import type { Visitor } from '../visitor.ts'
import { keepNewPhone } from './keep-new-phone.ts'
import { keepSignInCode } from './keep-sign-in-code.ts'
import { mailConfirmation } from './mail-confirmation.ts'
import { mailEmailChange } from './mail-email-change.ts'
import type { LinkNeeds } from './mail-link.ts'
import type { OtpNeeds } from './otp.ts'
import { type Challenge, readChallenge } from './pkce.ts'
import { findSets } from './sets.ts'
import { textCode, type TextNeeds } from './text-code.ts'

interface ResendNeeds extends TextNeeds, LinkNeeds {
  readonly wakeMail: () => void
}

const types = ['signup', 'email_change', 'sms', 'phone_change'] as const
type Type = (typeof types)[number]

interface Asked {
  readonly type: Type
  readonly email: string | null
  readonly phone: string | null
  readonly challenge: Challenge | null
}

export async function resendConfirmation(needs: ResendNeeds, body: Body, visitor: Visitor): Promise<object> {
  await takeToken(needs, 'resend', visitor.ip)
  const asked = readResend(needs, body)
  const { type } = asked
  if (type === 'sms' || type === 'phone_change') return textAgain(needs, type, asked, visitor)
  await inTransaction(needs.database.kysely, tx => mailAgain(tx, needs, type, asked, visitor))
  needs.wakeMail()
  return {}
}

function readResend(needs: Pick<SmsNeeds, 'sms'>, body: Body): Asked {
  const asked = body.text('type', 64)
  const type = types.find(each => each === asked)
  const email = body.text('email', 1024)
  const phone = body.text('phone', 64)
  if (!type) throw invalid(`Missing one of these types: ${types.join(', ')}`)
  if (!email && type === 'signup') throw invalid('Type provided requires an email address')
  if (!phone && type === 'sms') throw invalid('Type provided requires a phone number')
  if (email && phone) throw invalid('Only an email address or phone number should be provided.')
  const challenge = readChallenge(body)
  if (!email && !phone) throw invalid('Missing email address or phone number')
  return {
    type,
    email: email ? readEmail(email) : null,
    phone: phone ? readOfferedPhone(needs, phone, 400, 'Phone logins are disabled') : null,
    challenge,
  }
}

const findUser = (db: Db | Tx, { email, phone }: Asked): Promise<UserRow | null> =>
  email ? findUserByEmail(db, email) : findUserByPhone(db, phone!)

async function mailAgain(
  tx: Tx,
  needs: LinkNeeds,
  type: 'signup' | 'email_change',
  asked: Asked,
  { redirectTo }: Visitor,
): Promise<void> {
  await claimMail(tx, needs, `resend:${type}`, asked.email ?? asked.phone!)
  const found = await findUser(tx, asked)
  const user = found && (await lockUser(tx, found.id))
  if (user && type === 'signup' && !user.email_confirmed_at) {
    assertMailSpacing(needs, user.confirmation_sent_at)
    const sets = await findSets(tx, user.id, 'signup')
    await mailConfirmation(tx, needs, user, asked.challenge, redirectTo, sets)
  } else if (user?.new_email && type === 'email_change') {
    const sets = await findSets(tx, user.id, 'email_change_new')
    await mailEmailChange(tx, needs, user, user.new_email, asked.challenge, redirectTo, sets)
  } else await takeMail(tx, needs)
}

async function textAgain(
  needs: TextNeeds & OtpNeeds,
  type: 'sms' | 'phone_change',
  asked: Asked,
  { places }: Visitor,
): Promise<object> {
  const user = await findUser(needs.database.kysely, asked)
  const waiting = type === 'sms' ? !user?.phone_confirmed_at && user?.phone : user?.new_phone
  if (!user || !waiting || !needs.sms) {
    if (asked.phone) await claimNoSms(needs, asked.phone, places)
    return {}
  }
  const { messageId } = await textCode(needs, {
    phone: waiting,
    channel: 'sms',
    places,
    async keep(tx, code) {
      const sets = await findSets(tx, user.id, type)
      if (type === 'sms') await keepSignInCode(tx, needs, user.id, code, sets)
      else await keepNewPhone(tx, needs, user.id, waiting, code, sets)
      return user
    },
  })
  return { message_id: messageId }
}
