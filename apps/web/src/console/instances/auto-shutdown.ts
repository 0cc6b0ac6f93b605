/** Auto-shutdown as a choice: off, or the minutes without activity after which an instance stops by itself. */
import { autoShutdownOptions, type Instance } from '@ingot/contracts/instances'
import type { SelectOption } from '../../ui/Select.tsx'

export type AutoShutdownMinutes = (typeof autoShutdownOptions)[number]
export type AutoShutdownChoice = 'off' | AutoShutdownMinutes

/** As an instance or the preferences have it; the preferences know minutes that are none of the options. */
export type AutoShutdown = Pick<Instance, 'auto_shutdown_enabled' | 'auto_shutdown_minutes'>

export const readAutoShutdown = (text: string | undefined): AutoShutdownChoice | undefined =>
  text === 'off' ? text : autoShutdownOptions.find(minutes => String(minutes) === text)

/** What to send; nothing where nothing was chosen. */
export function autoShutdownInput(choice: AutoShutdownChoice | undefined): {
  auto_shutdown_enabled?: boolean
  auto_shutdown_minutes?: AutoShutdownMinutes
} {
  if (choice === undefined) return {}
  if (choice === 'off') return { auto_shutdown_enabled: false }
  return { auto_shutdown_enabled: true, auto_shutdown_minutes: choice }
}

/** What stands once `choice` is made. */
export const withChoice = (present: AutoShutdown, choice: AutoShutdownChoice | undefined): AutoShutdown => ({
  ...present,
  ...autoShutdownInput(choice),
})

export const autoShutdownText = ({ auto_shutdown_enabled, auto_shutdown_minutes }: AutoShutdown): string =>
  auto_shutdown_enabled
    ? `Stops by itself after ${auto_shutdown_minutes} idle minutes`
    : 'Runs until you stop it or the balance ends'

export const selectedOption = ({ auto_shutdown_enabled, auto_shutdown_minutes }: AutoShutdown): string =>
  auto_shutdown_enabled ? String(auto_shutdown_minutes) : 'off'

/** Off, the seven, and what stands where it is none of them. */
export function autoShutdownSelect(present: AutoShutdown): SelectOption<string>[] {
  const own = present.auto_shutdown_enabled ? [present.auto_shutdown_minutes] : []
  const minutes = [...new Set<number>([...autoShutdownOptions, ...own])].toSorted((a, b) => a - b)
  return [
    { value: 'off', label: 'Off' },
    ...minutes.map(each => ({ value: String(each), label: `After ${each} idle minutes` })),
  ]
}
