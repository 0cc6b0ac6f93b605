/** The front page. */
import { gpuTypes } from '@ingot/contracts/catalog'
import type { Page } from '../page.ts'
import { cheapestHourly } from '../products/products.ts'
import { HomePage } from './HomePage.tsx'

export const homePages: readonly Page[] = [
  {
    path: '/',
    title: 'Ingot: GPU instances billed by the second',
    description: `${gpuTypes.length} kinds of GPU from ${cheapestHourly} an hour, billed by the second from a prepaid balance. A stopped instance costs nothing.`,
    indexed: true,
    component: HomePage,
  },
]
