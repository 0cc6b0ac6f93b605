/** What start, stop and restart say when they have been answered; whether adding funds is the way on. */
import { IngotError } from '@ingot/contracts/errors'
import { isInTerm } from '@ingot/contracts/instance-costs'
import type { Instance } from '@ingot/contracts/instances'
import { errorText } from '../shell/error-text.ts'

export interface ActionText {
  readonly text: string
  readonly needsFunds: boolean
}

/** Where funds are missing nothing is owed: the server says what the next ten minutes need. */
export const refusedText = (act: 'start' | 'stop' | 'restart', error: unknown): ActionText =>
  error instanceof IngotError && error.code === 'insufficient_funds'
    ? { text: errorText(error), needsFunds: true }
    : { text: `Failed to ${act} instance: ${errorText(error)}`, needsFunds: false }

type Ended = Pick<Instance, 'name' | 'status_reason' | 'status_message' | 'paid_until'>

/** When the wallet had run dry before, or a budget was used up, the server says in the specification's words what it could not charge. */
export const endedText = (
  act: 'Stopping' | 'Restarting',
  { name, status_reason, status_message, ...instance }: Ended,
  now = new Date(),
): ActionText =>
  (status_reason === 'balance_empty' || status_reason === 'budget_reached') && status_message
    ? { text: status_message, needsFunds: status_reason === 'balance_empty' }
    : { text: `${act} ${name}.${act === 'Stopping' ? ` ${cardText(instance, now)}` : ''}`, needsFunds: false }

/** What becomes of its place on a host while it is stopped. */
export const cardText = (instance: Pick<Instance, 'paid_until'>, now: Date): string =>
  isInTerm(instance, now)
    ? 'Its GPU stays reserved for it until its term ends.'
    : 'Its GPU goes back: others may take it while it is stopped.'
