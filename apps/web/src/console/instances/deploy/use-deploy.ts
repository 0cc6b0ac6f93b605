/**
 * Sends the deploy with the price that was shown. A retry of the same choices carries the same idempotency key, so a
 * press after a cut connection cannot buy twice.
 */
import { changedBy } from '@ingot/contracts/events'
import type { Quote } from '@ingot/contracts/instance-costs'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { toast } from '../../../ui/toast.ts'
import { api } from '../../shell/api.ts'
import { useSameKey } from '../../shell/use-same-key.ts'
import { budgetsQuery } from '../../budgets/queries.ts'
import { walletQuery } from '../../wallet/queries.ts'
import { autoShutdownInput } from '../auto-shutdown.ts'
import { queuedText } from '../queue-text.ts'
import { termEndInput } from './deploy-command.ts'
import { type DeployFailure, failureOf, successText } from './deploy-outcome.ts'
import { budgetInputOf, type DeployChoices } from './deploy-search.ts'
import { type GivenSecrets, secretsInput } from './given-secrets.ts'

interface Sending {
  readonly templateId: string
  readonly templateKey: string | undefined
  readonly given: GivenSecrets
  readonly env: Readonly<Record<string, string>>
  readonly choices: DeployChoices
  /** As it stood on the screen. */
  readonly quote: Quote
  /** The button offered to wait for a place. */
  readonly queues: boolean
}

export function useDeploy(onDone: () => void, onFailed: (failure: DeployFailure) => void) {
  const client = useQueryClient()
  const sameKey = useSameKey()
  const [failure, setFailure] = useState<DeployFailure | null>(null)

  const mutation = useMutation({
    mutationFn: ({ templateId, templateKey, given, env, choices, quote, queues }: Sending) => {
      const {
        auto_shutdown,
        on_term_end,
        budget: _budget,
        budget_at: _at,
        ssh_keys,
        ports,
        ...configuration
      } = choices
      const input = {
        ...configuration,
        ...autoShutdownInput(auto_shutdown),
        ...termEndInput({ on_term_end, billing_period: choices.billing_period }),
        ...budgetInputOf(choices),
        ...(ssh_keys && { ssh_key_ids: [...ssh_keys] }),
        name: choices.name.trim(),
        template_id: templateId,
        ...(templateKey && { template_key: templateKey }),
        ...(ports?.length ? { ports: [...ports] } : {}),
        ...(Object.keys(env).length > 0 ? { env } : {}),
        ...secretsInput(given),
        ...quote,
        ...(queues ? { when_full: 'queue' as const } : {}),
      }
      return api.instances.create(input, sameKey(input))
    },
    onMutate: () => setFailure(null),
    onSuccess: (made, { choices, quote }) => {
      for (const noun of changedBy.instance) void client.invalidateQueries({ queryKey: [noun] })
      if (made.queue) toast.info(queuedText(made))
      else toast.success(successText(choices.billing_period, quote.quoted_total))
      onDone()
    },
    onError: async (error, { quote }) => {
      const failed = failureOf(error, quote)
      // What it was refused for is fetched afresh before it is shown, so that the screen shows the new figures with it.
      if (['price_changed', 'no_capacity', 'hardware_not_offered'].includes(failed.code ?? ''))
        await client.refetchQueries({ queryKey: ['catalog'] })
      if (failed.code === 'budget_exceeded') await client.refetchQueries(budgetsQuery)
      if (failed.code === 'insufficient_funds') await client.refetchQueries(walletQuery)
      setFailure(failed)
      onFailed(failed)
    },
  })
  return { deploy: mutation.mutate, busy: mutation.isPending, failure }
}
