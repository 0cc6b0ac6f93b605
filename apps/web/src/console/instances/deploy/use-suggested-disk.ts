import { dataStorageGb } from '@ingot/contracts/catalog'
import type { TemplateDetails } from '@ingot/contracts/templates'
import { useEffect, useRef } from 'react'
import type { ChangeSearch } from '../../list/search-state.ts'
import { type DeployChoices, deploySearchFor } from './deploy-search.ts'

/** The least choice that is enough; the largest where none is. */
export const suggestedDisk = (disk_gb: number): number =>
  dataStorageGb.find(gb => gb >= disk_gb) ?? dataStorageGb.at(-1)!

/** Chooses the data storage that a template is meant to have, once, where less is chosen. */
export function useSuggestedDisk(
  template: TemplateDetails | undefined,
  { data_storage_gb }: Pick<DeployChoices, 'data_storage_gb'>,
  change: ChangeSearch,
): void {
  const done = useRef<string>(undefined)
  useEffect(() => {
    if (!template || done.current === template.id) return
    done.current = template.id
    if (template.disk_gb !== null && data_storage_gb < template.disk_gb)
      change(deploySearchFor({ data_storage_gb: suggestedDisk(template.disk_gb) }))
  }, [template, data_storage_gb, change])
}
