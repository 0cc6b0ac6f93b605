import { siteLimits } from '@ingot/contracts/site'
import { Form, FormField } from './Form.tsx'

/** Instead of a buy button, where there is nothing to buy yet. */
export function WaitlistForm({ product, name }: { readonly product: string; readonly name: string }) {
  return (
    <Form
      call="/v1/waitlist"
      fixed={{ product }}
      submit="Join the waiting list"
      busy="Joining…"
      done={`You are on the waiting list for ${name}. One mail will come when it is for sale, and none before.`}
      inline
    >
      <FormField name="email" label="Email" type="email" autoComplete="email" maxLength={siteLimits.email} />
    </Form>
  )
}
