import { useSyncExternalStore } from 'react'
import { actingReason } from './acting.ts'

const subscribe = (changed: () => void): (() => void) => {
  window.addEventListener('online', changed)
  window.addEventListener('offline', changed)
  return () => {
    window.removeEventListener('online', changed)
    window.removeEventListener('offline', changed)
  }
}

export const useOnline = (): boolean => useSyncExternalStore(subscribe, () => navigator.onLine)

/** For the buttons that write: why they do nothing now. */
export const useOfflineReason = (): string | null => {
  const isOnline = useOnline()
  return isOnline ? actingReason() : 'You are offline. This works again when the connection is back.'
}
