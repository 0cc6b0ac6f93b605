import type { Instance } from '@ingot/contracts/instances'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { toast } from '../../ui/toast.ts'
import { api } from '../shell/api.ts'
import { errorText } from '../shell/error-text.ts'
import { IngotError } from '@ingot/contracts/errors'
import { type ActionText, endedText, refusedText } from './action-text.ts'
import { queuedText } from './queue-text.ts'
import { instanceQuery } from './queries.ts'
import { useWallet } from '../wallet/wallet.tsx'

interface ListPage {
  readonly items: readonly Instance[]
}

/** Shows what the server answered at once, wherever the instance is on screen, and asks for the rest again. */
export function useKeepInstance(): (instance: Instance) => void {
  const { show, refresh } = useKeepInstances()
  return instance => {
    show(instance)
    refresh()
  }
}

/** The same apart: after many answers the rest is asked for once. */
export function useKeepInstances() {
  const client = useQueryClient()
  return {
    show(instance: Instance): void {
      client.setQueryData(instanceQuery(instance.id).queryKey, instance)
      client.setQueriesData<ListPage>(
        { queryKey: ['instances', 'list'] },
        page =>
          page && { ...page, items: page.items.map(each => (each.id === instance.id ? instance : each)) },
      )
    },
    refresh(): void {
      void client.invalidateQueries({ queryKey: ['instances', 'list'] })
      // Fewer than `changedBy.instance`: the catalogue's stock follows when the fact comes by the stream.
      for (const noun of ['wallet', 'billing', 'activity'])
        void client.invalidateQueries({ queryKey: [noun] })
    },
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
    // Whoever offers to wait for a place says so.
    onError: error => (isFull(error) && !instance.queue ? undefined : failed('start')(error)),
  })
  const queue = useMutation({
    mutationFn: () => api.instances.start({ id, when_full: 'queue' }),
    onSuccess: answer => {
      keep(answer)
      toast.info(queuedText(answer))
    },
  })
  const leave = useMutation({
    mutationFn: () => api.instances.leaveQueue({ id }),
    onSuccess: answer => {
      keep(answer)
      toast.info(`${answer.name} left the queue. What was set aside is in your balance again.`)
    },
    onError: error => toast.error(`Failed to leave the queue: ${errorText(error)}`),
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
  return { start, queue, leave, stop, restart }
}

export const isFull = (error: unknown): boolean => error instanceof IngotError && error.code === 'no_capacity'
