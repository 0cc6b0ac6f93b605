/** How a deploy ended, in words. What the service refuses is sorted: by field, by price, by reason. */
import { type BillingPeriod, terms } from '@ingot/contracts/catalog'
import { IngotError } from '@ingot/contracts/errors'
import type { Quote } from '@ingot/contracts/instance-costs'
import { formatMoney } from '../../../ui/format.ts'
import { errorText } from '../../shell/error-text.ts'

export interface DeployFailure {
  readonly text: string
  readonly code: string | null
  /** By input field; empty when it is about none. */
  readonly fields: Readonly<Record<string, string>>
  /** The price that was sent, when it is not the price any more. */
  readonly quoted: Quote | null
}

export function successText(period: BillingPeriod, total: string): string {
  const charged = `Instance deployed successfully! You've been charged ${formatMoney(total)}`
  return period === 'hourly'
    ? `${charged} for initial setup.`
    : `${charged} upfront for ${terms[period].label}.`
}

export function failureOf(error: unknown, quoted: Quote): DeployFailure {
  const code = error instanceof IngotError ? error.code : null
  const all = error instanceof IngotError ? (error.fields ?? {}) : {}
  // Of the account's budget no field of the form says anything.
  const ofBudget: Record<string, string> = all['budget'] ? { budget: all['budget'] } : {}
  const fields = code === 'validation_failed' ? all : code === 'budget_exceeded' ? ofBudget : {}
  return {
    code,
    fields,
    text:
      code === 'insufficient_funds'
        ? 'Insufficient funds in wallet'
        : `Failed to deploy instance: ${errorText(error)}`,
    quoted: code === 'price_changed' ? quoted : null,
  }
}
