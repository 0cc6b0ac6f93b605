/** The key of this service as a SAML service provider: the operator's, or one made on first need and kept sealed. */
import { createPrivateKey, generateKeyPair, type KeyObject } from 'node:crypto'
import { promisify } from 'node:util'
import type { Database } from '../../../db/database.ts'
import type { Vault } from '../../../vault.ts'
import type { AuthSettings } from '../../settings.ts'

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
    const row = await database.kysely
      .selectFrom('auth_saml_key')
      .select('private_key_sealed')
      .executeTakeFirst()
    return row && vault.open(row.private_key_sealed, context).toString()
  }
  const known = await read()
  if (known) return known
  const { privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: bits })
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' })
  await database.kysely
    .insertInto('auth_saml_key')
    .values({ private_key_sealed: vault.seal(pem, context) })
    .onConflict(conflict => conflict.doNothing())
    .execute()
  return (await read())!
}
