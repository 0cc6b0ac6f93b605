/** One line of what happened lately. */
import { kindOf, type RecentItem } from '@ingot/contracts/activity'
import { actionLabel } from '../activity/log-words.ts'

interface EventWords {
  /** The name of the instance or the volume, in bold; empty where it is about none. */
  readonly subject: string
  readonly what: string
  readonly isFailure: boolean
}

/** Letters of a reason: the whole of it is in the log. */
const longest = 140

export function eventWords({
  action,
  instance_name,
  volume_name,
  message,
}: Pick<RecentItem, 'action' | 'instance_name' | 'volume_name' | 'message'>): EventWords {
  const said = message?.split('\n')[0]?.trim() ?? ''
  const short = said.length > longest ? `${said.slice(0, longest - 1)}…` : said
  if (action === null) {
    // As billing has it: the instance or volume, a colon, what was paid. A number stays with what it counts.
    const name = instance_name ?? volume_name
    const isNamed = name !== null && short.startsWith(`${name}: `)
    const what = isNamed ? short.slice(name.length + 2) : short
    return {
      subject: isNamed ? name : '',
      what: what.replaceAll(' × ', '\u00a0×\u00a0'),
      isFailure: false,
    }
  }
  const kind = kindOf(action)
  const name = kind === 'volume' ? volume_name : kind === 'instance' ? instance_name : null
  const verb = name === null ? actionLabel(action) : action.slice(kind.length + 1).replaceAll('_', ' ')
  return {
    subject: name ?? '',
    what: short ? `${verb}: ${short}` : verb,
    isFailure: action.endsWith('_failed'),
  }
}
