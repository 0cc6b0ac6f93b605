import { siteLimits } from '@ingot/contracts/site'
import { Form, FormField } from './Form.tsx'

/** The blog's subscribe box. The address counts only once its owner has confirmed it. */
export function SubscribeForm() {
  return (
    <Form
      call="/v1/subscriptions"
      submit="Subscribe"
      busy="Subscribing…"
      done="A mail is on its way. Open the link in it, and you are subscribed."
      note="New posts only. Every mail has a link that ends it."
      inline
    >
      <FormField name="email" label="Email" type="email" autoComplete="email" maxLength={siteLimits.email} />
    </Form>
  )
}
