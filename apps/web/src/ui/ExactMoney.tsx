import { formatMoney } from './format.ts'

/**
 * Every digit of an amount, in a column whose points stand under one another. Digits below a cent are set back;
 * where there are none their place stays empty.
 */
export function ExactMoney({ value }: { readonly value: string }) {
  const text = formatMoney(value, { decimals: 6 })
  const [cents, rest] = [text.slice(0, -4), text.slice(-4)]
  return (
    <span className="tabular-nums whitespace-nowrap">
      {cents}
      {rest === '0000' ? (
        <span aria-hidden className="invisible max-sm:hidden">
          {rest}
        </span>
      ) : (
        <span className="text-muted">{rest}</span>
      )}
    </span>
  )
}
