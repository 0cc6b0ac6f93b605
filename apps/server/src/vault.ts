/**
 * Seals secrets at rest with AES-256-GCM under one master key (`INGOT_SECRET`, or a file of the data folder that only
 * the server's user can read). `context` is bound into each seal, so a sealed value moved to another row does not open.
 * Keys that never lie anywhere are derived from another one. All are KeyObjects: Node takes five times as long with
 * bytes.
 */
import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  randomBytes,
} from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

export interface Vault {
  seal(plain: string | Buffer, context: string): Buffer
  /** Throws when the value was not sealed here, for this context. */
  open(sealed: Buffer, context: string): Buffer
  /** 32 bytes, the same for the same context. */
  derive(context: string): KeyObject
}

const ivBytes = 12
const tagBytes = 16

export async function openVault(secret: string | null, dataDir: string): Promise<Vault> {
  return createVault(secret ?? (await keptSecret(join(dataDir, 'secret'))))
}

export function createVault(secret: string): Vault {
  const keyFor = (purpose: string) =>
    createSecretKey(Buffer.from(hkdfSync('sha256', secret, 'ingot', purpose, 32)))
  const key = keyFor('vault')
  const derivation = keyFor('derive')
  return {
    seal(plain, context) {
      const iv = randomBytes(ivBytes)
      const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(context))
      return Buffer.concat([iv, cipher.update(plain), cipher.final(), cipher.getAuthTag()])
    },
    open(sealed, context) {
      const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, ivBytes)).setAAD(
        Buffer.from(context),
      )
      decipher.setAuthTag(sealed.subarray(-tagBytes))
      return Buffer.concat([decipher.update(sealed.subarray(ivBytes, -tagBytes)), decipher.final()])
    },
    derive: context => createSecretKey(createHmac('sha256', derivation).update(context).digest()),
  }
}

async function keptSecret(file: string): Promise<string> {
  if (!existsSync(file))
    await writeFile(file, randomBytes(32).toString('base64url'), { mode: 0o600, flag: 'wx' })
  return (await readFile(file, 'utf8')).trim()
}
