/** Prices: one page. */
import type { Page } from '../page.ts'
import { PricingPage } from './PricingPage.tsx'

export const pricingPages: readonly Page[] = [
  {
    path: '/pricing',
    title: 'Pricing · Ingot',
    description:
      'Every GPU by the hour, for 3 months and for 1 year, a calculator with exact totals, and what each state of an instance costs.',
    indexed: true,
    trail: [
      { name: 'Home', path: '/' },
      { name: 'Pricing', path: '/pricing' },
    ],
    component: PricingPage,
  },
]
