/** The key of this service as a SAML service provider: the operator's, or one made on first need and kept sealed. */
import { createPrivateKey, generateKeyPair, type KeyObject } from 'node:crypto'
import { promisify } from 'node:util'
import { sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import type { Vault } from '../../vault.ts'
import type { AuthSettings } from '../settings.ts'

export interface SamlKeyNeeds {
  readonly database: Database
  readonly settings: AuthSettings
  readonly vault: Vault
}

const context = 'saml-key'
const bits = 2048

export async function samlKey(needs: SamlKeyNeeds): Promise<KeyObject> {
  const { samlKey: given } = needs.settings.providers
  return createPrivateKey(given !== null && given !== 'generate' ? given : await ownKey(needs))
}

async function ownKey({ database, vault }: { database: Database; vault: Vault }): Promise<string> {
  const read = async () => {
    const { rows } = await sql<{ private_key_sealed: Buffer }>`
      select private_key_sealed from auth_saml_key`.execute(database.kysely)
    return rows[0] && vault.open(rows[0].private_key_sealed, context).toString()
  }
  const known = await read()
  if (known) return known
  const { privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: bits })
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' })
  await sql`
    insert into auth_saml_key (private_key_sealed) values (${vault.seal(pem, context)}) on conflict do nothing`.execute(
    database.kysely,
  )
  return (await read())!
}
