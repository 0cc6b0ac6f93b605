/** Who runs this site, as a sentence of a legal text names them. */
import { useFact, useOperatorName } from '../content/content.ts'
import { note } from '../trust/claim.ts'

export const OperatorName = () => useOperatorName()

/** With a comma before it; nothing where none is given. */
function PostalAddress() {
  const address = useFact('postal_address')
  return address && <>, {address}</>
}

/** Where to write about one's data. */
export function WriteTo() {
  const email = useFact('privacy_email')
  return email ? (
    <a href={`mailto:${email}`} className="link">
      {email}
    </a>
  ) : (
    <a href="/contact" className="link">
      the contact form
    </a>
  )
}

export const controller = note(
  <>
    The controller of your data is <OperatorName />
    <PostalAddress />.
  </>,
)
export const reachUs = note(
  <>
    You reach us about data protection through <WriteTo />.
  </>,
)
