/**
 * As which customer this tab reads, if any. It is this tab's alone: a reload keeps it, another tab has none of it. What it
 * is begun and ended with is a page that is loaded anew, so that nothing fetched for the one is shown to the other.
 */
import type { Acting } from '@ingot/contracts/admin/acting'

const key = 'ingot-acting'

function read(): Acting | null {
  try {
    const acting = JSON.parse(sessionStorage.getItem(key) ?? 'null') as Acting | null
    return acting && Date.parse(acting.until) > 0 ? acting : null
  } catch {
    return null
  }
}

let current = read()

export const actingAs = (): Acting | null => current

export function enterActing(acting: Acting): void {
  current = acting
  sessionStorage.setItem(key, JSON.stringify(acting))
  location.assign('/dashboard')
}

export function leaveActing(): void {
  if (!current) return
  current = null
  sessionStorage.removeItem(key)
  location.assign('/admin')
}

/** For the buttons that write. */
export const actingReason = (): string | null =>
  current && 'You act as a customer: you can look, and change nothing.'
