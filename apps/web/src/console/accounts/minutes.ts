import { autoShutdownMinutes, defaultUserSettings } from '@ingot/contracts/accounts'

const { min, max } = autoShutdownMinutes

/** What cannot be read as a number is the default. */
export function readMinutes(text: string): number {
  const minutes = Number.parseInt(text, 10)
  return Number.isNaN(minutes) ? defaultUserSettings.auto_shutdown_minutes : minutes
}

export const minutesProblem = (minutes: number): string | null =>
  minutes < min || minutes > max ? `Enter ${min} to ${max} minutes` : null
