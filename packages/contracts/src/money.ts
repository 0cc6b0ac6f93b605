/**
 * Money is a bigint of micro-USD (one USDT base unit is one micro-USD) inside the product and a decimal string
 * with six places on the wire. Nothing here touches floating point: a number never stands for money.
 */

/** Micro-USD: 1_000_000n is one dollar. */
export type Micro = bigint

export const MICRO_PER_USD = 1_000_000n
const DECIMALS = 6

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

const cent = MICRO_PER_USD / 100n

/**
 * Where a person reads it: `0.754321` → `"0.75"`. An amount below one cent shows every digit it has, because `0.00` would
 * deny it. What must be there is rounded up and what is left is rounded down, so that no sentence promises too much.
 */
export function amountText(micro: Micro, rounding: 'nearest' | 'up' | 'down' = 'nearest'): string {
  if (micro < 0n) return `-${amountText(-micro, rounding)}`
  if (micro > 0n && micro < cent) return formatUsd(micro).replace(/0+$/, '')
  const cents =
    rounding === 'nearest'
      ? divideHalfEven(micro, cent)
      : (micro + (rounding === 'up' ? cent - 1n : 0n)) / cent
  return formatUsd(cents * cent).slice(0, -4)
}

/** The same with its sign: `"$0.75"`. */
export const moneyText = (micro: Micro, rounding?: 'nearest' | 'up' | 'down'): string =>
  amountText(micro, rounding).replace(/^-?/, '$&$$')

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
