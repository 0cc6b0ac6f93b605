/** What is said of idleness. */
import type { Idleness, IdleSignal } from '@ingot/contracts/instance/idle'

export const signalNames: Record<IdleSignal, string> = {
  terminal: 'Typing in the web terminal',
  ssh: 'Typing and files over SSH',
  requests: 'Requests that change something',
  processor: 'Processor',
  cards: 'GPU',
}

type Seen = Idleness['signals'][number]

/** `0.5 processors`, `card 2 at 84%`; null where the signal says no more than that it counted. */
export function amountText({
  signal,
  amount,
  card,
}: Pick<Seen, 'signal' | 'amount' | 'card'>): string | null {
  if (amount === null) return null
  if (signal === 'processor') return `${Number(amount.toPrecision(2))} processors`
  return `card ${(card ?? 0) + 1} at ${Math.round(amount * 100)}%`
}

/** Why it does not count here. */
export const unwatchedText = ({ signal }: Pick<Seen, 'signal'>): string =>
  signal === 'ssh' ? 'Not available here: SSH is off' : 'Not measured here, so it is left out'

export function stateText({ state, auto_shutdown_enabled }: Idleness): string {
  if (!auto_shutdown_enabled) return 'Auto-shutdown is off: it runs until you stop it or the balance ends.'
  if (state === 'off') return 'It is not running.'
  if (state === 'unknown')
    return 'What it does cannot be read now, so nothing stops it. The count goes on once it can.'
  return state === 'working' ? 'At work now.' : 'Idle.'
}

const hourMs = 3_600_000
export const snoozeChoices = ['hour', 'four_hours', 'tomorrow'] as const
export type SnoozeChoice = (typeof snoozeChoices)[number]
export const snoozeWords: Record<SnoozeChoice, string> = {
  hour: 'For 1 hour',
  four_hours: 'For 4 hours',
  tomorrow: 'Until tomorrow 9:00',
}

/** Tomorrow as the reader's calendar has it. */
export function snoozeUntil(choice: SnoozeChoice, now: Date): string {
  if (choice === 'hour') return new Date(now.getTime() + hourMs).toISOString()
  if (choice === 'four_hours') return new Date(now.getTime() + 4 * hourMs).toISOString()
  return new Date(now.getFullYear(), now.getMonth(), now.getDate() + 1, 9).toISOString()
}

export const idleCells = 12

/** Of the twelve parts of its idle minutes, how many are over. */
export function cellsOver({ auto_shutdown_minutes, idle_since }: Idleness, now: Date): number {
  if (idle_since === null) return 0
  const part = (auto_shutdown_minutes * 60_000) / idleCells
  return Math.min(idleCells, Math.max(0, Math.floor((now.getTime() - Date.parse(idle_since)) / part)))
}
