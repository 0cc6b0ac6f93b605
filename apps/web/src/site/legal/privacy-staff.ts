/** What the privacy page says of administrators who read as a customer, and the form of its clauses. */
import { claim, type Sentence } from '../trust/claim.ts'

export interface PrivacyClause {
  readonly id: string
  readonly title: string
  readonly plain: readonly Sentence[]
  readonly text: readonly (readonly Sentence[])[]
}

export const readAsYou: readonly Sentence[] = [
  claim(
    'An administrator who helps you may read your console as you see it, for half an hour and with a reason, and changes nothing by it.',
    'an administrator who acts as a customer > changes no row by reading, but the count of what they read',
    'what the customer and the audit log know of it > that its time was over, when nobody ended it',
  ),
  claim(
    'They see no keys, files, logs or deposit addresses of yours.',
    'an administrator who acts as a customer > is refused every other call, whatever its input',
  ),
  claim(
    'What they looked at and why stands in your settings, as does whatever our staff change in your account.',
    'what the customer and the audit log know of it > its beginning, its end and what was read, without the name of whoever it was',
  ),
]
