/** What start, stop and restart say when they have been answered; whether adding funds is the way on. */
import { IngotError } from '@ingot/contracts/errors'
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

/** When the wallet had run dry before, or a budget was used up, the server says in the specification's words what it could not charge. */
export const endedText = (
  act: 'Stopping' | 'Restarting',
  { name, status_reason, status_message }: Pick<Instance, 'name' | 'status_reason' | 'status_message'>,
): ActionText =>
  (status_reason === 'balance_empty' || status_reason === 'budget_reached') && status_message
    ? { text: status_message, needsFunds: status_reason === 'balance_empty' }
    : { text: `${act} ${name}.`, needsFunds: false }
