/** A public key as somebody pastes it, read strictly: what is stored is the key alone, in its one canonical form. */
import { createHash, createPublicKey } from 'node:crypto'
import { IngotError } from '@ingot/contracts/errors'
import { rsaBits, type SshKey, sshKeyTypes } from '@ingot/contracts/ssh'
import ssh2 from 'ssh2'

export interface PublicKey {
  readonly type: SshKey['type']
  readonly blob: Buffer
  readonly fingerprint: string
}

const line = /^(\S+)[ \t]+([A-Za-z0-9+/]+={0,2})(?:[ \t]+[^\r\n]*)?$/

export function readPublicKey(text: string): PublicKey {
  const given = text.trim()
  if (/PRIVATE KEY/.test(given))
    throw wrong('is a private key: keep that one to yourself, and send the file that ends in .pub')
  const [, name, base64] = line.exec(given) ?? []
  if (!name || !base64) throw wrong('must be one line, such as ssh-ed25519 AAAA…')
  const type = sshKeyTypes.find(each => each === name)
  if (!type) throw wrong('must be an Ed25519, ECDSA or RSA key')
  const parsed = ssh2.utils.parseKey(`${type} ${base64}`)
  if (parsed instanceof Error || parsed.isPrivateKey() || parsed.type !== type) throw wrong(damaged)
  const blob = parsed.getPublicSSH()
  if (!blob.equals(Buffer.from(base64, 'base64'))) throw wrong(damaged)
  assertStrong(parsed.getPublicPEM())
  return { type, blob, fingerprint: fingerprintOf(blob) }
}

export const fingerprintOf = (blob: Buffer): string =>
  `SHA256:${createHash('sha256').update(blob).digest('base64').replace(/=+$/, '')}`

/** Node reads the key as well, which refuses a point that is not on its curve. */
function assertStrong(pem: string): void {
  const key = (() => {
    try {
      return createPublicKey(pem)
    } catch {
      throw wrong(damaged)
    }
  })()
  if (key.asymmetricKeyType !== 'rsa') return
  const bits = key.asymmetricKeyDetails?.modulusLength ?? 0
  if (bits < rsaBits.min || bits > rsaBits.max)
    throw wrong(`must have ${rsaBits.min} to ${rsaBits.max} bits; this RSA key has ${bits}`)
}

/** A new Ed25519 key. Of one in 256 the library leaves out a zero byte, and cannot read it afterwards: that is no key. */
export function makeKeyPair(): { readonly public: string; readonly private: string } {
  for (;;) {
    const made = ssh2.utils.generateKeyPairSync('ed25519')
    const parts = [ssh2.utils.parseKey(made.public), ssh2.utils.parseKey(made.private)]
    if (!parts.some(part => part instanceof Error)) return made
  }
}

const damaged = 'is not a whole public key: a part of it is missing or changed'

export const wrong = (what: string) => new IngotError('validation_failed', { fields: { public_key: what } })
