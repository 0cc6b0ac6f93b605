/** The key of this service as a SAML service provider: the operator's, or one made on first need and kept sealed. */
import { createPrivateKey, generateKeyPair, type KeyObject } from 'node:crypto'
import { promisify } from 'node:util'
import { sql } from 'kysely'
import { AuthError } from '../errors.ts'
import type { AuthServices } from '../services.ts'

const context = 'saml-key'
const bits = 2048

export const isSamlOn = ({ settings }: Pick<AuthServices, 'settings'>): boolean =>
  settings.providers.samlKey !== null

export function assertSaml(auth: Pick<AuthServices, 'settings'>): void {
  if (!isSamlOn(auth)) throw new AuthError(404, 'saml_provider_disabled', 'SAML 2.0 is disabled')
}

export async function samlKey(auth: AuthServices): Promise<KeyObject> {
  const { samlKey: given } = auth.settings.providers
  return createPrivateKey(given !== null && given !== 'generate' ? given : await ownKey(auth))
}

async function ownKey({ database, vault }: AuthServices): Promise<string> {
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
