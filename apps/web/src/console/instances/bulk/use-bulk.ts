/**
 * One act on several instances: a few calls at a time, each with a key of its own that a retry carries again, so that
 * nothing happens twice. What failed keeps its reason until it is tried again or put away.
 */
import { IngotError } from '@ingot/contracts/errors'
import type { Instance } from '@ingot/contracts/instances'
import { useRef, useState } from 'react'
import { api } from '../../shell/api.ts'
import { errorText } from '../../shell/error-text.ts'
import { endedText } from '../action-text.ts'
import { type AutoShutdownChoice, autoShutdownInput } from '../auto-shutdown.ts'
import { useKeepInstances } from '../use-instance-actions.ts'
import type { BulkAct } from './bulk-text.ts'
import { runAll } from './run-all.ts'

const atOnce = 4

export type BulkOrder =
  | { readonly act: Exclude<BulkAct, 'snooze' | 'autoShutdown'> }
  | { readonly act: 'snooze'; readonly until: string }
  | { readonly act: 'autoShutdown'; readonly choice: AutoShutdownChoice | 'before' }

interface Failed {
  readonly instance: Instance
  readonly text: string
  /** No place is free: it may wait for one. */
  readonly isFull: boolean
  /** What is tried again. */
  readonly order: BulkOrder
}

export interface BulkRun {
  readonly order: BulkOrder
  readonly total: number
  readonly isOver: boolean
  /** As they were before. */
  readonly done: readonly Instance[]
  /** What the server said of one that was done, beside that it was. */
  readonly notes: readonly { readonly id: string; readonly text: string }[]
  readonly failed: readonly Failed[]
}

async function send(order: BulkOrder, instance: Instance, key: string): Promise<Instance | null> {
  const { id } = instance
  const options = { idempotencyKey: key }
  switch (order.act) {
    case 'start':
      return api.instances.start({ id }, options)
    case 'queue':
      return api.instances.start({ id, when_full: 'queue' }, options)
    case 'stop':
      return api.instances.stop({ id }, options)
    case 'restart':
      return api.instances.restart({ id }, options)
    case 'delete':
      return api.instances.delete({ id }, options)
    case 'snooze':
      await api.instances.snooze({ id, until: order.until }, options)
      return null
    case 'endSnooze':
      await api.instances.endSnooze({ id }, options)
      return null
    case 'autoShutdown':
      return api.instances.update({ id, ...autoShutdownInput(chosen(order.choice, instance)) }, options)
  }
}

const chosen = (choice: AutoShutdownChoice | 'before', before: Instance): AutoShutdownChoice =>
  choice !== 'before'
    ? choice
    : before.auto_shutdown_enabled
      ? (before.auto_shutdown_minutes as AutoShutdownChoice)
      : 'off'

const noteOf = (order: BulkOrder, answer: Instance | null): string | null => {
  if (answer === null || (order.act !== 'stop' && order.act !== 'restart')) return null
  const said = endedText('Stopping', answer)
  return said.needsFunds || answer.status_message === said.text ? said.text : null
}

export function useBulk(onAnswered: (instance: Instance) => void, onDeleted: (id: string) => void) {
  const { show, refresh } = useKeepInstances()
  const [run, setRun] = useState<BulkRun | null>(null)
  const keys = useRef(new Map<string, string>())

  const perform = async (
    order: BulkOrder,
    instances: readonly Instance[],
    /** Of a retry: what the last try did stays told, and its keys are sent again. */
    before: Pick<BulkRun, 'done' | 'notes' | 'failed'> = { done: [], notes: [], failed: [] },
  ) => {
    const isRetry = before.done.length + before.failed.length > 0 || run?.order === order
    if (!isRetry) keys.current.clear()
    const total = before.done.length + before.failed.length + instances.length
    setRun({ order, total, isOver: false, ...before })
    const change = (changes: (run: BulkRun) => Partial<BulkRun>) =>
      setRun(now => now && { ...now, ...changes(now) })
    await runAll(instances, atOnce, async instance => {
      const name = `${order.act} ${instance.id}`
      const key = keys.current.get(name) ?? crypto.randomUUID()
      keys.current.set(name, key)
      try {
        const answer = await send(order, instance, key)
        if (answer) {
          show(answer)
          onAnswered(answer)
        }
        if (order.act === 'delete') onDeleted(instance.id)
        const note = noteOf(order, answer)
        change(({ done, notes }) => ({
          done: [...done, instance],
          notes: note === null ? notes : [...notes, { id: instance.id, text: note }],
        }))
      } catch (error) {
        const isFull = error instanceof IngotError && error.code === 'no_capacity'
        change(({ failed }) => ({
          failed: [
            ...failed,
            {
              instance,
              order,
              text: errorText(error),
              isFull: isFull && order.act === 'start' && !instance.queue,
            },
          ],
        }))
      }
    })
    refresh()
    change(() => ({ isOver: true }))
  }

  return {
    run,
    isBusy: run !== null && !run.isOver,
    perform: (order: BulkOrder, instances: readonly Instance[]) => void perform(order, instances),
    /** Some that failed by one order, by it or by another. The others keep what is told of them. */
    retry: (failed: readonly Failed[], order: BulkOrder = failed[0]!.order) => {
      if (!run) return
      const others = run.failed.filter(each => !failed.includes(each))
      const goesOn = order.act === run.order.act
      void perform(
        goesOn ? run.order : order,
        failed.map(({ instance }) => instance),
        { done: goesOn ? run.done : [], notes: goesOn ? run.notes : [], failed: others },
      )
    },
    undo: () => {
      if (!run) return
      if (run.order.act === 'snooze') void perform({ act: 'endSnooze' }, run.done)
      if (run.order.act === 'autoShutdown') void perform({ act: 'autoShutdown', choice: 'before' }, run.done)
    },
    putAway: () => setRun(null),
  }
}
