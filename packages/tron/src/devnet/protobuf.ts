/**
 * The two wire types of protobuf that transactions and block headers use. Fields with their default value are left
 * out, as proto3 does, so that equal content gives equal bytes and so the same id.
 */
import { concatBytes } from '@noble/hashes/utils.js'

export type WireValue = bigint | Uint8Array

/** Fields in the order given; canonical encoders give them by number. */
export function encodeMessage(fields: readonly (readonly [number: number, value: WireValue])[]): Uint8Array {
  const parts: Uint8Array[] = []
  for (const [number, value] of fields) {
    if (typeof value === 'bigint') {
      if (value !== 0n) parts.push(varint(BigInt(number << 3)), varint(value))
    } else if (value.length > 0) {
      parts.push(varint(BigInt((number << 3) | 2)), varint(BigInt(value.length)), value)
    }
  }
  return concatBytes(...parts)
}

/** Every field with its values in order. Throws RangeError on bytes that are no message of those two types. */
export function decodeMessage(bytes: Uint8Array): Map<number, WireValue[]> {
  const fields = new Map<number, WireValue[]>()
  let offset = 0
  const readVarint = (): bigint => {
    let value = 0n
    for (let shift = 0n; shift < 64n; shift += 7n) {
      const byte = bytes[offset++]
      if (byte === undefined) break
      value |= BigInt(byte & 0x7f) << shift
      if (byte < 0x80) return value
    }
    throw new RangeError('not a protobuf message')
  }
  while (offset < bytes.length) {
    const tag = Number(readVarint())
    const values = fields.get(tag >> 3) ?? []
    fields.set(tag >> 3, values)
    if ((tag & 7) === 0) {
      values.push(readVarint())
    } else if ((tag & 7) === 2) {
      const length = Number(readVarint())
      if (offset + length > bytes.length) throw new RangeError('not a protobuf message')
      values.push(bytes.subarray(offset, offset + length))
      offset += length
    } else throw new RangeError('not a protobuf message')
  }
  return fields
}

function varint(value: bigint): Uint8Array {
  if (value < 0n || value >= 1n << 64n) throw new RangeError('not a protobuf integer')
  const bytes: number[] = []
  for (let rest = value; ; rest >>= 7n) {
    const low = Number(rest & 0x7fn)
    if (rest < 0x80n) {
      bytes.push(low)
      return Uint8Array.from(bytes)
    }
    bytes.push(low | 0x80)
  }
}
