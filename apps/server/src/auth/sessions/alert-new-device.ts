/** Tells a user that somebody signed in from a kind of browser that their account was not used with before. */
import type { Db, Tx } from '../../db/database.ts'
import { newDevice } from '../letters/alerts.ts'
import { type AlertNeeds, sendAlert } from '../letters/send-alert.ts'
import type { Visitor } from '../visitor.ts'
import { describeDevice } from './device.ts'

export async function alertNewDevice(
  tx: Tx | Db,
  needs: AlertNeeds,
  userId: string,
  { userAgent, ip }: Pick<Visitor, 'userAgent' | 'ip'>,
): Promise<void> {
  if (!(await wantsAlerts(tx, userId))) return
  const user = await tx
    .selectFrom('auth_user')
    .select(['email', 'email_confirmed_at'])
    .where('id', '=', userId)
    .executeTakeFirst()
  const { browser, device } = describeDevice(userAgent)
  const to = user?.email_confirmed_at ? user.email : null
  await sendAlert(tx, needs, to, alert => newDevice(alert, `${browser} on ${device}`, ip))
}

/**
 * Whether a user wants alerts about sign-ins. Alerts about changes of the account itself are sent in any case: whoever
 * takes an account over could switch the setting off first.
 */
async function wantsAlerts(tx: Tx | Db, userId: string): Promise<boolean> {
  const chosen = await tx
    .selectFrom('user_settings')
    .select('security_alerts')
    .where('user_id', '=', userId)
    .executeTakeFirst()
  return chosen?.security_alerts ?? true
}
