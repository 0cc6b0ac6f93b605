import type { Instance } from '@ingot/contracts/instances'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { toast } from '../../ui/toast.ts'
import { api } from '../shell/api.ts'
import { type ActionText, endedText, refusedText } from './action-text.ts'
import { instanceQuery } from './queries.ts'
import { useWallet } from '../wallet/wallet.tsx'

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
  const { id } = instance
  const action = ({ needsFunds }: ActionText) =>
    needsFunds ? { action: { label: 'Add funds', onClick: () => wallet.addFunds() } } : undefined

  const failed = (act: 'start' | 'stop' | 'restart') => (error: unknown) => {
    const said = refusedText(act, error)
    toast.error(said.text, action(said))
  }
  const ended = (act: 'Stopping' | 'Restarting') => (answer: Instance) => {
    keep(answer)
    const said = endedText(act, answer)
    toast[said.needsFunds ? 'warning' : 'info'](said.text, action(said))
  }

  const start = useMutation({
    mutationFn: () => api.instances.start({ id }),
    onSuccess: keep,
    onError: failed('start'),
  })
  const stop = useMutation({
    mutationFn: () => api.instances.stop({ id }),
    onSuccess: ended('Stopping'),
    onError: failed('stop'),
  })
  const restart = useMutation({
    mutationFn: () => api.instances.restart({ id }),
    onSuccess: ended('Restarting'),
    onError: failed('restart'),
  })
  return { start, stop, restart }
}
