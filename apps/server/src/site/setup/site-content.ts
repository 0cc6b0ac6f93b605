/** Which parts of the public pages are the operator's own, and which are still samples. */
import { type SiteFile, type SitePart, siteParts } from '@ingot/contracts/site/content'
import type { ContentSource, SitePartState } from '@ingot/contracts/site/setup'

export const partsOf = (file: SiteFile): SitePartState[] =>
  Object.entries(siteParts).map(([name, { does, pages, absent }]) => ({
    name,
    does,
    pages: [...pages],
    source: sourceOf(file[name as SitePart], absent),
  }))

function sourceOf(given: unknown, absent: ContentSource): ContentSource {
  if (given === undefined) return absent
  return given === null || (Array.isArray(given) && given.length === 0) ? 'hidden' : 'own'
}
