/** Every public page. This table is the list of what is built, the sitemap, and the list of pages to test. */
import { HomePage } from './home/HomePage.tsx'
import { NotFoundPage } from './NotFoundPage.tsx'
import type { Page } from './page.ts'

export const pages: readonly Page[] = [
  {
    path: '/',
    title: 'Ingot: GPU instances billed by the second',
    description:
      'Ten kinds of GPU from $0.35 an hour, billed by the second from a prepaid balance. A stopped instance costs nothing.',
    indexed: true,
    component: HomePage,
  },
]

export const notFound: Page = {
  path: '/404',
  title: 'Page not found · Ingot',
  description: 'There is no page at this address.',
  indexed: false,
  component: NotFoundPage,
}
