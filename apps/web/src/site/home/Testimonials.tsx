import type { SiteContent } from '@ingot/contracts/site/content'
import { useBlock } from '../content/content.ts'
import { Initials } from '../parts/Initials.tsx'
import { Sample } from '../parts/Sample.tsx'
import { Section } from '../parts/Section.tsx'

type Testimonial = SiteContent['testimonials'][number]

/** The first in full size; the others beside it. */
export function Testimonials() {
  const testimonials = useBlock('testimonials')
  if (!testimonials) return null
  const [first, ...others] = testimonials.content
  return (
    <Section id="voices" title="What customers say">
      <Sample sample={testimonials.sample} className="grid gap-x-12 gap-y-8 p-6 lg:grid-cols-5 lg:p-8">
        {first && (
          <figure className="flex flex-col gap-5 lg:col-span-3">
            <blockquote className="text-title text-balance">“{first.content}”</blockquote>
            <Author {...first} />
          </figure>
        )}
        {others.length > 0 && (
          <div className="flex flex-col gap-6 border-line max-lg:border-t max-lg:pt-6 lg:col-span-2 lg:border-l lg:pl-8">
            {others.map(each => (
              <figure key={each.name} className="flex flex-col gap-3">
                <blockquote className="text-prose">“{each.content}”</blockquote>
                <Author {...each} />
              </figure>
            ))}
          </div>
        )}
      </Sample>
    </Section>
  )
}

function Author({ name, role, company, rating }: Testimonial) {
  return (
    <figcaption className="flex items-center gap-3">
      <Initials name={name} />
      <span>
        <span className="block font-semi">{name}</span>
        <span className="block text-muted">
          {role}, {company}
        </span>
        <span aria-hidden className="text-label text-muted">
          {'★'.repeat(rating)}
          {'☆'.repeat(5 - rating)}
        </span>
        <span className="sr-only">{rating} of 5</span>
      </span>
    </figcaption>
  )
}
