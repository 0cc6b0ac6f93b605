/**
 * Every screen of the signed-in application: its address, its title, and where its code is. A screen's code is a chunk
 * of its own, fetched when it is opened. To add one: a `createRoute` here, its name in `routeTree`, a component under
 * src/console/<noun>/ that shows a PageHeading at once, also while it loads.
 */
import { createRootRoute, createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { NotFoundScreen } from './shell/NotFoundScreen.tsx'
import { Root } from './shell/Root.tsx'

declare module '@tanstack/react-router' {
  interface StaticDataRouteOption {
    /** The document's title until the screen has a better one. */
    title?: string
  }
}

const root = createRootRoute({ component: Root, notFoundComponent: NotFoundScreen })

const kit = createRoute({
  getParentRoute: () => root,
  path: '/_kit',
  staticData: { title: 'Kit' },
  component: lazyRouteComponent(() => import('./kit/KitScreen.tsx'), 'KitScreen'),
})

export const routeTree = root.addChildren([kit])
