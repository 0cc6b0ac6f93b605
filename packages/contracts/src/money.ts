/**
 * Money is a bigint of micro-USD (one USDT base unit is one micro-USD) inside the product and a decimal string
 * with six places on the wire. Nothing here touches floating point: a number never stands for money.
 */
import * as z from 'zod/mini'

/** Micro-USD: 1_000_000n is one dollar. */
export type Micro = bigint

export const MICRO_PER_USD = 1_000_000n
const DECIMALS = 6

/** `"0.750000"`: what every amount looks like in a response. */
export const usd = z.string().check(z.regex(/^-?[0-9]{1,13}\.[0-9]{6}$/))

/** `"0.75"` → `750000n`. Throws RangeError on anything that is not a plain decimal of at most six places. */
export function parseUsd(text: string): Micro {
  const match = /^(-?)(\d{1,13})(?:\.(\d{1,6}))?$/.exec(text)
  if (!match) throw new RangeError(`not a USD amount: ${JSON.stringify(text.slice(0, 40))}`)
  const micro = BigInt(match[2]!) * MICRO_PER_USD + BigInt((match[3] ?? '').padEnd(DECIMALS, '0'))
  return match[1] ? -micro : micro
}

/** `750000n` → `"0.750000"`. The inverse of `parseUsd`. */
export function formatUsd(micro: Micro): string {
  const digits = (micro < 0n ? -micro : micro).toString().padStart(DECIMALS + 1, '0')
  return `${micro < 0n ? '-' : ''}${digits.slice(0, -DECIMALS)}.${digits.slice(-DECIMALS)}`
}

/** `numerator / denominator` to the nearest integer, halves to even. Both positive. */
export function divideHalfEven(numerator: bigint, denominator: bigint): bigint {
  const quotient = numerator / denominator
  const twice = (numerator % denominator) * 2n
  if (twice < denominator) return quotient
  if (twice > denominator) return quotient + 1n
  return quotient % 2n === 0n ? quotient : quotient + 1n
}

/** For the one field that the specification gives as a JSON number: shown to a person, never computed with. */
export const displayAmount = (micro: Micro): number => Number(formatUsd(micro))
