/**
 * Server push into the query cache: a fact arrives, the queries about its noun are fetched again. While push is down the
 * same queries are polled, every 3 s for half a minute and every 30 s after that, and the frame says from when the
 * data is.
 */
import { liveNouns, nounsChangedBy } from '@ingot/contracts/events'
import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { useEffect, useSyncExternalStore } from 'react'
import { toast } from '../../ui/toast.ts'
import { actingAs } from './acting.ts'
import { api } from './api.ts'

const fastPollMs = 3_000
const fastPolls = 10
const slowPollMs = 30_000
/** One act is several facts at once: they are one refresh. */
const gatherMs = 40

export interface LiveState {
  /** When push was lost; null while it works. */
  readonly lostAt: number | null
}

let state: LiveState = { lostAt: null }
const listeners = new Set<() => void>()
const set = (next: LiveState) => {
  if (next.lostAt === state.lostAt) return
  state = next
  for (const listener of listeners) listener()
}

export const useLiveState = (): LiveState =>
  useSyncExternalStore(
    listener => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => state,
  )

const refresh = (client: QueryClient, nouns: readonly string[]) => {
  for (const noun of nouns) void client.invalidateQueries({ queryKey: [noun] })
}

/** It has waited, maybe for hours: that it begins to cost is said wherever its owner is. */
const tellTurn = async (id: string) => {
  const made = await api.instances.get({ id }).catch(() => null)
  if (made) toast.success(`${made.name} has waited for its place, and has it.`)
}

/** Runs once, in the frame, while somebody is signed in. */
export function useLive(userId: string): void {
  const client = useQueryClient()
  useEffect(() => {
    if (!userId) return
    if (actingAs()) {
      // Facts are their owner's: nothing is pushed to whoever acts as them.
      const looking = setInterval(() => refresh(client, liveNouns), slowPollMs)
      return () => clearInterval(looking)
    }
    const ending = new AbortController()
    let polls = 0
    let timer: ReturnType<typeof setTimeout> | undefined
    const poll = () => {
      refresh(client, liveNouns)
      timer = setTimeout(poll, ++polls < fastPolls ? fastPollMs : slowPollMs)
    }
    const onOpen = () => {
      clearTimeout(timer)
      timer = undefined
      if (state.lostAt !== null) refresh(client, liveNouns)
      set({ lostAt: null })
    }
    const onDrop = () => {
      if (ending.signal.aborted || timer) return
      polls = 0
      timer = setTimeout(() => {
        set({ lostAt: Date.now() })
        poll()
      }, fastPollMs)
    }
    const changed = new Set<string>()
    let gathering: ReturnType<typeof setTimeout> | undefined
    const note = (nouns: readonly string[]) => {
      for (const noun of nouns) changed.add(noun)
      gathering ??= setTimeout(() => {
        gathering = undefined
        refresh(client, [...changed])
        changed.clear()
      }, gatherMs)
    }
    const listen = async () => {
      try {
        for await (const event of api.events({ signal: ending.signal, onOpen, onDrop })) {
          note(nounsChangedBy(event.type))
          if (event.type === 'instance.turn_came' && event.id) void tellTurn(event.id)
        }
      } catch {
        onDrop() // Refused: the session ended, and the auth provider will say so.
      }
    }
    void listen()
    return () => {
      ending.abort()
      clearTimeout(timer)
      clearTimeout(gathering)
      set({ lostAt: null })
    }
  }, [client, userId])
}
