/** A page without a mouse: Tab goes to what can be reached, and a key presses it. */
import { expect, type Locator, type Page } from '@playwright/test'

const most = 200
const hasFocus = (target: Locator) => target.evaluate(element => element === document.activeElement)

async function until(page: Page, key: string, target: Locator): Promise<void> {
  await expect(target).toBeVisible()
  for (let n = 0; n < most; n++) {
    if (await hasFocus(target)) return
    await page.keyboard.press(key)
  }
  throw new Error(`${key} does not reach ${String(target)}`)
}

export const tabTo = (page: Page, target: Locator) => until(page, 'Tab', target)

export async function pressOn(page: Page, target: Locator, key = 'Enter'): Promise<void> {
  await tabTo(page, target)
  await page.keyboard.press(key)
}

export async function typeInto(page: Page, target: Locator, text: string): Promise<void> {
  await tabTo(page, target)
  await page.keyboard.press('ControlOrMeta+A')
  await page.keyboard.insertText(text)
}

/** An item of the menu that opens on `trigger`. */
export async function choose(page: Page, trigger: Locator, item: string): Promise<void> {
  await pressOn(page, trigger)
  await until(page, 'ArrowDown', page.getByRole('menuitem', { name: item, exact: true }))
  await page.keyboard.press('Enter')
}
