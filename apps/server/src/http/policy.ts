/**
 * Who may call what: the one table. `who` is the operation's; roles come from `user_roles`, read anew for each request.
 * It says which calls are open to somebody; each query's `where` decides which rows they then see.
 */
import { type UserRole, userRoles } from '@ingot/contracts/accounts'
import { IngotError } from '@ingot/contracts/errors'
import { type Credential, credentials, type Operation, type Who } from '@ingot/contracts/operation'

interface Rule {
  readonly credentials: readonly Credential[]
  readonly roles: readonly UserRole[]
}

const everyone = userRoles

export const policy: Readonly<Record<Who, Rule>> = {
  public: { credentials: credentials.public, roles: everyone },
  dev: { credentials: credentials.dev, roles: everyone },
  user: { credentials: credentials.user, roles: everyone },
  session: { credentials: credentials.session, roles: everyone },
  staff: { credentials: credentials.staff, roles: ['moderator', 'admin'] },
  admin: { credentials: credentials.admin, roles: ['admin'] },
}

/** How somebody calls, and with which role; the rest of who they are changes nothing here. */
interface CallerInTable {
  readonly keyId: string | null
  readonly role: UserRole
}

export const keyRefused = 'An API key cannot do this. Sign in with your browser.'

const takes = (who: Who, { keyId }: CallerInTable): boolean =>
  policy[who].credentials.includes(keyId === null ? 'session' : 'key')

export const mayCall = ({ who }: Pick<Operation, 'who'>, caller: CallerInTable): boolean =>
  takes(who, caller) && policy[who].roles.includes(caller.role)

export function assertMayCall(op: Pick<Operation, 'who'>, caller: CallerInTable): void {
  if (mayCall(op, caller)) return
  throw new IngotError('not_allowed', takes(op.who, caller) ? {} : { message: keyRefused })
}
