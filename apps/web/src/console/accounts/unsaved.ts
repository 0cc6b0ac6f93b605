/** Which sections hold changes that were not saved, so that leaving can ask. */
import { createContext, useContext, useEffect } from 'react'
import type { SettingsSection } from './settings-sections.ts'

export const UnsavedContext = createContext<(section: SettingsSection, isUnsaved: boolean) => void>(() => {})

export function useUnsaved(section: SettingsSection, isUnsaved: boolean): void {
  const report = useContext(UnsavedContext)
  useEffect(() => {
    report(section, isUnsaved)
    return () => report(section, false)
  }, [report, section, isUnsaved])
}
