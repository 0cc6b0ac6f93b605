import { usedMicro } from '@ingot/contracts/instance-costs'
import { moneyText } from '@ingot/contracts/money'
import type { InstanceRow } from './queries.ts'

/** The specification's words for what ran on after the balance had ended, which nobody pays; none when that is nothing. */
export function unpaidText(
  verb: 'stop' | 'restart',
  { hourly_cost_micro }: Pick<InstanceRow, 'hourly_cost_micro'>,
  closedAt: string,
  at: string,
): string | undefined {
  const micro = usedMicro(hourly_cost_micro, Date.parse(at) - Date.parse(closedAt))
  if (micro === 0n) return undefined
  return verb === 'stop'
    ? `Instance stopped but couldn't charge ${moneyText(micro)} for usage. Please add funds to your wallet.`
    : `Couldn't charge ${moneyText(micro)} for usage before restart. Please add funds to your wallet.`
}
