import { type DocumentSlug, documents, siteLimits } from '@ingot/contracts/site'
import { Form, FormField } from '../parts/Form.tsx'
import { Frame, PageHead } from '../parts/PageHead.tsx'
import { Section } from '../parts/Section.tsx'

const frameworks = [
  {
    name: 'GDPR',
    product:
      'Data is kept for a stated purpose, can be exported over the API, and goes when the account is deleted. No trackers, no third parties in pages.',
    operator:
      'A register of processing, agreements with hosts and mail carriers, and somebody who answers requests.',
  },
  {
    name: 'SOC 2',
    product: 'Access control, an append-only ledger and a history of every instance.',
    operator: 'Policies, evidence over months, and an auditor. No report exists until then.',
  },
  {
    name: 'ISO 27001',
    product: 'Technical controls for access, cryptography, logging and secure development.',
    operator: 'A management system and its certification.',
  },
  {
    name: 'HIPAA',
    product: 'Isolation of instances, and erasure of disks with them.',
    operator: 'Agreements and safeguards around it. Health data does not belong here before they exist.',
  },
  {
    name: 'Sanctions and anti-money-laundering',
    product: 'Every deposit is linked to one account and one public transaction.',
    operator: 'Knowing its customers as far as the law where it sits asks.',
  },
] as const

const principles = [
  [
    'Purpose limitation',
    'Each kind of data has a reason that is written down on the privacy page. Without one it is not asked for.',
  ],
  [
    'Data minimisation',
    'Company, role and use case are optional. There are no cookies, and nothing is tracked.',
  ],
  ['Accuracy', 'Bills are readings of the ledger. Nothing is stored twice, so nothing can disagree.'],
  [
    'Storage limitation',
    'A disk goes with its instance, personal details with the account, an address with its subscription.',
  ],
  ['Confidentiality', 'Every row has an owner, and every query names it.'],
  ['Accountability', 'The source is open. What these pages say can be read there.'],
] as const

const documentNotes: Record<DocumentSlug, string> = {
  'soc-2-report': 'Exists only once the operator was audited. Ask where that stands.',
  'iso-27001-certificate': 'Exists only once the operator is certified. Ask where that stands.',
  'data-processing-agreement': 'The contract that GDPR asks for, to be signed by both.',
  'security-whitepaper': 'The measures of the security page, with their design.',
  'penetration-test-summary': 'Exists only once a test was done. Ask where that stands.',
  'subprocessor-list': 'Hosts, mail and text-message carriers of this operator.',
}

export function CompliancePage() {
  return (
    <Frame>
      <PageHead
        title="Compliance"
        lead="For each framework: what the product already does, and what the operator of this site has to add. No certificate is claimed on this page."
      />
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
                {framework.product}
              </p>
              <p className="text-muted">
                <span className="block text-label text-muted lg:sr-only">For the operator</span>
                {framework.operator}
              </p>
            </div>
          ))}
        </div>
      </Section>
      <Section id="principles" title="Data-protection principles" layout="side">
        <dl>
          {principles.map(([name, text]) => (
            <div
              key={name}
              className="grid gap-x-6 border-t border-line py-3 first:border-t-0 sm:grid-cols-4"
            >
              <dt className="text-heading">{name}</dt>
              <dd className="text-prose text-muted sm:col-span-3">{text}</dd>
            </div>
          ))}
        </dl>
      </Section>
      <Section
        id="documents"
        title="Documents"
        layout="side"
        lead="A request reaches an administrator, who answers by mail. Nothing is sent automatically."
      >
        {(Object.keys(documents) as DocumentSlug[]).map(slug => (
          <details key={slug} id={slug} className="border-b border-line py-3 first:border-t">
            <summary className="grid grid-cols-2 gap-x-6 gap-y-1 sm:grid-cols-3">
              <span className="text-heading max-sm:col-span-2 sm:col-span-2">{documents[slug]}</span>
              <span className="font-medium text-link sm:text-right">Request</span>
            </summary>
            <p className="max-w-prose pt-2 text-muted">{documentNotes[slug]}</p>
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
