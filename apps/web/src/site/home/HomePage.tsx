import { Frame } from '../parts/PageHead.tsx'
import { Section } from '../parts/Section.tsx'
import { WhatYouPay } from '../pricing/WhatYouPay.tsx'
import { Features } from './Features.tsx'
import { Hero } from './Hero.tsx'
import { LogoStrip } from './LogoStrip.tsx'
import { Services } from './Services.tsx'
import { Stats } from './Stats.tsx'
import { Testimonials } from './Testimonials.tsx'
import { TryIt } from './TryIt.tsx'

/** One section a file, in the order they stand. */
export function HomePage() {
  return (
    <Frame>
      <Hero />
      <LogoStrip />
      <Stats />
      <Services />
      <TryIt />
      <Features />
      <Section
        id="what-you-pay"
        title="What you pay when"
        lead={
          <>
            Every price, and a calculator, are on{' '}
            <a href="/pricing" className="link">
              Pricing
            </a>
            .
          </>
        }
      >
        <WhatYouPay />
      </Section>
      <Testimonials />
    </Frame>
  )
}
