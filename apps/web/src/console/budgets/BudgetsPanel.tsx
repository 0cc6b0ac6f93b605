import type { InstanceBudget } from '@ingot/contracts/budgets'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { Button } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { formatDate } from '../../ui/format.ts'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { QueryView } from '../shell/QueryView.tsx'
import { BudgetBar } from './BudgetBar.tsx'
import { BudgetForm } from './BudgetForm.tsx'
import { budgetsQuery } from './queries.ts'

/** Those of which most is used. */
const shown = 6

/** The budget of the account, and those of instances. */
export function BudgetsPanel() {
  const budgets = useQuery(budgetsQuery)
  const [isOpen, setIsOpen] = useState(false)
  const close = () => setIsOpen(false)
  return (
    <section
      aria-labelledby="budgets"
      className="grid gap-x-8 gap-y-4 rounded-panel border border-line bg-raised p-4 lg:grid-cols-2"
    >
      <QueryView
        query={budgets}
        failed="The budgets could not be loaded"
        consequence="They hold all the same."
        skeleton={<Skeleton className="h-24" />}
      >
        {({ account, instances }) => (
          <>
            <div className="flex min-w-0 flex-col items-start gap-2">
              <h2 id="budgets" className="text-heading">
                Budgets
              </h2>
              {account ? (
                <div className="flex w-full flex-col gap-1">
                  <p className="text-muted">
                    The account, from {formatDate(new Date(account.period_start), 'UTC')} to the end of the
                    month, UTC
                  </p>
                  <BudgetBar budget={account} label="Budget of the account" />
                </div>
              ) : (
                <p className="text-muted">
                  The account has no budget. With one you are told at 50, 80 and 100 percent of what you want
                  to spend in a month, and what draws on it can stop there.
                </p>
              )}
              <Button onClick={() => setIsOpen(true)}>
                {account ? 'Change the budget' : 'Set a budget'}
              </Button>
              <Dialog open={isOpen} onOpenChange={setIsOpen} title="Budget of the account">
                <BudgetForm instanceId={null} present={account} onClose={close} />
              </Dialog>
            </div>
            <div className="flex min-w-0 flex-col gap-2 border-line max-lg:border-t max-lg:pt-4 lg:border-l lg:pl-8">
              <h3 className="text-heading">Of instances</h3>
              {instances.length === 0 ? (
                <p className="text-muted">
                  None. An instance gets a budget over its life in its details, or when it is deployed.
                </p>
              ) : (
                <ul className="flex flex-col gap-4">
                  {instances.slice(0, shown).map(each => (
                    <InstanceBudgetLine key={each.instance_id} budget={each} />
                  ))}
                  {instances.length > shown && (
                    <li className="text-muted">
                      And {instances.length - shown} of which less is used: in their instances' details.
                    </li>
                  )}
                </ul>
              )}
            </div>
          </>
        )}
      </QueryView>
    </section>
  )
}

function InstanceBudgetLine({ budget }: { readonly budget: InstanceBudget }) {
  return (
    <li className="flex flex-col gap-1">
      <Link
        to="/console/instances"
        search={{ dialog: 'details', instance: budget.instance_id }}
        className="w-fit max-w-full truncate underline"
      >
        {budget.name}
      </Link>
      <BudgetBar budget={budget} label={`Budget of ${budget.name}`} />
    </li>
  )
}
