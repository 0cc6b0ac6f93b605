import { createRouter } from '@tanstack/react-router'
import { routeTree } from './routes.tsx'
import { CrashScreen } from './frame/CrashScreen.tsx'
import { parseSearch, stringifySearch } from './shell/search-text.ts'

export const router = createRouter({
  routeTree,
  /** The code and data of a screen are fetched when a link to it is pointed at. */
  defaultPreload: 'intent',
  /** React Query says what is fresh. */
  defaultPreloadStaleTime: 0,
  scrollRestoration: true,
  defaultErrorComponent: CrashScreen,
  parseSearch,
  stringifySearch,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
