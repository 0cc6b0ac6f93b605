/** The key by which this installation is known to SSH clients: made on first need and kept sealed, the same ever after. */
import ssh2 from 'ssh2'
import type { Database } from '../../db/database.ts'
import { fingerprintOf, makeKeyPair } from '../../ssh/public-key.ts'
import type { Vault } from '../../vault.ts'

export interface HostKeyNeeds {
  readonly database: Database
  readonly vault: Vault
}

export interface HostKey {
  /** As OpenSSH writes it. */
  readonly privateKey: string
  /** Type and key, as in `known_hosts`. */
  readonly line: string
  readonly fingerprint: string
}

const context = 'ssh-host-key'

export async function hostKey({ database, vault }: HostKeyNeeds): Promise<HostKey> {
  const read = async () => {
    const row = await database.kysely
      .selectFrom('ssh_host_key')
      .select('private_key_sealed')
      .executeTakeFirst()
    return row && vault.open(row.private_key_sealed, context).toString()
  }
  const known = await read()
  if (known) return present(known)
  const { private: made } = makeKeyPair()
  await database.kysely
    .insertInto('ssh_host_key')
    .values({ private_key_sealed: vault.seal(made, context) })
    .onConflict(conflict => conflict.doNothing())
    .execute()
  return present((await read())!)
}

function present(privateKey: string): HostKey {
  const parsed = ssh2.utils.parseKey(privateKey)
  if (parsed instanceof Error) throw parsed
  const blob = parsed.getPublicSSH()
  return { privateKey, line: `${parsed.type} ${blob.toString('base64')}`, fingerprint: fingerprintOf(blob) }
}
