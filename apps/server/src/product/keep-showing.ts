/**
 * What the public pages say that depends on this server: rendered now, and again whenever the catalogue changes or the
 * operator announces something else.
 */
import type { Shown } from '@ingot/contracts/pages'
import type { Logger } from 'pino'
import type { Catalog } from '../catalog/catalog.ts'
import type { Region } from '../catalog/regions.ts'
import type { Config } from '../config.ts'
import type { Pages } from './pages.ts'

import type { SiteFile } from '@ingot/contracts/site/content'
import type { Posted } from '../site/posted/posted.ts'

interface ShowNeeds {
  readonly config: Config
  readonly catalog: Catalog
  readonly posted: Posted
  readonly siteFile: SiteFile
  readonly regions: readonly Region[]
  readonly log: Logger
}

/** A later rendering that fails leaves the former one. */
export async function keepShowing(pages: Pages, needs: ShowNeeds): Promise<void> {
  const show = async () => pages.show(await shownBy(needs))
  const again = (why: string) => () => {
    show().catch(error => needs.log.error({ err: error }, `the pages could not be rendered with ${why}`))
  }
  needs.catalog.onChange(again('the new catalogue'))
  needs.posted.onChange(again('what is announced'))
  await show()
}

export async function shownBy({
  config,
  catalog,
  posted,
  siteFile,
  regions,
}: Omit<ShowNeeds, 'log'>): Promise<Shown> {
  const { gpus, formerGpus, regions: onSale } = await catalog.now()
  return {
    origin: config.publicUrl,
    gpus,
    formerGpus,
    modelHost: config.ai.model?.host ?? null,
    regions: regions.filter(({ id, available }) => available && onSale.includes(id)).map(({ id }) => id),
    told: posted.now('site'),
    file: siteFile,
  }
}
