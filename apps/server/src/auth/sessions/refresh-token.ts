/**
 * Refresh tokens: base64url(0 ‖ session id ‖ counter as uvarint ‖ 16 bytes of HMAC-SHA-256 ‖ 4 bytes of SHA-256). The
 * key is the session's own, derived from the service's secret, so a token cannot be made from a copy of the database,
 * and a forged one is turned away before it costs a query. The checksum tells it from a typing error.
 */
import { createHmac, hash, type KeyObject, timingSafeEqual } from 'node:crypto'
import type { Vault } from '../../vault.ts'

export interface RefreshToken {
  readonly sessionId: string
  readonly counter: bigint
  /** What the MAC is over. */
  readonly signed: Buffer
  readonly mac: Buffer
}

const version = 0
const idBytes = 16
const macBytes = 16
const checksumBytes = 4
const counterBytes = 9 // of a positive bigint
const minBytes = 1 + idBytes + 1 + macBytes + checksumBytes
const maxBytes = minBytes + counterBytes - 1

export const refreshKeyOf = (vault: Vault, sessionId: string): KeyObject =>
  vault.derive(`session:${sessionId}`)

export function encodeRefreshToken(sessionId: string, counter: bigint, key: KeyObject): string {
  const signed = Buffer.concat([
    Buffer.from([version]),
    Buffer.from(sessionId.replaceAll('-', ''), 'hex'),
    encodeUvarint(counter),
  ])
  const body = Buffer.concat([signed, macOf(signed, key)])
  return Buffer.concat([body, checksumOf(body)]).toString('base64url')
}

/** Null for anything that was never one. Only the session's key can tell whether it is genuine. */
export function parseRefreshToken(text: string): RefreshToken | null {
  const bytes = Buffer.from(text, 'base64url')
  // The decoder skips what it does not know; a token has one spelling.
  if (bytes.length < minBytes || bytes.length > maxBytes || bytes.toString('base64url') !== text) return null
  const body = bytes.subarray(0, -checksumBytes)
  if (bytes[0] !== version || !checksumOf(body).equals(bytes.subarray(-checksumBytes))) return null
  const signed = body.subarray(0, -macBytes)
  const counter = decodeUvarint(signed.subarray(1 + idBytes))
  if (counter === null) return null
  const hex = signed.subarray(1, 1 + idBytes).toString('hex')
  return {
    sessionId: hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5'),
    counter,
    signed,
    mac: body.subarray(-macBytes),
  }
}

export const isGenuine = (token: RefreshToken, key: KeyObject): boolean =>
  timingSafeEqual(macOf(token.signed, key), token.mac)

const macOf = (signed: Buffer, key: KeyObject): Buffer =>
  createHmac('sha256', key).update(signed).digest().subarray(0, macBytes)
const checksumOf = (body: Buffer): Buffer => hash('sha256', body, 'buffer').subarray(0, checksumBytes)

function encodeUvarint(value: bigint): Buffer {
  const bytes: number[] = []
  for (; value >= 0x80n; value >>= 7n) bytes.push(Number(value & 0x7fn) | 0x80)
  bytes.push(Number(value))
  return Buffer.from(bytes)
}

function decodeUvarint(bytes: Buffer): bigint | null {
  let value = 0n
  for (const [i, byte] of bytes.entries()) {
    value |= BigInt(byte & 0x7f) << BigInt(7 * i)
    if (byte < 0x80) return i === bytes.length - 1 ? value : null
  }
  return null
}
