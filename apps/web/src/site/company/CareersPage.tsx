import { buttonClass } from '../../ui/button-class.ts'
import { useBlock } from '../content/content.ts'
import { Figures } from '../parts/Figures.tsx'
import { Frame, PageHead } from '../parts/PageHead.tsx'
import { Sample } from '../parts/Sample.tsx'
import { Section } from '../parts/Section.tsx'

export function CareersPage() {
  const figures = useBlock('career_figures')
  const jobs = useBlock('jobs')
  const values = useBlock('career_values')
  const benefits = useBlock('career_benefits')
  return (
    <Frame>
      <PageHead
        title="Careers"
        lead="Small teams, written decisions, and pay in every posting. We hire people who like to know why a number is what it is."
        aside={
          figures && (
            <Sample sample={figures.sample} className="self-center p-6">
              <Figures items={figures.content} />
            </Sample>
          )
        }
      />
      <Section id="positions" title="Open positions">
        {jobs ? (
          <Sample sample={jobs.sample} className="px-5 py-2">
            <ul>
              {jobs.content.map(job => (
                <li
                  key={job.id}
                  className="flex flex-wrap items-center justify-between gap-x-8 gap-y-4 border-t border-line py-5 first:border-t-0"
                >
                  <div className="min-w-0">
                    <h3 className="text-title">
                      <a href={`/careers/${job.id}`} className="hover:text-link hover:underline">
                        {job.title}
                      </a>
                    </h3>
                    <p className="mt-1 flex flex-wrap gap-x-5 text-muted tabular-nums">
                      <span>{job.department}</span>
                      <span>{job.location}</span>
                      <span>{job.type}</span>
                      <span className="font-semi text-ink">{job.salary}</span>
                    </p>
                  </div>
                  <a
                    href={`/careers/${job.id}#apply`}
                    aria-label={`Apply now: ${job.title}`}
                    className={buttonClass('secondary', 'l')}
                  >
                    Apply Now
                  </a>
                </li>
              ))}
            </ul>
          </Sample>
        ) : (
          <p className="text-prose text-muted">There is no open position now.</p>
        )}
      </Section>
      {values && (
        <Section
          id="values"
          title="Values"
          layout="side"
          lead={values.sample ? 'Four, because five nobody remembers.' : undefined}
        >
          <Sample sample={values.sample} className="p-5">
            <dl className="grid gap-x-12 gap-y-6 sm:grid-cols-2">
              {values.content.map(value => (
                <div key={value.title} className="border-t border-line pt-3">
                  <dt className="text-heading">{value.title}</dt>
                  <dd className="mt-1 text-prose text-muted">{value.text}</dd>
                </div>
              ))}
            </dl>
          </Sample>
        </Section>
      )}
      {benefits && (
        <Section id="benefits" title="Benefits" layout="side">
          <Sample sample={benefits.sample} className="p-5">
            <ul className="grid gap-x-12 gap-y-2 text-prose sm:grid-cols-2">
              {benefits.content.map(benefit => (
                <li key={benefit}>{benefit}</li>
              ))}
            </ul>
          </Sample>
        </Section>
      )}
    </Frame>
  )
}
