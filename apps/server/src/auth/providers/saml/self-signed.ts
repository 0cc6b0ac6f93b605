/**
 * An X.509 certificate for a key of our own (RFC 5280, in DER). SAML publishes keys in certificates and looks at
 * nothing but the key in them, so this one says nothing else. The same key always gives the same certificate.
 */
import { createHash, createPublicKey, type KeyObject, sign } from 'node:crypto'

const tag = {
  integer: 0x02,
  bits: 0x03,
  nothing: 0x05,
  id: 0x06,
  text: 0x0c,
  time: 0x18,
  list: 0x30,
  set: 0x31,
}

function der(kind: number, ...parts: readonly Uint8Array[]): Buffer {
  const body = Buffer.concat(parts)
  const size = body.length
  const length = size < 0x80 ? [size] : size < 0x100 ? [0x81, size] : [0x82, size >> 8, size & 0xff]
  return Buffer.concat([Buffer.from([kind, ...length]), body])
}

/** sha256WithRSAEncryption, 1.2.840.113549.1.1.11 */
const algorithm = der(tag.list, der(tag.id, Buffer.from('2a864886f70d01010b', 'hex')), der(tag.nothing))
const commonName = Buffer.from('550403', 'hex')
const version3 = der(0xa0, der(tag.integer, Buffer.from([2])))

export function selfSigned(privateKey: KeyObject, name: string): string {
  const publicKey = createPublicKey(privateKey).export({ type: 'spki', format: 'der' })
  const serial = createHash('sha256').update(publicKey).digest().subarray(0, 16)
  serial[0] = (serial[0]! & 0x7f) | 0x40
  const who = der(
    tag.list,
    der(tag.set, der(tag.list, der(tag.id, commonName), der(tag.text, Buffer.from(name)))),
  )
  const time = (text: string) => der(tag.time, Buffer.from(text))
  const body = der(
    tag.list,
    version3,
    der(tag.integer, serial),
    algorithm,
    who,
    der(tag.list, time('20200101000000Z'), time('99991231235959Z')),
    who,
    publicKey,
  )
  const signature = Buffer.concat([Buffer.from([0]), sign('sha256', body, privateKey)])
  const base64 = der(tag.list, body, algorithm, der(tag.bits, signature)).toString('base64')
  return `-----BEGIN CERTIFICATE-----\n${base64.match(/.{1,64}/g)!.join('\n')}\n-----END CERTIFICATE-----\n`
}
