/**
 * Where an instance is reached by SSH, and its password: made when its owner first asks for one, so that nobody can guess
 * at one that nobody uses, and kept sealed, so that its owner can see it again.
 */
import { randomBytes } from 'node:crypto'
import { IngotError } from '@ingot/contracts/errors'
import type { SshAccess } from '@ingot/contracts/instance/ssh'
import type { Clock } from '../../db/clock.ts'
import { type Db, inTransaction, type Tx } from '../../db/database.ts'
import { appendEvent } from '../../db/events.ts'
import type { Vault } from '../../vault.ts'
import { findInstance, lockInstance } from '../queries.ts'
import { keysLeft, ownKeys } from './chosen-keys.ts'
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
  db: Db | Tx,
  userId: string,
  id: string,
): Promise<SshAccess> {
  const row = await findInstance(db, userId, id)
  if (!needs.ssh.at) throw isOff()
  const { line, fingerprint } = await hostKey(needs)
  return {
    ...needs.ssh.at,
    user: row.ssh_user,
    host_key: line,
    host_key_fingerprint: fingerprint,
    key_ids: await keysLeft(db, userId, row.ssh_key_ids),
    offers_start: row.ssh_offers_start,
  }
}

export async function changeSsh(
  needs: AccessNeeds & { readonly clock: Clock },
  tx: Tx,
  userId: string,
  id: string,
  changes: { readonly key_ids?: readonly string[] | null; readonly offers_start?: boolean },
): Promise<SshAccess> {
  const row = await lockInstance(tx, userId, id)
  if (row.desired === 'deleted')
    throw new IngotError('invalid_state', { message: 'This instance is being deleted.' })
  const { key_ids = row.ssh_key_ids, offers_start = row.ssh_offers_start } = changes
  const ssh_key_ids =
    changes.key_ids === undefined ? row.ssh_key_ids : await ownKeys(tx, userId, key_ids, 'key_ids')
  await tx
    .updateTable('gpu_instances')
    .set({ ssh_key_ids, ssh_offers_start: offers_start, updated_at: needs.clock.iso() })
    .where('id', '=', id)
    .execute()
  await appendEvent(tx, {
    userId,
    type: 'instance.updated',
    subjectId: id,
    at: needs.clock.iso(),
    data: { name: row.name },
  })
  return getSshAccess(needs, tx, userId, id)
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
