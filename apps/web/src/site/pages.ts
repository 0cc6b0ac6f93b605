/** Every public page. This table is the list of what is built, the sitemap, and the list of pages to test. */
import { gpuListing } from '@ingot/contracts/catalog'
import { formatMoney } from '../ui/format.ts'
import { HomePage } from './home/HomePage.tsx'
import { NotFoundPage } from './NotFoundPage.tsx'
import type { Page } from './page.ts'

const listing = gpuListing()
/** Of one length on the wire, so the smallest amount is the first in text order. */
const cheapest = listing.map(gpu => gpu.hourly_price).toSorted()[0]!

export const pages: readonly Page[] = [
  {
    path: '/',
    title: 'Ingot: GPU instances billed by the second',
    description: `${listing.length} kinds of GPU from ${formatMoney(cheapest)} an hour, billed by the second from a prepaid balance. A stopped instance costs nothing.`,
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
