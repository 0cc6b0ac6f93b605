import { formatMoney } from '../../ui/format.ts'
import { type Spend, spendName } from './spend.ts'

/** The whole picture in words. */
export function spendSentence(
  by: 'day' | 'hour',
  spends: readonly Spend[],
  mean: string | null,
  expected: string | null,
): string {
  const [first, last] = [spends[0]!, spends.at(-1)!]
  const span = `Spend per ${by}, ${spendName(by, first.at)} to ${spendName(by, last.at)} UTC`
  const ofNow = expected === null ? '' : ` About ${formatMoney(expected)} by midnight UTC at this rate.`
  if (spends.every(({ amount }) => Number(amount) === 0)) return `${span}: nothing.${ofNow}`
  const highest = spends.reduce((most, each) => (Number(each.amount) > Number(most.amount) ? each : most))
  const ofMean = mean === null ? '' : ` Average ${formatMoney(mean)}.`
  return `${span}: highest ${formatMoney(highest.amount)}, ${spendName(by, highest.at)}.${ofMean} ${by === 'day' ? 'Today' : 'This hour'} ${formatMoney(last.amount)}.${ofNow}`
}
