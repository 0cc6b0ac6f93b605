/** What is done to a part of a public page before its code has come is done when it comes, and nothing typed is lost. */
import type { Page } from '@playwright/test'
import { expect, test } from './product.ts'

/** Keeps back the scripts whose names begin so, until it is called. */
async function holdBack(page: Page, name: string): Promise<() => void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  await page.route(`**/assets/${name}-*.js`, async route => {
    await promise
    await route.continue()
  })
  return resolve
}

/** Opens a page and waits for its style alone: without it, what another width hides is visible. */
async function open(page: Page, path: string) {
  await page.goto(path, { waitUntil: 'commit' })
  await page.locator('footer').waitFor()
  await page.waitForFunction(() =>
    [...document.querySelectorAll('link[rel=stylesheet]')].every(link => 'sheet' in link && link.sheet),
  )
}

// The part's own code may be late, or the code that looks for parts.
for (const late of ['copy', 'main'])
  test(`a click on Copy before ${late}.js has come copies when it comes, once`, async ({ page, context }) => {
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.addInitScript(() => {
      const copied: string[] = []
      Object.assign(window, { copied })
      navigator.clipboard.writeText = async text => void copied.push(text)
    })
    const release = await holdBack(page, late)
    await open(page, '/docs/templates')
    await page.getByRole('button', { name: 'Copy' }).first().dblclick()
    await expect(page.getByRole('button', { name: 'Copied' })).toHaveCount(0)
    release()
    await expect(page.getByRole('button', { name: 'Copied' })).toBeVisible()
    expect(await page.evaluate(() => (window as unknown as { copied: string[] }).copied)).toEqual([
      'curl -s "$INGOT_URL/v1/templates"',
    ])
  })

for (const late of ['form', 'main'])
  test(`a form sent before ${late}.js has come is sent when it comes, and never as an address`, async ({
    page,
    product,
  }) => {
    const email = `early-${late}@example.com`
    const release = await holdBack(page, late)
    await open(page, '/subscribe')
    await page.getByLabel('Email').fill(email)
    await page.getByRole('button', { name: 'Subscribe', exact: true }).click()
    await expect(page.getByLabel('Email')).toHaveValue(email)
    expect(page.url()).toBe(`${product.url}/subscribe`)
    release()
    await expect(page.getByText('A mail is on its way')).toBeVisible()
    await expect.poll(async () => (await product.linksTo(email)).length).toBeGreaterThan(0)
  })

test('what is typed and chosen before the code has come stays: a form, the calculator, a tool, the theme', async ({
  page,
}) => {
  let release = await holdBack(page, 'main')
  await open(page, '/contact?type=support')
  await page.getByLabel('Message').fill('Where is the manual?')
  await page.getByLabel('Type of Inquiry').selectOption('sales')
  release()
  await expect(page.locator('form[novalidate]')).toBeAttached()
  await expect(page.getByLabel('Message')).toHaveValue('Where is the manual?')
  await expect(page.getByLabel('Type of Inquiry')).toHaveValue('sales')

  await page.unrouteAll({ behavior: 'ignoreErrors' })
  release = await holdBack(page, 'main')
  await open(page, '/pricing')
  await page.getByLabel('GPU', { exact: true }).selectOption('T4')
  await page.getByLabel('Hours it runs').fill('2160')
  release()
  await expect(page.locator('[data-spoken]')).toHaveText('3 months costs least for these hours: $621.00.')
  await expect(page).toHaveURL(/\?gpu=T4&hours=2160$/)

  await page.unrouteAll({ behavior: 'ignoreErrors' })
  release = await holdBack(page, 'main')
  await open(page, '/docs/api/wallet')
  await page.getByText('Python', { exact: true }).first().click()
  await page.getByRole('radio', { name: 'Dark' }).check()
  release()
  await expect(page.getByRole('radio', { name: 'Python', checked: true })).not.toHaveCount(1)
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark')
})

test('the search and the shell open for a click that came before their code', async ({ page }) => {
  let release = await holdBack(page, 'main')
  await open(page, '/docs')
  await page.locator('[data-island=search]:visible').click()
  release()
  await expect(page.getByRole('dialog', { name: 'Search' }).getByRole('combobox')).toBeFocused()

  await page.unrouteAll({ behavior: 'ignoreErrors' })
  release = await holdBack(page, 'try-it')
  await open(page, '/')
  await page.getByRole('button', { name: 'nvidia-smi' }).click()
  release()
  await expect(page.locator('#try-it-line')).toBeVisible()
  await expect(page.locator('[data-screen]')).toContainText(/# nvidia-smi/)
})

test('the phone menu opens for a click that came before its code, where the browser knows no commands', async ({
  page,
}) => {
  await page.setViewportSize({ width: 390, height: 844 })
  await page.addInitScript(() => {
    Reflect.deleteProperty(HTMLButtonElement.prototype, 'command')
    const isCommand = ({ target }: Event) => (target as Element).closest('[commandfor]')
    addEventListener('click', event => isCommand(event) && event.preventDefault(), true)
  })
  const release = await holdBack(page, 'main')
  await open(page, '/')
  await page.getByRole('button', { name: 'Menu' }).click()
  const menu = page.getByRole('dialog', { name: 'Menu' })
  await expect(menu).toBeHidden()
  release()
  await expect(menu).toBeVisible()
  await menu.getByRole('button', { name: 'Close' }).click()
  await expect(menu).toBeHidden()
})
