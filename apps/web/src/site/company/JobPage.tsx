import { sampleJobRefusal, siteLimits } from '@ingot/contracts/site'
import type { SiteContent } from '@ingot/contracts/site/content'
import { buttonClass } from '../../ui/button-class.ts'
import { Form, FormField } from '../parts/Form.tsx'
import { Frame, PageHead } from '../parts/PageHead.tsx'
import { Sample } from '../parts/Sample.tsx'

interface JobPageProps {
  readonly job: SiteContent['jobs'][number]
  readonly sample: boolean
}

export function JobPage({ job, sample }: JobPageProps) {
  const facts = [
    ['Department', job.department],
    ['Location', job.location],
    ['Type', job.type],
    ['Salary', job.salary],
    ['Experience', job.experience],
    ['Team', job.team],
    ['Reports to', job.reporting_to],
  ] as const
  return (
    <Frame>
      <PageHead parent={{ href: '/careers', label: 'Careers' }} title={job.title} lead={job.description}>
        <div className="mt-6 flex flex-wrap gap-3">
          <a href="#apply" className={buttonClass('secondary', 'l')}>
            Apply Now
          </a>
          <button type="button" data-island="share" className={`needs-script ${buttonClass('ghost', 'l')}`}>
            Share Position
          </button>
        </div>
      </PageHead>
      <Sample sample={sample} className="grid gap-x-12 gap-y-8 p-5 pt-8 lg:grid-cols-3">
        <dl className="lg:order-last">
          {facts.map(([name, value]) => (
            <div key={name} className="border-t border-line py-2">
              <dt className="text-label text-muted">{name}</dt>
              <dd className="font-medium tabular-nums">{value}</dd>
            </div>
          ))}
        </dl>
        <div className="flex flex-col gap-8 lg:col-span-2">
          <List title="Responsibilities" items={job.responsibilities} />
          <List title="Requirements" items={job.requirements} />
          <List title="Benefits" items={job.benefits} />
        </div>
      </Sample>
      <section aria-labelledby="apply" className="grid gap-6 py-12 lg:grid-cols-3 lg:gap-12 lg:py-16">
        <div>
          <h2 id="apply" className="text-h2-site">
            Apply
          </h2>
          <p className="mt-3 text-prose text-muted">
            Questions first?{' '}
            <a href="/contact" className="link">
              Contact our team
            </a>
            .
          </p>
        </div>
        <div className="lg:col-span-2">
          {sample ? (
            <p className="max-w-prose rounded-panel bg-info-soft p-4 text-prose text-info">
              {sampleJobRefusal}.
            </p>
          ) : (
            <div className="max-w-prose">
              <ApplyForm id={job.id} />
            </div>
          )}
        </div>
      </section>
    </Frame>
  )
}

function List({ title, items }: { readonly title: string; readonly items: readonly string[] }) {
  if (items.length === 0) return null
  return (
    <section>
      <h2 className="text-title">{title}</h2>
      <ul className="mt-3 flex max-w-prose list-disc flex-col gap-2 pl-5 text-prose">
        {items.map(item => (
          <li key={item}>{item}</li>
        ))}
      </ul>
    </section>
  )
}

function ApplyForm({ id }: { readonly id: string }) {
  return (
    <Form
      call="/v1/applications"
      fileCall={`/v1/applications/cv?job_id=${id}`}
      fixed={{ job_id: id }}
      submit="Apply Now"
      busy="Sending…"
      done="Your application arrived. A mail confirms it, and a person will answer."
      note="What you send is used for this application only, and erased when you ask for it."
      primary
    >
      <FormField name="name" label="Name" autoComplete="name" maxLength={siteLimits.name} />
      <FormField name="email" label="Email" type="email" autoComplete="email" maxLength={siteLimits.email} />
      <FormField name="letter" label="Letter" rows={8} maxLength={siteLimits.message} />
      <FormField name="cv" label="CV" type="file" hint="PDF, DOCX, ODT or text, at most 5 MB." />
    </Form>
  )
}
