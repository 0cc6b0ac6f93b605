/**
 * The deploy screen's choices, which live in its address: reload and Back lose none. A choice that is the default is
 * left out; one that is not on sale, or not any more, counts as the default, and leads back to step 1.
 */
import type { AtLimit, BudgetInput } from '@ingot/contracts/budgets'
import { maxInstanceName, termEnds } from '@ingot/contracts/instances'
import {
  type BillingPeriod,
  billingPeriods,
  type Configuration,
  dataStorageGb,
  defaultGpu,
  deployDefaults,
  gpuCounts,
  systemStorageGb,
} from '@ingot/contracts/catalog'
import { maxPorts } from '@ingot/contracts/instance/ports'
import { maxSshKeys } from '@ingot/contracts/ssh'
import { readOne } from '../../list/read-search.ts'
import type { SearchText } from '../../list/search-state.ts'
import { readPorts } from '../../templates/template-text.ts'
import { limitOf } from '../../budgets/budget-text.ts'
import { type AutoShutdownChoice, readAutoShutdown } from '../auto-shutdown.ts'

export interface DeployChoices extends Configuration {
  readonly name: string
  readonly gpu_type: string
  readonly region: string
  readonly billing_period: BillingPeriod
  readonly start: boolean
  /** Of a term; what is billed hourly has none. */
  readonly on_term_end: (typeof termEnds)[number]
  /** Absent: as the preferences say. */
  readonly auto_shutdown?: AutoShutdownChoice | undefined
  /** Absent: every key of the account opens it. */
  readonly ssh_keys?: readonly string[] | undefined
  /** Beside those of the template. */
  readonly ports?: readonly number[] | undefined
  /** As it was typed. */
  readonly budget?: string | undefined
  /** Absent: it stops. */
  readonly budget_at?: AtLimit | undefined
}

const maxBudgetText = 16

/** The fields of a deploy for these choices; none without a budget. */
export const budgetInputOf = ({
  budget,
  budget_at,
}: Pick<DeployChoices, 'budget' | 'budget_at'>): { budget?: BudgetInput } =>
  budget ? { budget: { limit: limitOf(budget), at_limit: budget_at ?? 'stop' } } : {}

export interface DeploySearch {
  readonly templateId: string
  /** As the link says; the catalogue of templates decides. */
  readonly templateName: string
  readonly templateDescription: string
  readonly templateCategory: string
  /** Of a template that somebody else shares. */
  readonly templateKey: string | undefined
  readonly step: 1 | 2
  /** `deploy=1`, as on the list: the template picker is open. */
  readonly isPicking: boolean
  readonly choices: DeployChoices
  /** The GPU that the address names and nobody sells (any more): another is chosen instead. */
  readonly unsoldGpu: string | null
}

const one = <T extends string>(known: readonly T[], value: string | undefined, other: T): T =>
  readOne(known, value) ?? other
const oneNumber = (known: readonly number[], value: string | undefined, other: number): number =>
  known.find(each => String(each) === value) ?? other

/** What the service says can be chosen. */
export interface OnSale {
  readonly gpus: readonly { readonly name: string }[]
  readonly regions: readonly { readonly id: string }[]
}

/** Step 2 needs a name, and all that was chosen; without them the address stands for step 1. */
export function readDeploySearch(search: SearchText, { gpus, regions }: OnSale): DeploySearch {
  const name = (search['name'] ?? '').slice(0, maxInstanceName)
  const wanted = {
    gpu: search['gpu_type'] ?? deployDefaults.gpu_type,
    region: search['region'] ?? deployDefaults.region,
  }
  const gpu = gpus.find(each => each.name === wanted.gpu) ?? defaultGpu(gpus)
  const region =
    regions.find(each => each.id === wanted.region) ??
    regions.find(each => each.id === deployDefaults.region) ??
    regions[0]!
  // The usual one stands in no address: it was chosen where step 2 was reached.
  const wasChosen = search['gpu_type'] !== undefined || search['step'] === '2'
  const isAsWanted = gpu.name === wanted.gpu && region.id === wanted.region
  return {
    templateId: search['templateId'] ?? '',
    templateName: search['templateName'] ?? '',
    templateDescription: search['templateDescription'] ?? '',
    templateCategory: search['templateCategory'] ?? '',
    templateKey: search['templateKey'],
    isPicking: search['deploy'] === '1',
    step: search['step'] === '2' && name.trim() && isAsWanted ? 2 : 1,
    unsoldGpu: gpu.name === wanted.gpu || !wasChosen ? null : wanted.gpu.slice(0, maxInstanceName),
    choices: {
      name,
      gpu_type: gpu.name,
      gpu_count: oneNumber(gpuCounts, search['gpu_count'], deployDefaults.gpu_count),
      region: region.id,
      system_storage_gb: oneNumber(
        systemStorageGb,
        search['system_storage_gb'],
        deployDefaults.system_storage_gb,
      ),
      data_storage_gb: oneNumber(dataStorageGb, search['data_storage_gb'], deployDefaults.data_storage_gb),
      billing_period: one(billingPeriods, search['billing_period'], deployDefaults.billing_period),
      start: search['start'] !== 'no',
      on_term_end: one(termEnds, search['on_term_end'], 'hourly'),
      auto_shutdown: readAutoShutdown(search['auto_shutdown']),
      budget: search['budget']?.slice(0, maxBudgetText) || undefined,
      budget_at: search['budget_at'] === 'warn' ? 'warn' : undefined,
      ssh_keys: readIds(search['ssh_keys']),
      ports: readPortNumbers(search['ports']),
    },
  }
}

/** Numbers alone: names are given later, and nothing of them is secret. */
function readPortNumbers(text: string | undefined): readonly number[] | undefined {
  const read = readPorts((text ?? '').slice(0, 200))
  return typeof read === 'string' || read.length === 0 ? undefined : read.slice(0, maxPorts)
}

/** An empty list is one from which nothing is chosen yet. */
const readIds = (text: string | undefined): readonly string[] | undefined =>
  text?.split(',').filter(Boolean).slice(0, maxSshKeys)

/** What to change in the address for these choices. */
export function deploySearchFor({
  start,
  name,
  on_term_end,
  ...choices
}: Partial<DeployChoices>): SearchText {
  const changes = Object.entries(choices).map(([key, value]): [string, string | undefined] => [
    key,
    value === undefined || value === deployDefaults[key as keyof typeof deployDefaults]
      ? undefined
      : // Nothing chosen of a list is a choice too, and an empty text is none.
        String(value) || ',',
  ])
  return {
    ...Object.fromEntries(changes),
    ...(on_term_end === undefined ? {} : { on_term_end: on_term_end === 'hourly' ? undefined : on_term_end }),
    ...(start === undefined ? {} : { start: start ? undefined : 'no' }),
    ...(name === undefined ? {} : { name }),
  }
}
