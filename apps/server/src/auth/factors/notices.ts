/** Mails about factors, in the transaction that changed them: somebody else's change must not go unnoticed. */
import type { Tx } from '../../db/database.ts'
import { factorAdded, factorRemoved } from '../letters/letters.ts'
import { notify } from '../letters/notify.ts'
import type { UserRow } from '../queries.ts'
import type { AuthServices } from '../services.ts'
import type { FactorRow } from './queries.ts'

type Named = Pick<FactorRow, 'factor_type' | 'friendly_name' | 'phone'>

export const noteAdded = (tx: Tx, auth: AuthServices, user: UserRow, factor: Named): Promise<void> =>
  notify(tx, auth, user.email, notice => factorAdded(notice, describe(factor)))

export const noteRemoved = (tx: Tx, auth: AuthServices, user: UserRow, factor: Named): Promise<void> =>
  notify(tx, auth, user.email, notice => factorRemoved(notice, describe(factor)))

function describe({ factor_type: type, friendly_name: name, phone }: Named): string {
  const kind = {
    totp: 'an authenticator app',
    phone: `the phone number ending in ${phone?.slice(-3)}`,
    recovery_code: 'recovery codes',
  }[type]
  return name ? `${kind} (${JSON.stringify(name)})` : kind
}
