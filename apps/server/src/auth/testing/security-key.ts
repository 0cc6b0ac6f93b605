/**
 * A security key in software, with the browser around it, for tests: it makes a key pair and signs challenges as a real
 * one does (WebAuthn 6.1). What it says wrong on request, no browser would let it say.
 */
import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'
import { siteUrl } from './auth-server.ts'

/** What may be said wrong: by the browser about the page, by the key about itself. */
export interface Lies {
  readonly origin?: string
  readonly rpId?: string
  readonly challenge?: string
  readonly type?: string
  readonly credentialId?: Buffer
  readonly present?: boolean
  readonly verified?: boolean
  /** A statement about who made the key, where nobody asked for one. */
  readonly attestation?: (signed: Signed) => Map<string, unknown>
}

/** What a statement of the oldest kind of key signs (FIDO U2F). */
interface Signed {
  readonly host: Buffer
  readonly clientDataHash: Buffer
  readonly id: Buffer
  readonly point: Buffer
}

export interface SecurityKey {
  /** How often it has answered. A copy of the key counts for itself. */
  counter: number
  readonly id: Buffer
  readonly privateKey: KeyObject
  create(options: Options, lies?: Lies): Credential
  get(options: Options, lies?: Lies): Credential
}

/** As the wire has it, or as the client's own reading of it. */
export interface Options {
  readonly challenge: string | ArrayBuffer
}

export interface Credential {
  readonly id: string
  readonly rawId: string
  readonly type: string
  readonly response: Record<string, unknown>
  readonly clientExtensionResults: object
  /** What the client calls on the browser's own credentials. */
  toJSON(): object
}

const flags = { present: 0x01, verified: 0x04, hasKey: 0x40 }

export function createSecurityKey(): SecurityKey {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const { x, y } = publicKey.export({ format: 'jwk' })
  const own = randomBytes(32)
  const cose = encode(
    new Map<number, unknown>([
      [1, 2],
      [3, -7],
      [-1, 1],
      [-2, Buffer.from(x!, 'base64url')],
      [-3, Buffer.from(y!, 'base64url')],
    ]),
  )

  const clientData = (type: string, { challenge }: Options, lies: Lies) =>
    Buffer.from(
      JSON.stringify({
        type: lies.type ?? type,
        challenge:
          lies.challenge ??
          (typeof challenge === 'string' ? challenge : Buffer.from(challenge).toString('base64url')),
        origin: lies.origin ?? siteUrl,
        crossOrigin: false,
      }),
    )
  const authenticatorData = (key: SecurityKey, lies: Lies, made?: Buffer) => {
    const counter = Buffer.alloc(4)
    counter.writeUInt32BE(key.counter)
    const said =
      (lies.present === false ? 0 : flags.present) |
      (lies.verified ? flags.verified : 0) |
      (made ? flags.hasKey : 0)
    const host = sha256(Buffer.from(lies.rpId ?? new URL(siteUrl).hostname))
    return Buffer.concat([host, Buffer.from([said]), counter, ...(made ? [made] : [])])
  }

  return {
    counter: 1,
    id: own,
    privateKey,
    create(options, lies = {}) {
      const id = lies.credentialId ?? own
      const length = Buffer.alloc(2)
      length.writeUInt16BE(id.length)
      const made = Buffer.concat([Buffer.alloc(16), length, id, cose])
      const clientDataJSON = clientData('webauthn.create', options, lies)
      const authData = authenticatorData(this, lies, made)
      const signed = {
        host: authData.subarray(0, 32),
        clientDataHash: sha256(clientDataJSON),
        id,
        point: Buffer.concat([Buffer.from([4]), Buffer.from(x!, 'base64url'), Buffer.from(y!, 'base64url')]),
      }
      const attestationObject = encode(
        new Map<string, unknown>([
          ['fmt', lies.attestation ? 'fido-u2f' : 'none'],
          ['attStmt', lies.attestation?.(signed) ?? new Map()],
          ['authData', authData],
        ]),
      )
      const transports = ['usb', 'nfc', 'smoke-signals']
      return credential(id, { clientDataJSON, attestationObject, transports })
    },
    get(options, lies = {}) {
      this.counter++
      const clientDataJSON = clientData('webauthn.get', options, lies)
      const data = authenticatorData(this, lies)
      const signature = sign('sha256', Buffer.concat([data, sha256(clientDataJSON)]), privateKey)
      return credential(lies.credentialId ?? own, { clientDataJSON, authenticatorData: data, signature })
    },
  }
}

function credential(id: Buffer, parts: Record<string, Buffer | readonly string[]>): Credential {
  const response = Object.fromEntries(
    Object.entries(parts).map(([name, part]) => [
      name,
      Buffer.isBuffer(part) ? part.toString('base64url') : part,
    ]),
  )
  const text = id.toString('base64url')
  const json = { id: text, rawId: text, type: 'public-key', response, clientExtensionResults: {} }
  return { ...json, toJSON: () => json }
}

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest()

/** CBOR (RFC 8949) of what an attestation is made of. */
function encode(value: unknown): Buffer {
  if (typeof value === 'number') return value < 0 ? head(1, -1 - value) : head(0, value)
  if (Buffer.isBuffer(value)) return Buffer.concat([head(2, value.length), value])
  if (typeof value === 'string') return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)])
  if (Array.isArray(value)) return Buffer.concat([head(4, value.length), ...value.map(encode)])
  if (value instanceof Map) {
    const entries = [...(value as Map<unknown, unknown>)].flat().map(encode)
    return Buffer.concat([head(5, value.size), ...entries])
  }
  throw new Error(`cannot encode ${typeof value}`)
}

function head(kind: number, size: number): Buffer {
  if (size < 24) return Buffer.from([(kind << 5) | size])
  if (size < 256) return Buffer.from([(kind << 5) | 24, size])
  return Buffer.from([(kind << 5) | 25, size >> 8, size & 255])
}
