/**
 * Which instances are selected, over pages and filters: what is selected stays so until it is cleared or deleted. Each
 * is known as it was last seen, so that one on another page can be named too.
 */
import type { Instance } from '@ingot/contracts/instances'
import { useEffect, useEffectEvent, useState } from 'react'
import { isTaken } from '../../../ui/shortcuts.ts'
import type { Keys } from '../../../ui/use-selection.ts'

export function useSelectedInstances(shown: readonly Instance[]) {
  const [kept, setKept] = useState<ReadonlyMap<string, Instance>>(() => new Map())
  const now = new Map(shown.map(instance => [instance.id, instance]))
  const selected = [...kept.values()].map(instance => now.get(instance.id) ?? instance)
  const clear = () => setKept(new Map())

  const onEscape = useEffectEvent((event: KeyboardEvent) => {
    if (event.key !== 'Escape' || event.defaultPrevented || kept.size === 0 || isTaken(event.target)) return
    clear()
  })
  useEffect(() => {
    const press = (event: KeyboardEvent) => onEscape(event)
    window.addEventListener('keydown', press)
    return () => window.removeEventListener('keydown', press)
  }, [])

  return {
    selected,
    keys: new Set(kept.keys()) as Keys,
    clear,
    choose: (keys: Keys) =>
      setKept(
        before =>
          new Map(
            [...keys].flatMap(key => {
              const instance = now.get(key) ?? before.get(key)
              return instance ? [[key, instance] as const] : []
            }),
          ),
      ),
    add: (instances: readonly Instance[]) =>
      setKept(before => new Map([...before, ...instances.map(each => [each.id, each] as const)])),
    update: (instance: Instance) =>
      setKept(before =>
        before.has(instance.id) ? new Map([...before, [instance.id, instance] as const]) : before,
      ),
    remove: (id: string) => setKept(before => new Map([...before].filter(([key]) => key !== id))),
  }
}
