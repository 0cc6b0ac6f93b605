/** The key that SAML requests are signed with: from a file, made by the server (`generate`), or none. */
import { createPrivateKey } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { ConfigError } from './config-error.ts'

export function readSamlKey(value: string | null): string | null {
  if (!value || value === 'generate') return value
  const advice = 'Write the path of a PEM file with an RSA key, or the word generate'
  let pem: string
  try {
    pem = readFileSync(value, 'utf8')
  } catch (error) {
    throw new ConfigError(
      `INGOT_SAML_PRIVATE_KEY names a file that cannot be read (${(error as NodeJS.ErrnoException).code}). ${advice}`,
    )
  }
  try {
    if (createPrivateKey(pem).asymmetricKeyType === 'rsa') return pem
  } catch {
    // Not a key at all: the same advice.
  }
  throw new ConfigError(`INGOT_SAML_PRIVATE_KEY names a file without an RSA private key. ${advice}`)
}
