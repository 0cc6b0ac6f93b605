/** The tutorials' part of the page table. */
import type { Page } from '../page.ts'
import { SectionNotFound } from '../prose/SectionNotFound.tsx'
import { TutorialPage } from './TutorialPage.tsx'
import { TutorialsPage } from './TutorialsPage.tsx'
import { tutorials } from './tutorials.ts'

const trail = [
  { name: 'Home', path: '/' },
  { name: 'Tutorials', path: '/tutorials' },
]

export const tutorialPages: readonly Page[] = [
  {
    path: '/tutorials',
    title: 'Tutorials · Ingot',
    description:
      'Step by step on a GPU instance: a first shell and program in fifteen minutes, and a small language model trained from nothing.',
    indexed: true,
    component: TutorialsPage,
    trail,
  },
  ...tutorials.map((tutorial): Page => {
    const path = `/tutorials/${tutorial.slug}`
    return {
      path,
      title: `${tutorial.meta.title} · Ingot`,
      description: tutorial.meta.description,
      indexed: true,
      component: props => <TutorialPage {...props} tutorial={tutorial} />,
      trail: [...trail, { name: tutorial.meta.title, path }],
    }
  }),
  {
    path: '/tutorials/404',
    notFoundFor: '/tutorials',
    title: 'Tutorial Not Found · Ingot',
    description: 'There is no tutorial at this address.',
    indexed: false,
    component: props => (
      <SectionNotFound
        {...props}
        title="Tutorial Not Found"
        text="There is no tutorial at this address."
        back={{ href: '/tutorials', label: 'Back to Tutorials' }}
      />
    ),
  },
]
