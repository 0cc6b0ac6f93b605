/** The front page. */
import type { Page } from '../page.ts'
import { cheapestHourly } from '../cost-of.ts'
import { HomePage } from './HomePage.tsx'

export const homePages: readonly Page[] = [
  {
    path: '/',
    title: 'Ingot: GPU instances billed by the second',
    description: shown =>
      `${shown.gpus.length} kinds of GPU from ${cheapestHourly(shown)} an hour, billed by the second from a prepaid balance. A stopped instance costs nothing.`,
    indexed: true,
    component: HomePage,
  },
]
