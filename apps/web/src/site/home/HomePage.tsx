import type { PageProps } from '../page.ts'
import { Hero } from './Hero.tsx'
import { Prices } from './Prices.tsx'
import { WhatYouPay } from './WhatYouPay.tsx'

/** One section a file, in the order they stand. */
export function HomePage({ origin }: PageProps) {
  return (
    <div className="mx-auto max-w-site px-4 sm:px-6">
      <Hero origin={origin} />
      <Prices />
      <WhatYouPay />
    </div>
  )
}
