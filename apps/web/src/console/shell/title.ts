import { useEffect } from 'react'

export const setTitle = (title: string): void => {
  document.title = `${title} · Ingot`
}

/** A better title than the route's own, while it is known: `2 starting · Instances`. */
export function useTitle(title: string | undefined): void {
  useEffect(() => {
    if (title !== undefined) setTitle(title)
  }, [title])
}
