import type { ReactNode } from 'react'
import { Band } from '../../ui/Band.tsx'
import { Button } from '../../ui/Button.tsx'
import { useOfflineReason } from '../shell/online.ts'
import { type SettingsSection, settingsSections } from './settings-sections.ts'

interface SectionProps {
  readonly id: SettingsSection
  readonly lead?: ReactNode
  readonly children: ReactNode
}

export function Section({ id, lead, children }: SectionProps) {
  const title = settingsSections.find(section => section.id === id)?.label
  return (
    <section
      id={id}
      aria-labelledby={`${id}-title`}
      className="flex scroll-mt-6 flex-col gap-4 lg:scroll-mt-0"
    >
      <div className="border-b border-line pb-2">
        <h2 id={`${id}-title`} tabIndex={-1} className="text-heading outline-none">
          {title}
        </h2>
        {lead && <p className="text-muted">{lead}</p>}
      </div>
      {children}
    </section>
  )
}

interface SaveRowProps {
  readonly isChanged: boolean
  readonly isBusy: boolean
  readonly problem: string | null
  readonly onDiscard: () => void
  /** The same as a command. */
  readonly command: ReactNode
}

/** Stands only while there is something to save. Its form is the one around it. */
export function SaveRow({ isChanged, isBusy, problem, onDiscard, command }: SaveRowProps) {
  const offline = useOfflineReason()
  if (!isChanged) return null
  return (
    <div className="flex flex-col gap-3">
      {problem && <Band tone="danger">{problem}</Band>}
      <div className="flex flex-wrap gap-2">
        <Button type="submit" variant="primary" busy={isBusy} busyLabel="Saving..." disabledReason={offline}>
          Save changes
        </Button>
        <Button variant="ghost" onClick={onDiscard}>
          Discard
        </Button>
        {command}
      </div>
    </div>
  )
}

interface SettingRowProps {
  readonly title: ReactNode
  readonly children?: ReactNode
  /** At the right: what can be done with it. */
  readonly action?: ReactNode
}

/** One thing of the account and what can be done with it, in a list of such. */
export function SettingRow({ title, children, action }: SettingRowProps) {
  return (
    <li className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 border-t border-line py-3 first:border-t-0 sm:flex-nowrap">
      <div className="min-w-0">
        <div className="flex flex-wrap items-center gap-2 font-medium">{title}</div>
        {children && <div className="text-muted">{children}</div>}
      </div>
      {action && <div className="flex shrink-0 flex-wrap gap-2">{action}</div>}
    </li>
  )
}

export const rowList = 'rounded-panel border border-line bg-raised px-4'
