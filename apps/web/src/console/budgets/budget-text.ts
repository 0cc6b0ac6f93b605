/** Budgets in words. */
import { type AtLimit, type Budget, budgetProblem } from '@ingot/contracts/budgets'
import { formatMoney } from '../../ui/format.ts'

/** As a person types it: `$1,500`. A comma that parts no thousands stays, and is refused: `5,50` may be 5.50 or 550. */
export function limitOf(typed: string): string {
  const text = typed.trim().replace(/^\$/, '')
  return /^\d{1,3}(,\d{3})+(\.|$)/.test(text) ? text.replaceAll(',', '') : text
}

/** What is wrong with what is typed; null: nothing. */
export function limitError(typed: string): string | null {
  const problem = budgetProblem(limitOf(typed))
  return problem && `A budget ${problem}`
}

export const atLimitWords: Record<AtLimit, string> = {
  stop: 'Stop what draws on it',
  warn: 'Only tell me',
}

/** `$12.40 of $50.00 used, 24%`. */
export const usedText = ({ spent, limit, used_percent }: Budget): string =>
  `${formatMoney(spent)} of ${formatMoney(limit)} used, ${used_percent}%`

/** What happens at its end, or has happened. */
export function endText({ at_limit, reached_at, left }: Budget): string {
  if (reached_at && Number(left) < 0.01)
    return at_limit === 'stop'
      ? 'Used up: nothing starts that draws on it.'
      : 'Used up. It only warns: nothing stops.'
  return at_limit === 'stop'
    ? 'When it is used up, what draws on it stops. Disks are kept.'
    : 'When it is used up, you are told. Nothing stops.'
}
