import { type JobId, jobs } from '@ingot/contracts/site'
import { buttonClass } from '../../ui/button-class.ts'
import { careerBenefits, careerValues, jobDetails } from '../content/jobs.ts'
import { careerFigures } from '../content/sample.ts'
import { Figures } from '../parts/Figures.tsx'
import { Frame, PageHead } from '../parts/PageHead.tsx'
import { Sample } from '../parts/Sample.tsx'
import { Section } from '../parts/Section.tsx'

const ids = Object.keys(jobs) as JobId[]
const isSample = ids.some(id => jobs[id].sample)

export function CareersPage() {
  return (
    <Frame>
      <PageHead
        title="Careers"
        lead="Small teams, written decisions, and pay in every posting. We hire people who like to know why a number is what it is."
        aside={
          <Sample sample={careerFigures.sample} className="self-center p-6">
            <Figures items={careerFigures.items} />
          </Sample>
        }
      />
      <Section id="positions" title="Open positions">
        <Sample sample={isSample} className="px-5 py-2">
          <ul>
            {ids.map(id => (
              <li
                key={id}
                className="flex flex-wrap items-center justify-between gap-x-8 gap-y-4 border-t border-line py-5 first:border-t-0"
              >
                <div className="min-w-0">
                  <h3 className="text-title">
                    <a href={`/careers/${id}`} className="hover:text-link hover:underline">
                      {jobs[id].title}
                    </a>
                  </h3>
                  <p className="mt-1 flex flex-wrap gap-x-5 text-muted tabular-nums">
                    <span>{jobDetails[id].department}</span>
                    <span>{jobDetails[id].location}</span>
                    <span>{jobDetails[id].type}</span>
                    <span className="font-semi text-ink">{jobDetails[id].salary}</span>
                  </p>
                </div>
                <a
                  href={`/careers/${id}#apply`}
                  aria-label={`Apply now: ${jobs[id].title}`}
                  className={buttonClass('secondary', 'l')}
                >
                  Apply Now
                </a>
              </li>
            ))}
          </ul>
        </Sample>
      </Section>
      <Section id="values" title="Values" layout="side" lead="Four, because five nobody remembers.">
        <dl className="grid gap-x-12 gap-y-6 sm:grid-cols-2">
          {careerValues.map(value => (
            <div key={value.title} className="border-t border-line pt-3">
              <dt className="text-heading">{value.title}</dt>
              <dd className="mt-1 text-prose text-muted">{value.text}</dd>
            </div>
          ))}
        </dl>
      </Section>
      <Section id="benefits" title="Benefits" layout="side">
        <Sample sample={isSample} className="p-5">
          <ul className="grid gap-x-12 gap-y-2 text-prose sm:grid-cols-2">
            {careerBenefits.map(benefit => (
              <li key={benefit}>{benefit}</li>
            ))}
          </ul>
        </Sample>
      </Section>
    </Frame>
  )
}
