/** The two legal texts. */
import { createElement } from 'react'
import type { Page } from '../page.ts'
import { LegalPage } from './LegalPage.tsx'
import { Sentences } from '../trust/Sentences.tsx'
import type { PrivacyClause } from './privacy-staff.ts'
import { privacy, privacyLead } from './privacy.tsx'
import { termsClauses } from './terms.tsx'

const shownClause = ({ plain, text, ...clause }: PrivacyClause) => ({
  ...clause,
  plain: <Sentences of={plain} />,
  text: text.map(of => createElement(Sentences, { of })),
})

const home = { name: 'Home', path: '/' }

export const legalPages: readonly Page[] = [
  {
    path: '/privacy',
    title: 'Privacy · Ingot',
    description:
      'What is kept about you, why, for how long, who sees it, and how to have it erased. With a plain-words summary.',
    indexed: true,
    trail: [home, { name: 'Privacy', path: '/privacy' }],
    component: () => (
      <LegalPage title="Privacy" lead={<Sentences of={privacyLead} />} clauses={privacy.map(shownClause)} />
    ),
  },
  {
    path: '/terms',
    title: 'Terms · Ingot',
    description:
      'The terms of the service: prepaid balance, charges by the second, what comes back, what is not allowed.',
    indexed: true,
    trail: [home, { name: 'Terms', path: '/terms' }],
    component: () => (
      <LegalPage
        title="Terms"
        lead="What you can expect from us, and we from you. The rules about money are those that the ledger keeps."
        clauses={termsClauses}
      />
    ),
  },
]
