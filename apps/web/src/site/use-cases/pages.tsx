/** Use cases: the list, three details, and what an unknown one gets. */
import type { Page } from '../page.ts'
import { NotFoundBody } from '../parts/NotFoundBody.tsx'
import { useCaseDetails } from './details.ts'
import { UseCasePage } from './UseCasePage.tsx'
import { UseCasesPage } from './UseCasesPage.tsx'

const trail = [
  { name: 'Home', path: '/' },
  { name: 'Use Cases', path: '/use-cases' },
]

const descriptions: Record<string, string> = {
  'ai-training':
    'Training on rented GPUs: how much memory a model needs, a loop that survives a stop, and what an evening costs.',
  'computer-vision':
    'Vision on rented GPUs: what a million pictures cost, and a ten-second script that measures your own speed.',
  nlp: 'Language models on rented GPUs: which card serves how many readers, how to start a server, and what it costs.',
}

export const useCasePages: readonly Page[] = [
  {
    path: '/use-cases',
    title: 'Use Cases · Ingot',
    description:
      'What people rent GPUs for, from training to rendering: the machine to start with, why, and what an hour of it costs.',
    indexed: true,
    trail,
    component: UseCasesPage,
  },
  ...Object.entries(useCaseDetails).map(([slug, detail]): Page => ({
    path: `/use-cases/${slug}`,
    title: `${detail.heading} · Ingot`,
    description: descriptions[slug]!,
    indexed: true,
    trail: [...trail, { name: detail.heading, path: `/use-cases/${slug}` }],
    component: () => <UseCasePage detail={detail} />,
  })),
  {
    path: '/use-cases/404',
    notFoundFor: '/use-cases',
    title: 'Use Case Not Found · Ingot',
    description: 'There is no use case with this name.',
    indexed: false,
    component: () => (
      <NotFoundBody
        title="Use Case Not Found"
        text="There is no use case with this name. The list has all of them, also those whose page is yet to come."
        href="/use-cases"
        label="Back to Use Cases"
      />
    ),
  },
]
