/** Tells a user that somebody signed in from a kind of browser that their account was not used with before. */
import type { Db, Tx } from '../../db/database.ts'
import { describeDevice } from './device.ts'
import { newDevice } from '../letters/letters.ts'
import { notify } from '../letters/notify.ts'
import type { AuthServices, Visitor } from '../services.ts'
import { wantsSecurityAlerts } from '../letters/wants-alerts.ts'

export async function tellNewDevice(
  tx: Tx | Db,
  auth: AuthServices,
  userId: string,
  { userAgent, ip }: Visitor,
): Promise<void> {
  if (!(await wantsSecurityAlerts(tx, userId))) return
  const user = await tx
    .selectFrom('auth_user')
    .select(['email', 'email_confirmed_at'])
    .where('id', '=', userId)
    .executeTakeFirst()
  const { browser, device } = describeDevice(userAgent)
  const to = user?.email_confirmed_at ? user.email : null
  await notify(tx, auth, to, notice => newDevice(notice, `${browser} on ${device}`, ip))
}
