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

/** A moderator has a title and no power that a user has not: none was named for the role. */
const everyone = userRoles

export const policy: Readonly<Record<Who, Rule>> = {
  public: { credentials: credentials.public, roles: everyone },
  dev: { credentials: credentials.dev, roles: everyone },
  user: { credentials: credentials.user, roles: everyone },
  session: { credentials: credentials.session, roles: everyone },
  admin: { credentials: credentials.admin, roles: ['admin'] },
}

export const keyRefused = 'An API key cannot do this. Sign in with your browser.'

export function assertMayCall(
  op: Pick<Operation, 'who'>,
  caller: { readonly keyId: string | null; readonly role: UserRole },
): void {
  const { credentials, roles } = policy[op.who]
  if (!credentials.includes(caller.keyId === null ? 'session' : 'key'))
    throw new IngotError('not_allowed', { message: keyRefused })
  if (!roles.includes(caller.role)) throw new IngotError('not_allowed')
}
