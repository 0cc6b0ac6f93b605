import { useBlocker, useLocation } from '@tanstack/react-router'
import { useCallback, useEffect, useState } from 'react'
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { isSigningOut } from '../session/auth.tsx'
import { actingAs } from '../shell/acting.ts'
import { PageHeading } from '../shell/PageHeading.tsx'
import { type SettingsSection, settingsSections } from './settings-sections.ts'
import { ApiAccessSection } from './ApiAccessSection.tsx'
import { BrowserSection } from './BrowserSection.tsx'
import { DangerSection } from './DangerSection.tsx'
import { IdentitiesSection } from './IdentitiesSection.tsx'
import { NotificationsSection } from './NotificationsSection.tsx'
import { PreferencesSection } from './PreferencesSection.tsx'
import { ProfileSection } from './ProfileSection.tsx'
import { SecuritySection } from './SecuritySection.tsx'
import { SettingsNav } from './SettingsNav.tsx'
import { SshKeysSection } from './SshKeysSection.tsx'
import { StaffActsSection } from './staff-acts/StaffActsSection.tsx'
import { TwoFactorSection } from './two-factor/TwoFactorSection.tsx'
import { UnsavedContext } from './unsaved.ts'

export function SettingsScreen() {
  return actingAs() ? <NoSettings /> : <Settings />
}

/** Half of what stands on the page is the session's own, and would be the administrator's. */
function NoSettings() {
  return (
    <div className="flex flex-col gap-6">
      <PageHeading>Settings</PageHeading>
      <EmptyState title="Settings are not shown while you act as a customer.">
        What they have set stands in their user details.
      </EmptyState>
    </div>
  )
}

/** All of the account on one page. Each section is saved by itself; leaving with something unsaved asks. */
function Settings() {
  const [unsaved, setUnsaved] = useState<readonly SettingsSection[]>([])
  const report = useCallback(
    (section: SettingsSection, isUnsaved: boolean) =>
      setUnsaved(before => {
        if (before.includes(section) === isUnsaved) return before
        return isUnsaved ? [...before, section] : before.filter(each => each !== section)
      }),
    [],
  )
  useSectionInView()
  return (
    <UnsavedContext value={report}>
      <div className="flex flex-col gap-6">
        <PageHeading>Settings</PageHeading>
        <div className="flex flex-col gap-6 lg:flex-row lg:gap-12">
          <SettingsNav />
          <div className="flex w-full max-w-prose min-w-0 flex-col gap-12">
            <ProfileSection />
            <NotificationsSection />
            <PreferencesSection />
            <ApiAccessSection />
            <SshKeysSection />
            <SecuritySection />
            <TwoFactorSection />
            <IdentitiesSection />
            <StaffActsSection />
            <BrowserSection />
            <DangerSection />
          </div>
        </div>
      </div>
      <LeaveDialog unsaved={unsaved} />
    </UnsavedContext>
  )
}

/**
 * The section that the address names is brought into view, and kept there while those above it grow with their data;
 * not any longer once the visitor scrolls or acts.
 */
function useSectionInView(): void {
  const { hash, search } = useLocation()
  // A provider that failed leaves its own fragment.
  const id = 'linked' in search ? 'identities' : hash
  useEffect(() => {
    const section = id ? document.getElementById(id) : null
    if (!section) return
    const show = () => section.scrollIntoView()
    show()
    // A dialog that is open has the focus.
    if (!document.querySelector('[role=dialog], [role=alertdialog]'))
      section.querySelector<HTMLElement>('h2')?.focus({ preventScroll: true })
    const growth = new ResizeObserver(show)
    growth.observe(section.parentElement!)
    const stop = () => {
      growth.disconnect()
      clearTimeout(timer)
      for (const act of acts) window.removeEventListener(act, stop)
    }
    const timer = setTimeout(stop, settleMs)
    for (const act of acts) window.addEventListener(act, stop, { passive: true })
    return stop
  }, [id])
}

const settleMs = 3000
const acts = ['wheel', 'touchstart', 'pointerdown', 'keydown'] as const

function LeaveDialog({ unsaved }: { readonly unsaved: readonly SettingsSection[] }) {
  const isUnsaved = unsaved.length > 0
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) =>
      isUnsaved && !isSigningOut() && next.pathname !== current.pathname && next.pathname !== '/signin',
    enableBeforeUnload: () => isUnsaved,
    withResolver: true,
  })
  const names = settingsSections.filter(({ id }) => unsaved.includes(id)).map(({ label }) => label)
  return (
    <ConfirmDialog
      open={blocker.status === 'blocked'}
      onOpenChange={open => !open && blocker.reset?.()}
      title="Leave without saving"
      confirmLabel="Leave without saving"
      cancelLabel="Stay"
      onConfirm={() => blocker.proceed?.()}
    >
      Changes in {names.join(' and ')} are not saved. Leaving loses them.
    </ConfirmDialog>
  )
}
