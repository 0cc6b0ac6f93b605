import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Band } from '../../ui/Band.tsx'
import { usedText } from './budget-text.ts'
import { budgetsQuery } from './queries.ts'

const named = 3

/** Budgets that are used up: nothing while there are none. */
export function BudgetsReached() {
  const { data } = useQuery(budgetsQuery)
  const account = data?.account && data.account.used_percent >= 100 ? data.account : null
  const instances = (data?.instances ?? []).filter(({ used_percent }) => used_percent >= 100)
  if (!account && instances.length === 0) return null
  const names = instances.slice(0, named).map(({ name }) => `“${name}”`)
  const more = instances.length - named
  return (
    <Band
      tone="warn"
      action={
        <Link to="/console/billing" className="min-h-6 underline">
          See the budgets
        </Link>
      }
    >
      {account && `The account's budget for this month is used up: ${usedText(account)}. `}
      {names.length > 0 &&
        `${names.length === 1 && more <= 0 ? 'The budget' : 'The budgets'} of ${names.join(', ')}${more > 0 ? ` and ${more} more` : ''} ${names.length === 1 && more <= 0 ? 'is' : 'are'} used up.`}
    </Band>
  )
}
