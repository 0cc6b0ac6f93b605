import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../../ui/Button.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { QueryView } from '../shell/QueryView.tsx'
import { BudgetBar } from './BudgetBar.tsx'
import { BudgetForm } from './BudgetForm.tsx'
import { budgetsQuery } from './queries.ts'

/** What one instance may cost over its life. */
export function InstanceBudget({ id, name }: { readonly id: string; readonly name: string }) {
  const budgets = useQuery(budgetsQuery)
  const [isEditing, setIsEditing] = useState(false)
  return (
    <section aria-labelledby="budget">
      <h3 id="budget" className="pb-1 text-heading">
        Budget
      </h3>
      <QueryView
        query={budgets}
        failed="The budget could not be loaded"
        consequence="It holds all the same."
        skeleton={<Skeleton className="h-12" />}
      >
        {({ instances }) => {
          const present = instances.find(({ instance_id }) => instance_id === id) ?? null
          if (isEditing)
            return <BudgetForm instanceId={id} present={present} onClose={() => setIsEditing(false)} />
          return (
            <div className="flex flex-col items-start gap-2">
              {present ? (
                <div className="w-full">
                  <BudgetBar budget={present} label={`Budget of ${name}`} />
                </div>
              ) : (
                <p className="text-muted">It has none: it may cost what your balance covers.</p>
              )}
              <Button onClick={() => setIsEditing(true)}>
                {present ? 'Change its budget' : 'Set a budget'}
              </Button>
            </div>
          )
        }}
      </QueryView>
    </section>
  )
}
