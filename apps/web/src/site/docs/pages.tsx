/** The documentation's part of the page table. */
import type { Page } from '../page.ts'
import { apiPages } from './api/pages.tsx'
import { DocPage } from './DocPage.tsx'
import { DocsHomePage } from './DocsHomePage.tsx'
import { SectionNotFound } from '../prose/SectionNotFound.tsx'
import { docs, docsTrail } from './tree.ts'

export const docsPages: readonly Page[] = [
  {
    path: '/docs',
    aliases: ['/documentation'],
    title: 'Documentation · Ingot',
    description:
      'From an account to a shell on a GPU: quick start, wallet, instances, billing by the second, the HTTP API, and how to run the whole cloud yourself.',
    indexed: true,
    component: DocsHomePage,
    trail: docsTrail(),
  },
  ...docs.map((doc): Page => {
    const path = `/docs/${doc.slug}`
    return {
      path,
      title: `${doc.meta.title} · Ingot`,
      description: doc.meta.description,
      indexed: true,
      component: props => <DocPage {...props} doc={doc} />,
      trail: docsTrail({ name: doc.meta.title, path }),
    }
  }),
  ...apiPages,
  {
    path: '/docs/404',
    notFoundFor: '/docs',
    title: 'Documentation page not found · Ingot',
    description: 'There is no page of the documentation at this address.',
    indexed: false,
    component: props => (
      <SectionNotFound
        {...props}
        title="Documentation page not found"
        text="The page may have moved. The search knows every page that there is."
        back={{ href: '/docs', label: 'Back to the documentation' }}
      />
    ),
  },
]
