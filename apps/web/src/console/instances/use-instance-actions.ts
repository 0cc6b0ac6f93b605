import { IngotError } from '@ingot/contracts/errors'
import type { Instance } from '@ingot/contracts/instances'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { toast } from '../../ui/toast.ts'
import { api } from '../shell/api.ts'
import { instanceQuery } from './queries.ts'
import { useWallet } from '../wallet/wallet.tsx'
import { errorText } from '../shell/error-text.ts'

interface ListPage {
  readonly items: readonly Instance[]
}

/** Shows what the server answered at once, wherever the instance is on screen, and asks for the rest again. */
export function useKeepInstance(): (instance: Instance) => void {
  const client = useQueryClient()
  return instance => {
    client.setQueryData(instanceQuery(instance.id).queryKey, instance)
    client.setQueriesData<ListPage>(
      { queryKey: ['instances', 'list'] },
      page => page && { ...page, items: page.items.map(each => (each.id === instance.id ? instance : each)) },
    )
    void client.invalidateQueries({ queryKey: ['instances', 'list'] })
    // Fewer than `changedBy.instance`: the catalogue's stock follows when the fact comes by the stream.
    for (const noun of ['wallet', 'billing', 'activity']) void client.invalidateQueries({ queryKey: [noun] })
  }
}

/** Start, stop and restart of one instance. The state shown afterwards is the server's, never a guess. */
export function useInstanceActions(instance: Instance) {
  const keep = useKeepInstance()
  const wallet = useWallet()
  const { id, name } = instance
  const addFunds = { label: 'Add funds', onClick: () => wallet.addFunds() }

  const failed = (act: string) => (error: unknown) => {
    // Nothing is owed: money for the next ten minutes is missing, and the server says how much.
    if (error instanceof IngotError && error.code === 'insufficient_funds')
      toast.error(errorText(error), { action: addFunds })
    else toast.error(`Failed to ${act} instance: ${errorText(error)}`)
  }
  /** The wallet ran dry before it was asked for: the server says in the specification's words what nobody paid. */
  const kept = (answer: Instance, text: string) => {
    keep(answer)
    if (answer.status_reason === 'balance_empty' && answer.status_message)
      toast.warning(answer.status_message, { action: addFunds })
    else toast.info(text)
  }

  const start = useMutation({
    mutationFn: () => api.instances.start({ id }),
    onSuccess: keep,
    onError: failed('start'),
  })
  const stop = useMutation({
    mutationFn: () => api.instances.stop({ id }),
    onSuccess: stopped => kept(stopped, `Stopping ${name}.`),
    onError: failed('stop'),
  })
  const restart = useMutation({
    mutationFn: () => api.instances.restart({ id }),
    onSuccess: restarted => kept(restarted, `Restarting ${name}.`),
    onError: failed('restart'),
  })
  return { start, stop, restart }
}
