import { useRouter } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { setRouteTitle } from '../shell/title.ts'

/**
 * A change of screen loads no page, so what a browser does by itself is done here: the title changes, the focus goes
 * to the new heading, and the title is read out. A change of filters or tabs in the address moves nothing.
 */
export function RouteAnnouncer() {
  const router = useRouter()
  const [announced, setAnnounced] = useState('')

  useEffect(() => {
    const titleNow = () => {
      const title = router.state.matches.at(-1)?.staticData.title
      setRouteTitle(title ?? 'Page not found')
    }
    titleNow()
    return router.subscribe('onRendered', ({ fromLocation, pathChanged }) => {
      if (!fromLocation || !pathChanged) return
      titleNow()
      // One that has an address of its own.
      if (document.activeElement?.getAttribute('role') === 'tab') return
      document.querySelector<HTMLElement>('h1')?.focus()
      setAnnounced(document.title)
    })
  }, [router])

  return (
    <p aria-live="polite" className="sr-only">
      {announced}
    </p>
  )
}
