import type { ReactNode } from 'react'
import { Form } from '../parts/Form.tsx'
import { Frame, PageHead } from '../parts/PageHead.tsx'
import { SubscribeForm } from '../parts/SubscribeForm.tsx'

/**
 * Where the links of the newsletter's mails lead. A click confirms, not the visit: programs that check mails follow
 * links too. Without a token the page offers the subscription itself.
 */
export function SubscribePage() {
  return (
    <Column title="Subscribe to the blog" lead="New posts by mail, about one a month.">
      <div data-island="token" data-param="token">
        <div data-with-token hidden>
          <p className="pb-4 text-prose">One click, and this address gets new posts.</p>
          <Form
            call="/v1/subscriptions/confirm"
            fixed={{ token: '' }}
            submit="Confirm subscription"
            busy="Confirming…"
            done="You are subscribed. Every mail has a link that ends it."
            primary
          >
            {null}
          </Form>
        </div>
        <div data-without-token>
          <SubscribeForm />
        </div>
      </div>
    </Column>
  )
}

export function UnsubscribePage() {
  return (
    <Column title="Unsubscribe" lead="Ends the mails about new posts, and erases the address.">
      <div data-island="token" data-param="token">
        <div data-with-token hidden>
          <Form
            call="/v1/subscriptions/end"
            fixed={{ token: '' }}
            submit="Unsubscribe"
            busy="Unsubscribing…"
            done="You are unsubscribed, and your address is erased."
            primary
          >
            {null}
          </Form>
        </div>
        <p data-without-token className="max-w-prose text-prose">
          Open the link at the end of a mail: it carries what this page needs to know whose subscription to
          end.
        </p>
      </div>
    </Column>
  )
}

function Column({
  title,
  lead,
  children,
}: {
  readonly title: string
  readonly lead: string
  readonly children: ReactNode
}) {
  return (
    <Frame>
      <PageHead title={title} lead={lead}>
        <div className="mt-8 max-w-prose">{children}</div>
      </PageHead>
    </Frame>
  )
}
