import type { AtLimit, Budget } from '@ingot/contracts/budgets'
import { IngotError } from '@ingot/contracts/errors'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { Band } from '../../ui/Band.tsx'
import { Button } from '../../ui/Button.tsx'
import { Field } from '../../ui/Field.tsx'
import { formatMoney } from '../../ui/format.ts'
import { Input } from '../../ui/Input.tsx'
import { toast } from '../../ui/toast.ts'
import { api } from '../shell/api.ts'
import { errorText } from '../shell/error-text.ts'
import { useOfflineReason } from '../shell/online.ts'
import { AtLimitChoice } from './AtLimitChoice.tsx'
import { limitError, limitOf } from './budget-text.ts'
import { budgetsQuery } from './queries.ts'
import { CopyCall } from '../shell/CopyCall.tsx'

interface BudgetFormProps {
  /** Null: the account's. */
  readonly instanceId: string | null
  readonly present: Budget | null
  readonly onClose: () => void
}

/** Sets one budget, changes it or removes it. */
export function BudgetForm({ instanceId, present, onClose }: BudgetFormProps) {
  const client = useQueryClient()
  const offline = useOfflineReason()
  const [typed, setTyped] = useState(present ? formatMoney(present.limit).slice(1) : '')
  const [atLimit, setAtLimit] = useState<AtLimit>(present?.at_limit ?? 'stop')
  const [problem, setProblem] = useState<string | null>(null)

  const save = useMutation({
    mutationFn: (limit: string | null) =>
      api.budgets.set({ instance_id: instanceId, limit, at_limit: atLimit }),
    onSuccess: (budgets, limit) => {
      client.setQueryData(budgetsQuery.queryKey, budgets)
      for (const noun of ['instances', 'wallet', 'billing'])
        void client.invalidateQueries({ queryKey: [noun] })
      toast.success(limit === null ? 'Budget removed' : 'Budget saved')
      onClose()
    },
    onError: error => {
      const field = error instanceof IngotError ? error.fields?.['limit'] : undefined
      if (field) setProblem(`A budget ${field}`)
    },
  })

  const submit = (event: FormEvent) => {
    event.preventDefault()
    const wrong = limitError(typed)
    setProblem(wrong)
    if (!wrong) save.mutate(limitOf(typed))
  }

  return (
    <form onSubmit={submit} noValidate className="flex flex-col gap-4">
      <Field
        label="Budget in dollars"
        required
        error={problem}
        hint={
          instanceId
            ? 'Of all that this instance costs over its life, deploy charge included. An upfront payment counts when it is paid.'
            : 'Of all that your instances and storage cost in a month (UTC). An upfront payment counts when it is paid.'
        }
      >
        <Input
          value={typed}
          inputMode="decimal"
          autoComplete="off"
          placeholder="50.00"
          maxLength={16}
          onChange={event => {
            setTyped(event.target.value)
            setProblem(null)
          }}
        />
      </Field>
      <AtLimitChoice value={atLimit} onValueChange={setAtLimit} />
      {save.error && !problem && <Band tone="danger">{errorText(save.error)}</Band>}
      <div className="flex flex-wrap justify-end gap-2">
        {present && (
          <Button
            variant="ghost"
            className="mr-auto"
            disabledReason={offline}
            busy={save.isPending && save.variables === null}
            onClick={() => save.mutate(null)}
          >
            Remove the budget
          </Button>
        )}
        <CopyCall
          call="budgets.set"
          values={{
            instance_id: instanceId,
            limit: limitError(typed) ? null : limitOf(typed),
            at_limit: atLimit,
          }}
        />
        <Button onClick={onClose}>Cancel</Button>
        <Button
          type="submit"
          variant="primary"
          busy={save.isPending && save.variables !== null}
          disabledReason={offline}
        >
          Save budget
        </Button>
      </div>
    </form>
  )
}
