/**
 * What was chosen at the last deploy, kept in this browser for one account. It only chooses beforehand: prices and what
 * can be chosen are the service's, and nothing of it is sent before somebody sees it. Names, budgets, variables and
 * secrets are not kept.
 */
import type { SearchText } from '../../../list/search-state.ts'
import { type DeployChoices, type DeploySearch, deploySearchFor, type OnSale } from '../deploy-search.ts'

const kept = [
  'gpu_type',
  'gpu_count',
  'region',
  'system_storage_gb',
  'data_storage_gb',
  'billing_period',
  'on_term_end',
  'ssh_keys',
] as const satisfies readonly (keyof DeployChoices)[]
const maxText = 1000

const placeOf = (userId: string): string => `ingot-last-deploy:${userId}`

export interface LastDeploy {
  readonly templateId: string | null
  /** As the address of the deploy screen has them. */
  readonly choices: SearchText
}

/** Of a template that somebody else shares nothing is kept: its key stands in no place but its link. */
export function lastDeployOf({ choices, templateId, templateKey }: DeploySearch): LastDeploy {
  const text = deploySearchFor(Object.fromEntries(kept.map(name => [name, choices[name]])))
  return {
    templateId: templateKey ? null : templateId,
    choices: Object.fromEntries(Object.entries(text).filter(([, value]) => value)),
  }
}

/** Anything that is not as it was written counts as nothing. */
export function readLastDeploy(text: string | null): LastDeploy | null {
  try {
    const { templateId, choices } = JSON.parse(text ?? '') as { templateId: unknown; choices: object }
    const known = Object.entries(choices).filter(
      ([name, value]) =>
        (kept as readonly string[]).includes(name) && typeof value === 'string' && value.length <= maxText,
    )
    return {
      templateId: typeof templateId === 'string' ? templateId : null,
      choices: Object.fromEntries(known) as SearchText,
    }
  } catch {
    return null
  }
}

export const lastDeploy = {
  get: (userId: string): LastDeploy | null => {
    try {
      return readLastDeploy(localStorage.getItem(placeOf(userId)))
    } catch {
      return null
    }
  },
  /** A browser that keeps nothing forgets it. */
  keep: (userId: string, search: DeploySearch): void => {
    try {
      localStorage.setItem(placeOf(userId), JSON.stringify(lastDeployOf(search)))
    } catch {
      // Full or closed to us.
    }
  },
}

/** An address that names choices of its own, or says where it began, is taken as it is. */
export const isBlank = (search: SearchText): boolean =>
  search['from'] === undefined &&
  search['step'] === undefined &&
  kept.every(name => search[name] === undefined)

/** The address without them: the defaults. */
export const freshSearch: SearchText = {
  ...Object.fromEntries(kept.map(name => [name, undefined])),
  from: 'fresh',
}

/** What of it cannot be chosen any more, in words. */
export function goneTexts(search: SearchText, { gpus, regions }: OnSale, chosen: DeployChoices): string[] {
  const { gpu_type, region } = search
  return [
    gpu_type !== undefined &&
      !gpus.some(({ name }) => name === gpu_type) &&
      `${gpu_type.slice(0, 64)} is not on sale any more: ${chosen.gpu_type} is chosen instead.`,
    region !== undefined &&
      !regions.some(({ id }) => id === region) &&
      `${region.slice(0, 64)} is not offered any more: ${chosen.region} is chosen instead.`,
  ].filter(text => text !== false)
}
