import { useRef } from 'react'

/**
 * Gives the focus back to where it was when a dialog opened. Radix knows only a trigger of its own, and our dialogs
 * are opened by state; from a menu, which is gone by then, the focus goes back to the menu's button.
 */
export function useReturnFocus() {
  const origin = useRef<HTMLElement>(null)
  return {
    onOpenAutoFocus: () => {
      const active = document.activeElement
      const menu = active?.closest('[role=menu]')
      const from = menu ? document.getElementById(menu.getAttribute('aria-labelledby') ?? '') : active
      origin.current = from instanceof HTMLElement ? from : null
    },
    onCloseAutoFocus: (event: Event) => {
      event.preventDefault()
      origin.current?.focus()
    },
  }
}
