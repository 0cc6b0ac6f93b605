/**
 * What a page shows that only an operator can vouch for: the operator's own file where it says, else a sample that says
 * that it is one. A part that the file hides, or that has nothing, is null: its section is left out.
 */
import type { Shown } from '@ingot/contracts/pages'
import { ownSupportCenter, type SiteContent, type SitePart, siteParts } from '@ingot/contracts/site/content'
import { useShown } from '../shown.ts'
import { samples } from './sample.ts'

export interface Block<T> {
  readonly sample: boolean
  readonly content: T
}

type SamplePart = keyof typeof samples
type FactPart = Exclude<SitePart, SamplePart>

/** Null where there is nothing to show. */
export function blockOf<P extends SamplePart>(
  part: P,
  { file }: Pick<Shown, 'file'>,
): Block<Sampled<P>> | null {
  const given = file[part] as Sampled<P> | null | undefined
  if (given === undefined) return { sample: true, content: samples[part] as Sampled<P> }
  return given === null || (Array.isArray(given) && given.length === 0)
    ? null
    : { sample: false, content: given }
}
/** A sample has no addresses to lead to. */
type Sampled<P extends SamplePart> = SiteContent[P] extends readonly (infer Entry)[]
  ? readonly (Entry extends { url: string } ? Omit<Entry, 'url'> & { readonly url?: string } : Entry)[]
  : SiteContent[P]

export const useBlock = <P extends SamplePart>(part: P): Block<Sampled<P>> | null => blockOf(part, useShown())

export function factOf(part: FactPart, { file }: Pick<Shown, 'file'>): string | null {
  const given = file[part]
  return given === undefined && part === 'support_center' ? ownSupportCenter : (given ?? null)
}
export const useFact = (part: FactPart): string | null => factOf(part, useShown())

/** How a sentence names who runs this site. */
export const useOperatorName = (): string => useFact('legal_name') ?? 'the operator of this site'

/** Every sample has its part, and every part that wants one a sample: see render.test.ts. */
export const sampleParts = Object.keys(siteParts).filter(
  part => siteParts[part as SitePart].absent === 'sample',
) as SamplePart[]
