import { useEffect } from 'react'

/** What the screen in view says of itself. It stands, whichever of the two is set first. */
let ofScreen: string | undefined

const show = (title: string): void => {
  document.title = `${title} · Ingot`
}

/** The route's own title, for screens that have no better one. */
export const setRouteTitle = (title: string): void => show(ofScreen ?? title)

/** A better title than the route's own, while it is known: `2 starting · Instances`. */
export function useTitle(title: string | undefined): void {
  useEffect(() => {
    if (title === undefined) return
    ofScreen = title
    show(title)
    return () => {
      ofScreen = undefined
    }
  }, [title])
}
