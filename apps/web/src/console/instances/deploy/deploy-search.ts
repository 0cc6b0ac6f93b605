/**
 * The deploy screen's choices, which live in its address: reload and Back lose none. A choice that is the default is
 * left out; one that is not for sale counts as the default.
 */
import { maxInstanceName } from '@ingot/contracts/instances'
import {
  type BillingPeriod,
  billingPeriods,
  type Configuration,
  dataStorageGb,
  deployDefaults,
  gpuCounts,
  gpuTypes,
  type RegionName,
  regionNames,
  systemStorageGb,
} from '@ingot/contracts/catalog'
import { readOne } from '../../list/read-search.ts'
import type { SearchText } from '../../list/search-state.ts'
import { type AutoShutdownChoice, readAutoShutdown } from '../auto-shutdown.ts'

export interface DeployChoices extends Configuration {
  readonly name: string
  readonly region: RegionName
  readonly billing_period: BillingPeriod
  readonly start: boolean
  /** Absent: as the preferences say. */
  readonly auto_shutdown?: AutoShutdownChoice | undefined
}

export interface DeploySearch {
  readonly templateId: string
  /** As the link says; the catalogue of templates decides. */
  readonly templateName: string
  readonly templateDescription: string
  readonly templateCategory: string
  readonly step: 1 | 2
  /** `deploy=1`, as on the list: the template picker is open. */
  readonly isPicking: boolean
  readonly choices: DeployChoices
}

const one = <T extends string>(known: readonly T[], value: string | undefined, other: T): T =>
  readOne(known, value) ?? other
const oneNumber = (known: readonly number[], value: string | undefined, other: number): number =>
  known.find(each => String(each) === value) ?? other

/** Step 2 needs a name; without one the address stands for step 1. */
export function readDeploySearch(search: SearchText): DeploySearch {
  const name = (search['name'] ?? '').slice(0, maxInstanceName)
  return {
    templateId: search['templateId'] ?? '',
    templateName: search['templateName'] ?? '',
    templateDescription: search['templateDescription'] ?? '',
    templateCategory: search['templateCategory'] ?? '',
    isPicking: search['deploy'] === '1',
    step: search['step'] === '2' && name.trim() ? 2 : 1,
    choices: {
      name,
      gpu_type: one(gpuTypes, search['gpu_type'], deployDefaults.gpu_type),
      gpu_count: oneNumber(gpuCounts, search['gpu_count'], deployDefaults.gpu_count),
      region: one(regionNames, search['region'], deployDefaults.region),
      system_storage_gb: oneNumber(
        systemStorageGb,
        search['system_storage_gb'],
        deployDefaults.system_storage_gb,
      ),
      data_storage_gb: oneNumber(dataStorageGb, search['data_storage_gb'], deployDefaults.data_storage_gb),
      billing_period: one(billingPeriods, search['billing_period'], deployDefaults.billing_period),
      start: search['start'] !== 'no',
      auto_shutdown: readAutoShutdown(search['auto_shutdown']),
    },
  }
}

/** What to change in the address for these choices. */
export function deploySearchFor({ start, name, ...choices }: Partial<DeployChoices>): SearchText {
  const changes = Object.entries(choices).map(([key, value]): [string, string | undefined] => [
    key,
    value === deployDefaults[key as keyof typeof deployDefaults] ? undefined : String(value),
  ])
  return {
    ...Object.fromEntries(changes),
    ...(start === undefined ? {} : { start: start ? undefined : 'no' }),
    ...(name === undefined ? {} : { name }),
  }
}
