import { maxSshKeys, type SshKey } from '@ingot/contracts/ssh'
import type { Clock } from '../db/clock.ts'
import type { Tx } from '../db/database.ts'
import { appendEvent } from '../db/events.ts'
import { newId } from '../db/ids.ts'
import { readPublicKey, wrong } from './public-key.ts'
import { getKey } from './queries.ts'

export async function addKey(
  tx: Tx,
  { clock }: { clock: Clock },
  userId: string,
  wish: { readonly name: string; readonly public_key: string },
): Promise<SshKey> {
  const { type, blob, fingerprint } = readPublicKey(wish.public_key)
  // One at a time: the keys are counted.
  await tx.selectFrom('auth_user').select('id').where('id', '=', userId).forNoKeyUpdate().execute()
  const present = await tx
    .selectFrom('ssh_key')
    .select(['name', 'public_key'])
    .where('user_id', '=', userId)
    .execute()
  const same = present.find(({ public_key }) => public_key.equals(blob))
  if (same) throw wrong(`is there already, as ${same.name}`)
  if (present.length >= maxSshKeys)
    throw wrong(`is one too many: an account has at most ${maxSshKeys}. Remove one first`)
  const id = newId()
  const name = wish.name.trim()
  await tx
    .insertInto('ssh_key')
    .values({ id, user_id: userId, name, type, public_key: blob, fingerprint })
    .execute()
  await appendEvent(tx, {
    userId,
    type: 'ssh_key.added',
    at: clock.iso(),
    data: { message: `${name}, ${fingerprint}` },
  })
  return getKey(tx, userId, id)
}
