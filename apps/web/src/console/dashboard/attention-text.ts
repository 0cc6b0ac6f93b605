/** What needs somebody, in words: what it is, what comes of it and when, and what can be done from here. */
import type { AttentionItem } from '@ingot/contracts/activity'
import { minimumDepositUsdt } from '@ingot/contracts/wallet'
import { formatMoney, formatRate } from '../../ui/format.ts'
import { hourMs, spanText, whenText } from './times.ts'

export type AttentionAct =
  | 'keep'
  | 'stop'
  | 'start'
  | 'log'
  | 'edit'
  | 'events'
  | 'funds'
  | 'stopped'
  | 'budgets'
  | 'leave'
  | 'support'
  | 'deploy'
  | 'volume'
  | 'volumes'
  | 'create'

export interface AttentionText {
  readonly tone: 'warn' | 'danger' | 'info'
  /** What it is about, in bold. */
  readonly subject: string
  /** Some words in the role's colour. */
  readonly what: string
  /** What comes of it. */
  readonly next: string
  readonly acts: readonly AttentionAct[]
}

const dangerMs = 2 * hourMs
/** Of a reason that goes over several lines, such as the last lines of a log. */
const firstLine = (text: string | null): string => text?.split('\n')[0]?.trim() ?? ''
const tried = 'It is tried again by itself, and costs nothing meanwhile.'

export function attentionText(item: AttentionItem, now: number): AttentionText {
  const { kind, others, place } = item
  const subject = item.instance_name ?? 'An instance'
  const volume = item.volume_name ?? 'A volume'
  const since = whenText(Date.parse(item.at), now)
  const untilMs = item.until === null ? now : Date.parse(item.until)
  const until = `${whenText(untilMs, now)} UTC`
  const amount = formatMoney(item.amount ?? '0')
  const why = firstLine(item.message)
  switch (kind) {
    case 'idle':
      return {
        tone: 'warn',
        subject,
        what: `idle for ${spanText(now - Date.parse(item.at))}.`,
        next: `Stops by itself at ${until}; until then ${formatRate(item.amount ?? '0')} per hour.`,
        acts: ['keep', 'stop'],
      }
    case 'start_failed':
      return {
        tone: 'danger',
        subject,
        what: `did not start at ${since} UTC.`,
        next: why,
        acts: ['log', 'edit'],
      }
    case 'crash_loop':
      return {
        tone: 'danger',
        subject,
        what: `stopped at ${since} UTC: its command keeps ending.`,
        next: why,
        acts: ['log', 'edit'],
      }
    case 'lost':
      return {
        tone: 'danger',
        subject,
        what: `lost its machine at ${since} UTC.`,
        next: why,
        acts: ['events', 'start'],
      }
    case 'stop_failed':
    case 'restart_failed':
    case 'delete_failed': {
      const verb = { stop_failed: 'stopped', restart_failed: 'restarted', delete_failed: 'deleted' }[kind]
      return {
        tone: 'danger',
        subject,
        what: `could not be ${verb} at ${since} UTC.`,
        next: why || tried,
        acts: ['events'],
      }
    }
    case 'balance_empty':
      return {
        tone: 'danger',
        subject: others === 0 ? subject : `${subject} and ${others} more`,
        what: `stopped at ${since} UTC: the balance was used up.`,
        next: 'The disk is kept, and nothing after that is charged.',
        acts: others === 0 ? ['start', 'funds'] : ['stopped', 'funds'],
      }
    case 'runway':
      return {
        tone: untilMs - now < dangerMs ? 'danger' : 'warn',
        subject: 'Balance',
        what: `lasts ${spanText(untilMs - now)}.`,
        next: `Used up at ${until} at ${formatRate(item.amount ?? '0')} per hour; then what runs stops.`,
        acts: ['funds'],
      }
    case 'budget_stopped':
    case 'budget_passed':
      return {
        tone: 'warn',
        subject: item.instance_name ?? 'The account',
        what: `has used up its budget of ${amount}.`,
        next: `${kind === 'budget_stopped' ? 'What draws on it stops' : 'It is only told: what runs goes on'}${item.until === null ? '' : `, until ${until}`}.`,
        acts: ['budgets'],
      }
    case 'queued':
      return {
        tone: why ? 'warn' : 'info',
        subject,
        what: why
          ? 'is passed over in the queue.'
          : `waits for a place since ${since} UTC: ${place ?? 1} in the queue.`,
        next:
          why ||
          (Number(item.amount) > 0
            ? `${amount} is set aside, not charged. It starts by itself.`
            : 'It starts by itself.'),
        acts: why ? ['leave', 'funds'] : ['leave'],
      }
    case 'deposit_below_minimum':
      return {
        tone: 'warn',
        subject: `${others === 0 ? 'Deposit' : `${others + 1} deposits`} of ${amount}`,
        what: 'below the minimum.',
        next: `Credited with the next, once they are $${minimumDepositUsdt} together.`,
        acts: ['funds'],
      }
    case 'deposit_review':
      return {
        tone: 'info',
        subject: `${others === 0 ? 'Deposit' : `${others + 1} deposits`} of ${amount}`,
        what: `held for review since ${since} UTC.`,
        next: 'It is so large that a person looks at it before it is credited.',
        acts: ['support'],
      }
    case 'volume_full':
      return {
        tone: 'warn',
        subject: volume,
        what: `is nearly full: ${item.percent ?? 90}%.`,
        next: 'Programs that write to a full volume fail.',
        acts: ['volume'],
      }
    case 'volume_lapsed':
    case 'snapshot_lapsed': {
      const isVolume = kind === 'volume_lapsed'
      return {
        tone: 'danger',
        subject: volume,
        what: `is not paid: deleted on ${until}.`,
        next: `${isVolume ? 'It is read-only, and' : 'It'} costs ${amount} for the month since ${since} UTC.`,
        acts: isVolume ? ['funds', 'volume'] : ['funds', 'volumes'],
      }
    }
    case 'volume_failed':
      return {
        tone: 'danger',
        subject: volume,
        what: `could not be made at ${since} UTC.`,
        next: why,
        acts: ['create'],
      }
    case 'maintenance':
      return {
        tone: 'warn',
        subject,
        what: untilMs > now ? `stops at ${until}: its host is maintained.` : 'its host is maintained.',
        next: `${why} ${untilMs > now ? 'Its disk is kept. Deploy another one to work on meanwhile.' : 'It can start again when that is over.'}`.trim(),
        acts: untilMs > now ? ['stop', 'deploy'] : ['deploy'],
      }
    case 'maintenance_over':
      return {
        tone: 'info',
        subject,
        what: 'was stopped for maintenance, which is over.',
        next: 'It does not start by itself.',
        acts: ['start'],
      }
    case 'volume_maintenance':
      return {
        tone: 'info',
        subject: volume,
        what: untilMs > now ? `its host is maintained from ${until} on.` : 'its host is maintained.',
        next: `${why} Its data stays; nothing can run with it meanwhile.`.trim(),
        acts: ['volume'],
      }
    case 'credit_ends':
      return {
        tone: 'info',
        subject: `Credit of ${amount}`,
        what: `ends at ${until}.`,
        next: 'It is used before the balance; what is left then lapses.',
        acts: ['deploy'],
      }
  }
}
