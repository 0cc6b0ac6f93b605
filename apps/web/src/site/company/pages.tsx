/** The people: about, careers with its positions, community, contact, and the newsletter's pages. */
import type { Shown } from '@ingot/contracts/pages'
import { subscribePath, unsubscribePath } from '@ingot/contracts/site'
import { blockOf } from '../content/content.ts'
import { faqPage } from '../facts.ts'
import type { Page } from '../page.ts'
import { NotFoundBody } from '../parts/NotFoundBody.tsx'
import { AboutPage } from './AboutPage.tsx'
import { CareersPage } from './CareersPage.tsx'
import { CommunityPage } from './CommunityPage.tsx'
import { ContactPage, questions } from './ContactPage.tsx'
import { JobPage } from './JobPage.tsx'
import { SubscribePage, UnsubscribePage } from './SubscribePages.tsx'

const home = { name: 'Home', path: '/' }
const careers = { name: 'Careers', path: '/careers' }

/** A page for each open position: which there are, the operator says. */
export function jobPages(shown: Shown): readonly Page[] {
  const jobs = blockOf('jobs', shown)
  return (jobs?.content ?? []).map(job => {
    const path = `/careers/${job.id}`
    return {
      path,
      title: `${job.title} · Careers · Ingot`,
      description: `${job.title} at Ingot: what you would do, what you bring, the pay, the team, and how to apply.`,
      indexed: !jobs!.sample,
      sharedAs: careers.path,
      trail: [home, careers, { name: job.title, path }],
      component: () => <JobPage job={job} sample={jobs!.sample} />,
    }
  })
}

export const companyPages: readonly Page[] = [
  {
    path: '/about',
    title: 'About · Ingot',
    description:
      'Why Ingot exists, who makes it, and how it came to be: GPUs by the second, with a meter that can be checked.',
    indexed: true,
    trail: [home, { name: 'About', path: '/about' }],
    component: AboutPage,
  },
  {
    path: '/careers',
    title: 'Careers · Ingot',
    description: 'Open positions with pay, four values, and what comes with the work.',
    indexed: true,
    trail: [home, careers],
    component: CareersPage,
  },
  {
    path: '/careers/404',
    notFoundFor: '/careers',
    title: 'Job Not Found · Ingot',
    description: 'There is no open position at this address.',
    indexed: false,
    component: () => (
      <NotFoundBody
        title="Job Not Found"
        text="There is no open position at this address. It may have been filled."
        href="/careers"
        label="Back to Careers"
      />
    ),
  },
  {
    path: '/community',
    title: 'Community · Ingot',
    description:
      'Channels, events and figures of the community, and how to reach people without joining anything.',
    indexed: true,
    trail: [home, { name: 'Community', path: '/community' }],
    component: CommunityPage,
  },
  {
    path: '/contact',
    title: 'Contact · Ingot',
    description:
      'One form for sales, support and everything else, the offices, and answers to what is asked often.',
    indexed: true,
    trail: [home, { name: 'Contact', path: '/contact' }],
    component: ContactPage,
    facts: () => [faqPage(questions)],
  },
  {
    path: subscribePath,
    title: 'Subscribe · Ingot',
    description: 'Confirm a subscription to the blog, or ask for one.',
    indexed: false,
    component: SubscribePage,
  },
  {
    path: unsubscribePath,
    title: 'Unsubscribe · Ingot',
    description: 'End a subscription to the blog.',
    indexed: false,
    component: UnsubscribePage,
  },
]
