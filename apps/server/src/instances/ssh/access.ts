/**
 * Where an instance is reached by SSH, and its password: made when its owner first asks for one, so that nobody can guess
 * at one that nobody uses, and kept sealed, so that its owner can see it again.
 */
import { randomBytes } from 'node:crypto'
import { IngotError } from '@ingot/contracts/errors'
import type { SshAccess } from '@ingot/contracts/instance-ssh'
import type { Clock } from '../../db/clock.ts'
import { type Db, inTransaction } from '../../db/database.ts'
import { appendEvent } from '../../db/events.ts'
import type { Vault } from '../../vault.ts'
import { findInstance, lockInstance } from '../queries.ts'
import { hostKey, type HostKeyNeeds } from './host-key.ts'

/** Where the gateway of this server is reached; null: it has none. */
export interface SshState {
  at: { readonly host: string; readonly port: number } | null
}

interface AccessNeeds extends HostKeyNeeds {
  readonly ssh: SshState
}

const isOff = () =>
  new IngotError('invalid_state', { message: 'SSH is switched off here. Use the web terminal.' })

export async function getSshAccess(
  needs: AccessNeeds,
  db: Db,
  userId: string,
  id: string,
): Promise<SshAccess> {
  const { ssh_user } = await findInstance(db, userId, id)
  if (!needs.ssh.at) throw isOff()
  const { line, fingerprint } = await hostKey(needs)
  return { ...needs.ssh.at, user: ssh_user, host_key: line, host_key_fingerprint: fingerprint }
}

export const passwordContext = (instanceId: string): string => `ssh-password:${instanceId}`
const passwordBytes = 18

/** `renew`: another one than before. */
export function showSshPassword(
  { clock, vault, ssh }: { clock: Clock; vault: Vault; ssh: SshState },
  db: Db,
  userId: string,
  id: string,
  { renew }: { readonly renew: boolean },
): Promise<{ password: string }> {
  return inTransaction(db, async tx => {
    const row = await lockInstance(tx, userId, id)
    if (!ssh.at) throw isOff()
    if (row.desired === 'deleted')
      throw new IngotError('invalid_state', { message: 'This instance is being deleted.' })
    const isNew = renew || !row.ssh_password_sealed
    const password = isNew
      ? randomBytes(passwordBytes).toString('base64url')
      : vault.open(row.ssh_password_sealed!, passwordContext(id)).toString()
    if (isNew)
      await tx
        .updateTable('gpu_instances')
        .set({ ssh_password_sealed: vault.seal(password, passwordContext(id)) })
        .where('id', '=', id)
        .execute()
    await appendEvent(tx, {
      userId,
      type: isNew ? 'instance.ssh_password_made' : 'instance.ssh_password_shown',
      subjectId: id,
      at: clock.iso(),
      data: { name: row.name },
    })
    return { password }
  })
}
