/** Words of announcements, and their times as a person types them. */
import type {
  AnnouncementPlace,
  AnnouncementState,
  AnnouncementTone,
} from '@ingot/contracts/site/announcements'
import type { Tone } from '../../../ui/Badge.tsx'

export const stateWords: Record<AnnouncementState, string> = {
  planned: 'Planned',
  shown: 'Shown',
  over: 'Over',
}
export const stateTones: Record<AnnouncementState, Tone> = { planned: 'info', shown: 'ok', over: 'neutral' }
export const placeWords: Record<AnnouncementPlace, string> = {
  both: 'Public site and console',
  site: 'Public site',
  console: 'Console',
}
export const toneWords: Record<AnnouncementTone, string> = { info: 'Information', warn: 'Warning' }

/** As `datetime-local` has it, in the browser's time zone; empty for none. */
export function localText(iso: string | null): string {
  if (iso === null) return ''
  const date = new Date(iso)
  const local = new Date(date.getTime() - date.getTimezoneOffset() * 60_000)
  return local.toISOString().slice(0, 16)
}

/** Undefined for an empty or half-typed one. */
export function isoOf(local: string): string | undefined {
  const date = local ? new Date(local) : null
  return date && !Number.isNaN(date.getTime()) ? date.toISOString() : undefined
}
