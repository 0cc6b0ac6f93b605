/** One line of what happened lately. */
import type { RecentItem } from '@ingot/contracts/activity'
import { actionLabel } from '../activity/log-words.ts'

interface EventWords {
  /** The instance's name, in bold; empty where it is about none. */
  readonly subject: string
  readonly what: string
  readonly isFailure: boolean
}

/** Letters of a reason: the whole of it is in the log. */
const longest = 140

export function eventWords({
  action,
  instance_name,
  message,
}: Pick<RecentItem, 'action' | 'instance_name' | 'message'>): EventWords {
  const said = message?.split('\n')[0]?.trim() ?? ''
  const short = said.length > longest ? `${said.slice(0, longest - 1)}…` : said
  if (action === null) {
    // As billing has it: the instance, a colon, what was paid. A number stays with what it counts.
    const isNamed = instance_name !== null && short.startsWith(`${instance_name}: `)
    const what = isNamed ? short.slice(instance_name.length + 2) : short
    return {
      subject: isNamed ? instance_name : '',
      what: what.replaceAll(' × ', '\u00a0×\u00a0'),
      isFailure: false,
    }
  }
  const isAbout = instance_name !== null && action.startsWith('instance_')
  const verb = isAbout ? action.slice('instance_'.length).replaceAll('_', ' ') : actionLabel(action)
  return {
    subject: isAbout ? instance_name : '',
    what: short ? `${verb}: ${short}` : verb,
    isFailure: action.endsWith('_failed'),
  }
}
