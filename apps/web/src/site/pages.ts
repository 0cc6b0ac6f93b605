/** Every public page, but those of open positions. This table is the list of what is rendered, the sitemap, and the list of pages to test. */
import { blogPages } from './blog/pages.tsx'
import type { Shown } from '@ingot/contracts/pages'
import { companyPages, jobPages } from './company/pages.tsx'
import { docsPages } from './docs/pages.tsx'
import { homePages } from './home/pages.ts'
import { legalPages } from './legal/pages.tsx'
import { NotFoundPage } from './NotFoundPage.tsx'
import type { Page } from './page.ts'
import { pricingPages } from './pricing/pages.ts'
import { productPages } from './products/pages.tsx'
import { trustPages } from './trust/pages.ts'
import { tutorialPages } from './tutorials/pages.tsx'
import { useCasePages } from './use-cases/pages.tsx'

export const pages: readonly Page[] = [
  ...homePages,
  ...productPages,
  ...useCasePages,
  ...pricingPages,
  ...docsPages,
  ...tutorialPages,
  ...blogPages,
  ...companyPages,
  ...legalPages,
  ...trustPages,
]

/** With open positions. */
export const pagesOf = (shown: Shown): readonly Page[] => [...pages, ...jobPages(shown)]

export const notFound: Page = {
  path: '/404',
  title: 'Page not found · Ingot',
  description: 'There is no page at this address.',
  indexed: false,
  component: NotFoundPage,
}
