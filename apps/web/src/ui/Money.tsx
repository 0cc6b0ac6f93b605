import { formatMoney, isWholeCents } from './format.ts'

interface MoneyProps {
  /** The wire's decimal string, such as `"0.750000"`. */
  readonly value: string
  /** Written behind a slash: `h` gives $0.75/h. */
  readonly per?: string
  /** Six decimals: every digit the service keeps. */
  readonly exact?: boolean
  readonly wholeDollars?: boolean
}

/** An amount, in figures of one width. Where two decimals hide something, pointing at it shows all six. */
export function Money({ value, per, exact = false, wholeDollars = false }: MoneyProps) {
  const hidden = !exact && !isWholeCents(value)
  return (
    <span className="tabular-nums" title={hidden ? formatMoney(value, { decimals: 6 }) : undefined}>
      {formatMoney(value, { decimals: exact ? 6 : 2, wholeDollars })}
      {per && `/${per}`}
    </span>
  )
}
