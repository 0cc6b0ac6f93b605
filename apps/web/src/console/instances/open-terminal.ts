/**
 * What a terminal's tab may show before the server has answered: name and address, handed over in the session storage
 * under a key per instance. It is only the first paint; the server decides whether the instance exists, runs
 * and is the caller's.
 */
import type { Instance } from '@ingot/contracts/instances'
import { toast } from '../../ui/toast.ts'

export type TerminalFacts = Pick<Instance, 'name' | 'public_ip' | 'hardware' | 'shell'>

const keyOf = (id: string): string => `terminal-instance:${id}`

/** A tab that a script opened inherits the session storage, and may close itself after `exit`. */
export function openTerminal(instance: Instance): void {
  keepTerminalFacts(instance)
  if (!window.open(`/terminal/${instance.id}`, '_blank'))
    toast.error('The browser blocked the new tab. Allow this site to open tabs, then try again.')
}

export function keepTerminalFacts({ id, name, public_ip, hardware, shell }: Instance): void {
  try {
    sessionStorage.setItem(keyOf(id), JSON.stringify({ name, public_ip, hardware, shell }))
  } catch {
    // Storage is full or refused: the tab waits for the server instead.
  }
}

export function readTerminalFacts(id: string): TerminalFacts | null {
  try {
    const { name, public_ip, hardware, shell } = JSON.parse(
      sessionStorage.getItem(keyOf(id)) ?? 'null',
    ) as TerminalFacts
    return typeof name === 'string' ? { name, public_ip, hardware, shell } : null
  } catch {
    return null
  }
}
