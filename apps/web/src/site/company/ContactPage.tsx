import { type InquiryType, inquiryTypes, siteLimits } from '@ingot/contracts/site'
import { buttonClass } from '../../ui/button-class.ts'
import { factOf, useBlock } from '../content/content.ts'
import { Form, FormField } from '../parts/Form.tsx'
import { Frame, PageHead } from '../parts/PageHead.tsx'
import { Sample } from '../parts/Sample.tsx'
import { Section } from '../parts/Section.tsx'
import { useShown } from '../shown.ts'

const typeLabels: Record<InquiryType, string> = {
  sales: 'Sales',
  support: 'Support',
  partnership: 'Partnership',
  general: 'General',
  enterprise: 'Enterprise',
}

const methods = [
  { type: 'sales', text: 'Prices for many cards, invoices, a term that is not in the list.' },
  {
    type: 'support',
    text: 'Something does not do what its page says. Name the instance, and the time in UTC.',
  },
  { type: 'general', text: 'Everything else, the press included.' },
] as const

const buttons = [
  { label: 'Start a live chat', fact: 'live_chat' },
  { label: 'Schedule a call', fact: 'schedule_call' },
  { label: 'Visit the support center', fact: 'support_center' },
] as const

export const questions = [
  {
    question: 'Do I have to talk to anybody before I can start?',
    answer:
      'No. Create an account, send at least 10 USDT to your own address, and deploy. Nothing waits for an approval.',
  },
  {
    question: 'Can I pay by card or on invoice?',
    answer:
      'Not today. The balance is prepaid in USDT on TRON. Write to sales when your company cannot pay that way; it helps to know how many are in that position.',
  },
  {
    question: 'I sent USDT and do not see it. What now?',
    answer:
      'Final blocks take about a minute. Paste the transaction hash into the deposit dialog: it says what became of it. Less than 10 USDT is held, and credited as soon as the sum reaches 10.',
  },
  {
    question: 'How do I get my data deleted?',
    answer:
      'Deleting an instance deletes its disk. Settings has a button that deletes the account. Messages sent with this form are deleted on request; the privacy page says how.',
  },
] as const

export function ContactPage() {
  const shown = useShown()
  const replyPromise = useBlock('reply_promise')
  const offices = useBlock('offices')
  const reached = methods.map(method => ({ ...method, email: factOf(`${method.type}_email`, shown) }))
  const links = buttons.flatMap(({ label, fact }) => {
    const href = factOf(fact, shown)
    return href ? [{ label, href, isElsewhere: !href.startsWith('/') }] : []
  })
  return (
    <Frame>
      <PageHead
        title="Contact"
        lead="One form, read by people. Choose what it is about, and it reaches whoever can answer."
      />
      <div className="grid gap-12 pb-16 lg:grid-cols-5 lg:gap-16">
        <section aria-labelledby="form" className="min-w-0 lg:col-span-3">
          <h2 id="form" className="sr-only">
            Write to us
          </h2>
          <Form
            call="/v1/inquiries"
            submit="Send message"
            busy="Sending…"
            done="Your message arrived, and a mail to you confirms it. A person will answer."
            primary
          >
            <div className="grid gap-4 sm:grid-cols-2">
              <FormField
                name="first_name"
                label="First Name"
                autoComplete="given-name"
                maxLength={siteLimits.name}
              />
              <FormField
                name="last_name"
                label="Last Name"
                autoComplete="family-name"
                maxLength={siteLimits.name}
              />
              <FormField
                name="email"
                label="Email"
                type="email"
                autoComplete="email"
                maxLength={siteLimits.email}
              />
              <FormField
                name="company"
                label="Company"
                autoComplete="organization"
                maxLength={siteLimits.name}
                optional
              />
            </div>
            <FormField
              name="type"
              label="Type of Inquiry"
              options={inquiryTypes.map(value => ({ value, label: typeLabels[value] }))}
            />
            <FormField name="message" label="Message" rows={8} maxLength={siteLimits.message} />
          </Form>
        </section>
        <div className="flex flex-col gap-8 lg:col-span-2">
          {replyPromise && (
            <Sample sample={replyPromise.sample} className="p-4 pt-5">
              <p className="text-heading">{replyPromise.content}</p>
            </Sample>
          )}
          <section aria-labelledby="methods">
            <h2 id="methods" className="text-heading">
              Who answers what
            </h2>
            <dl className="mt-2">
              {reached.map(({ type, text, email }) => (
                <div key={type} className="border-t border-line py-3">
                  <dt className="font-semi">{typeLabels[type]}</dt>
                  <dd className="text-muted">
                    {text}
                    <br />
                    {email ? (
                      <a href={`mailto:${email}`} className="link">
                        {email}
                      </a>
                    ) : (
                      <a href={`/contact?type=${type}#form`} className="link">
                        Write to {type === 'general' ? 'us' : type}
                      </a>
                    )}
                  </dd>
                </div>
              ))}
            </dl>
          </section>
          {links.length > 0 && (
            <div className="flex flex-wrap gap-3">
              {links.map(button => (
                <a
                  key={button.label}
                  href={button.href}
                  {...(button.isElsewhere && { target: '_blank', rel: 'noopener' })}
                  className={buttonClass('secondary')}
                >
                  {button.label}
                </a>
              ))}
            </div>
          )}
        </div>
      </div>
      {offices && (
        <Section id="offices" title="Offices" layout="side">
          <Sample sample={offices.sample} className="grid gap-6 p-5 pt-6 sm:grid-cols-3">
            {offices.content.map(office => (
              <div key={office.city}>
                <h3 className="text-heading">{office.city}</h3>
                <address className="mt-1 not-italic">
                  {office.address.map(line => (
                    <span key={line} className="block">
                      {line}
                    </span>
                  ))}
                </address>
                <p className="mt-2 text-muted">{office.hours}</p>
              </div>
            ))}
          </Sample>
        </Section>
      )}
      <Section id="questions" title="Asked often" layout="side">
        {questions.map(({ question, answer }) => (
          <details key={question} className="group border-b border-line py-3 first:border-t">
            <summary className="text-heading hover:text-link">{question}</summary>
            <p className="max-w-prose pt-2 pb-1 text-prose text-muted">{answer}</p>
          </details>
        ))}
      </Section>
    </Frame>
  )
}
