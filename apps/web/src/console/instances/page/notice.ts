/** What a change that nobody asked for means, and the ways on. The service's own words come first where it has some. */
import type { Instance } from '@ingot/contracts/instances'

type Way = 'funds' | 'log' | 'settings' | 'details'

export interface Notice {
  readonly tone: 'info' | 'warn' | 'danger'
  /** Where the service says nothing itself. */
  readonly words: string
  readonly next: string | null
  readonly ways: readonly Way[]
}

const startAgain = 'Start it again when you want to.'
const triedAgain = 'It is tried again by itself; you need not do anything.'

const notices: Partial<Record<NonNullable<Instance['status_reason']>, Notice>> = {
  balance_empty: {
    tone: 'warn',
    words: 'It was stopped because the balance reached zero.',
    next: 'Its disk stays. Add funds, then start it.',
    ways: ['funds'],
  },
  budget_reached: {
    tone: 'warn',
    words: 'It was stopped because its budget is used up.',
    next: 'Its disk stays. Raise the budget, then start it.',
    ways: ['details'],
  },
  start_failed: {
    tone: 'danger',
    words: 'It could not be started.',
    next: 'Its disk is as it was. Start it again; it may get another place.',
    ways: ['log'],
  },
  crash_loop: {
    tone: 'danger',
    words: 'Its start command ended five times within a minute each, so it was stopped.',
    next: 'Read in its log how the command ended, before you start it again.',
    ways: ['log'],
  },
  lost: {
    tone: 'danger',
    words: 'Its machine stopped by itself.',
    next: 'The time since then is not charged. Start it again.',
    ways: ['log'],
  },
  ended: {
    tone: 'warn',
    words: 'It was ended from inside.',
    next: startAgain,
    ways: ['log'],
  },
  idle: {
    tone: 'info',
    words: 'It stopped by itself: nothing counted as work.',
    next: startAgain,
    ways: ['settings'],
  },
  volume_lapsed: {
    tone: 'warn',
    words: 'It was stopped because the month of its volume is not paid.',
    next: 'Pay the month, or detach the volume, then start it.',
    ways: ['funds'],
  },
  suspended: {
    tone: 'info',
    words: 'It was stopped because the account was suspended.',
    next: startAgain,
    ways: [],
  },
  maintenance: {
    tone: 'warn',
    words: 'It was stopped because its host is maintained.',
    next: 'Its disk stays where it is. It can start again when that is over; you are told by mail.',
    ways: [],
  },
  term_over: {
    tone: 'info',
    words: 'Its term ended, and it was to stop then.',
    next: 'Start it to go on by the hour.',
    ways: [],
  },
  stop_failed: { tone: 'danger', words: 'It could not be stopped.', next: triedAgain, ways: [] },
  restart_failed: { tone: 'danger', words: 'It could not be restarted.', next: triedAgain, ways: [] },
  delete_failed: { tone: 'danger', words: 'It could not be deleted.', next: triedAgain, ways: [] },
}

/** Null: nothing happened that nobody asked for, or it is over. */
export function noticeOf({
  status,
  status_reason,
}: Pick<Instance, 'status' | 'status_reason'>): Notice | null {
  if (status_reason === null || status === 'running' || status === 'starting') return null
  return notices[status_reason] ?? null
}
