import { type DocumentSlug, documents, siteLimits } from '@ingot/contracts/site'
import { Form, FormField } from '../parts/Form.tsx'
import { Frame, PageHead } from '../parts/PageHead.tsx'
import { Section } from '../parts/Section.tsx'
import { documentNotes, documentsLead, frameworks, lead, principles } from './compliance.ts'
import { Sentences } from './Sentences.tsx'

export function CompliancePage() {
  return (
    <Frame>
      <PageHead title="Compliance" lead={<Sentences of={lead} />} />
      <Section id="frameworks" title="Frameworks">
        <div>
          <div aria-hidden className="grid grid-cols-4 gap-x-12 pb-2 text-label text-muted max-lg:hidden">
            <span />
            <span className="col-span-2">In the product</span>
            <span>For the operator</span>
          </div>
          {frameworks.map(framework => (
            <div
              key={framework.name}
              className="grid gap-x-12 gap-y-2 border-t border-line py-4 lg:grid-cols-4"
            >
              <h3 className="text-heading">{framework.name}</h3>
              <p className="text-prose lg:col-span-2">
                <span className="block text-label text-muted lg:sr-only">In the product</span>
                <Sentences of={framework.product} />
              </p>
              <p className="text-muted">
                <span className="block text-label text-muted lg:sr-only">For the operator</span>
                <Sentences of={framework.operator} />
              </p>
            </div>
          ))}
        </div>
      </Section>
      <Section id="principles" title="Data-protection principles" layout="side">
        <dl>
          {principles.map(({ name, text }) => (
            <div
              key={name}
              className="grid gap-x-6 border-t border-line py-3 first:border-t-0 sm:grid-cols-4"
            >
              <dt className="text-heading">{name}</dt>
              <dd className="text-prose text-muted sm:col-span-3">
                <Sentences of={text} />
              </dd>
            </div>
          ))}
        </dl>
      </Section>
      <Section id="documents" title="Documents" layout="side" lead={<Sentences of={documentsLead} />}>
        {(Object.keys(documents) as DocumentSlug[]).map(slug => (
          <details key={slug} id={slug} className="border-b border-line py-3 first:border-t">
            <summary className="grid grid-cols-2 gap-x-6 gap-y-1 sm:grid-cols-3">
              <span className="text-heading max-sm:col-span-2 sm:col-span-2">{documents[slug]}</span>
              <span className="font-medium text-link sm:text-right">Request</span>
            </summary>
            <p className="max-w-prose pt-2 text-muted">
              <Sentences of={documentNotes[slug]} />
            </p>
            <div className="max-w-prose pt-4 pb-3">
              <Form
                call="/v1/document-requests"
                fixed={{ document: slug }}
                submit="Request document"
                busy="Requesting…"
                done={`Your request for the ${documents[slug]} arrived. The answer comes by mail.`}
              >
                <div className="grid gap-4 sm:grid-cols-2">
                  <FormField name="name" label="Name" autoComplete="name" maxLength={siteLimits.name} />
                  <FormField
                    name="company"
                    label="Company"
                    autoComplete="organization"
                    maxLength={siteLimits.name}
                  />
                </div>
                <FormField
                  name="email"
                  label="Email"
                  type="email"
                  autoComplete="email"
                  maxLength={siteLimits.email}
                />
              </Form>
            </div>
          </details>
        ))}
      </Section>
    </Frame>
  )
}
