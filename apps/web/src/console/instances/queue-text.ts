/** The queue in words: where somebody stands, what is set aside for it, and how one waits. */
import type { Instance } from '@ingot/contracts/instances'
import type { Queue } from '@ingot/contracts/instance/places'
import { formatMoney } from '../../ui/format.ts'

/** In a row. */
export const placeText = ({ position, blocked }: Queue): string =>
  blocked === null ? `place ${position} in the queue` : 'passed over in the queue'

/** What is set aside, and what becomes of it. */
export function setAsideText({ set_aside, is_new }: Queue): string {
  const amount = formatMoney(set_aside)
  if (is_new) return `${amount} of your balance, charged when it starts. Leaving the queue returns it.`
  return Number(set_aside) === 0
    ? 'Nothing: what is prepaid for it covers the start.'
    : `${amount} of your balance, for its first ten minutes. It returns when it starts or leaves the queue.`
}

/** After a deploy, a clone or a start that found no place. */
export function queuedText({ name, queue }: Pick<Instance, 'name' | 'queue'>): string {
  if (queue === null) return `${name} has its place.`
  const aside =
    Number(queue.set_aside) === 0 ? '' : ` ${formatMoney(queue.set_aside)} is set aside, not charged.`
  return `${name} waits: ${placeText(queue)}.${aside} It starts by itself.`
}
