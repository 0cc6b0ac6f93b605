import type { Budget } from '@ingot/contracts/budgets'
import { Progress } from '../../ui/Progress.tsx'
import { endText, usedText } from './budget-text.ts'

/** How much of a budget is used: the figures, a bar, and what happens at its end. */
export function BudgetBar({ budget, label }: { readonly budget: Budget; readonly label: string }) {
  const isUsedUp = budget.used_percent >= 100
  return (
    <div className="flex min-w-0 flex-col gap-1">
      <p className={isUsedUp ? 'font-medium text-warn' : 'font-medium'}>{usedText(budget)}</p>
      <Progress label={`${label}: used`} value={Math.min(100, budget.used_percent)} max={100} />
      <p className="text-label font-normal text-muted">{endText(budget)}</p>
    </div>
  )
}
