import { useSyncExternalStore } from 'react'

const subscribe = (changed: () => void): (() => void) => {
  window.visualViewport?.addEventListener('resize', changed)
  return () => window.visualViewport?.removeEventListener('resize', changed)
}

/** Smaller differences are scroll bars and rounding, no keyboard. */
const keyboardPx = 80

/** The height that a keyboard on the screen leaves, in px; null while the page has all of it. */
export const useVisibleHeight = (): number | null =>
  useSyncExternalStore(subscribe, () => {
    const { visualViewport } = window
    if (!visualViewport || window.innerHeight - visualViewport.height * visualViewport.scale < keyboardPx)
      return null
    return Math.floor(visualViewport.height)
  })
