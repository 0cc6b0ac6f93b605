import { useSyncExternalStore } from 'react'

/** From here a list has room for details beside it: the breakpoint `xl`. */
const wide = matchMedia('(min-width: 1360px)')
const subscribe = (changed: () => void) => {
  wide.addEventListener('change', changed)
  return () => wide.removeEventListener('change', changed)
}

export const useIsWide = (): boolean => useSyncExternalStore(subscribe, () => wide.matches)
