import { useContext } from 'react'
import { ShownContext } from '../shown.ts'

/** Whether anything of a ticket leaves the service. */
export function SentToModel() {
  const modelHost = useContext(ShownContext)?.modelHost ?? null
  return modelHost === null ? (
    'Nothing of a ticket is sent to anybody else for that.'
  ) : (
    <>
      A language model at {modelHost} writes them: the title of the ticket, what you wrote since the last
      reply, lines of attached logs that tell of errors, and the facts that were found are sent there. Your
      name and address are not.
    </>
  )
}
