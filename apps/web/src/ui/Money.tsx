import { formatMoney, isWholeCents } from './format.ts'

interface MoneyProps {
  /** The wire's decimal string, such as `"0.750000"`. */
  readonly value: string
  /** Written behind a slash: `h` gives $0.75/h. */
  readonly per?: string
  /** A price of something that is counted, which shows all its digits. With `per` it is one anyway. */
  readonly rate?: boolean
  /** Six decimals: every digit the service keeps. */
  readonly exact?: boolean
  readonly wholeDollars?: boolean
}

/** An amount, in figures of one width. Where two decimals hide something, pointing at it shows all six. */
export function Money({ value, per, rate = false, exact = false, wholeDollars = false }: MoneyProps) {
  const decimals = exact ? 6 : rate || per ? 'all' : 2
  const text = formatMoney(value, { decimals, wholeDollars })
  const hidden = decimals === 2 && !isWholeCents(value)
  return (
    <span className="tabular-nums" title={hidden ? formatMoney(value, { decimals: 6 }) : undefined}>
      {text}
      {per && `/${per}`}
    </span>
  )
}
