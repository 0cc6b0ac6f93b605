/** Alerts about factors, in the transaction that changed them: somebody else's change must not stay unseen. */
import type { Tx } from '../../db/database.ts'
import { factorAdded, factorRemoved } from '../letters/alerts.ts'
import { type AlertNeeds, sendAlert } from '../letters/send-alert.ts'
import type { UserRow } from '../queries.ts'
import type { FactorRow } from './queries.ts'

type Named = Pick<FactorRow, 'factor_type' | 'friendly_name' | 'phone'>

export const alertFactorAdded = (tx: Tx, needs: AlertNeeds, user: UserRow, factor: Named): Promise<void> =>
  sendAlert(tx, needs, user.email, alert => factorAdded(alert, describe(factor)))

export const alertFactorRemoved = (tx: Tx, needs: AlertNeeds, user: UserRow, factor: Named): Promise<void> =>
  sendAlert(tx, needs, user.email, alert => factorRemoved(alert, describe(factor)))

function describe({ factor_type: type, friendly_name: name, phone }: Named): string {
  const kind = {
    totp: 'an authenticator app',
    phone: `the phone number ending in ${phone?.slice(-3)}`,
    webauthn: 'a security key',
    recovery_code: 'recovery codes',
  }[type]
  return name ? `${kind} (${JSON.stringify(name)})` : kind
}
