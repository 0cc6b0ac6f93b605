/** What the public pages say that depends on this server: rendered now, and again whenever the catalogue changes. */
import type { Shown } from '@ingot/contracts/pages'
import type { Pages } from './pages.ts'
import type { Services } from './services.ts'

type ShowNeeds = Pick<Services, 'config' | 'catalog' | 'regions' | 'log'>

/** A later rendering that fails leaves the former one. */
export async function keepShowing(pages: Pages, needs: ShowNeeds): Promise<void> {
  const show = async () => pages.show(await shownBy(needs))
  needs.catalog.onChange(() => {
    show().catch(error =>
      needs.log.error({ err: error }, 'the pages could not be rendered with the new catalogue'),
    )
  })
  await show()
}

async function shownBy({ config, catalog, regions }: ShowNeeds): Promise<Shown> {
  const { gpus, formerGpus, regions: onSale } = await catalog.now()
  return {
    origin: config.publicUrl,
    gpus,
    formerGpus,
    regions: regions.filter(({ id, available }) => available && onSale.includes(id)).map(({ id }) => id),
  }
}
