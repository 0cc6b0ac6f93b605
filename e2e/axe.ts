/** What axe, which reads a page as assistive technology does, finds wrong with it: a line for each rule that is broken. */
import { AxeBuilder } from '@axe-core/playwright'
import { expect, type Page } from '@playwright/test'

export interface Look {
  /** All of them where none is named. */
  readonly rules?: readonly string[]
  readonly without?: string
}

/**
 * In the page itself, and of what it finds the faults alone: to carry all that is well to another page, as the library
 * does for the sake of frames, took as long as to find it. There are no frames.
 */
export async function faultsOf(page: Page, { rules, without }: Look = {}): Promise<readonly string[]> {
  expect(page.frames(), 'axe hears the page alone').toHaveLength(1)
  const axe = new AxeBuilder({ page }).setLegacyMode().options({ resultTypes: ['violations'] })
  if (rules) axe.withRules([...rules])
  if (without) axe.exclude(without)
  const { violations } = await axe.analyze()
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(node => node.html).join(' ')}`)
}

/** What another theme and another width can break; the rest is the same document. */
export const changing = ['color-contrast', 'target-size', 'scrollable-region-focusable', 'link-in-text-block']

/** The page in both themes: whole in one, and in the other what a theme can break. */
export async function expectReadable(page: Page, where: string, without?: string): Promise<void> {
  // A page that is not drawn yet has no heading, and axe would judge that.
  await page.locator('h1').first().waitFor({ state: 'attached' })
  for (const [colorScheme, rules] of [['light'], ['dark', changing]] as const) {
    // Without motion: colours on their way from one theme to the other are no theme.
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    // The theme is there with the next frame.
    await page.evaluate(() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done))))
    expect(await faultsOf(page, { rules, without }), `${where}, ${colorScheme}`).toEqual([])
  }
}
