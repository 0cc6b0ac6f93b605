/** Why to trust it, and whether it works right now. */
import type { Page } from '../page.ts'
import { CompliancePage } from './CompliancePage.tsx'
import { SecurityPage } from './SecurityPage.tsx'
import { StatusPage } from './StatusPage.tsx'

const home = { name: 'Home', path: '/' }

export const trustPages: readonly Page[] = [
  {
    path: '/security',
    title: 'Security · Ingot',
    description:
      'What protects accounts, instances and money, which certificates exist, known limits, and how to report a fault.',
    indexed: true,
    trail: [home, { name: 'Security', path: '/security' }],
    component: SecurityPage,
  },
  {
    path: '/compliance',
    title: 'Compliance · Ingot',
    description:
      'GDPR, SOC 2, ISO 27001, HIPAA: what the product does, what the operator adds, and how to ask for documents.',
    indexed: true,
    trail: [home, { name: 'Compliance', path: '/compliance' }],
    component: CompliancePage,
  },
  {
    path: '/status',
    title: 'Status · Ingot',
    description: 'Whether the service works, by its own checks, and how the last 90 days were.',
    indexed: true,
    trail: [home, { name: 'Status', path: '/status' }],
    component: StatusPage,
  },
]
