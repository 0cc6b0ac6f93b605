/** Usage and Billing: what each day cost, as a picture, in words and as a table; and the receipt of a line. */
import { AxeBuilder } from '@axe-core/playwright'
import { newAccount, signIn } from './account.ts'
import { configuration, runningInstance } from './instances.ts'
import { expect, test } from './product.ts'

test('each day says what it cost, split as asked, and every line opens its receipt', async ({
  page,
  product,
}) => {
  const account = await newAccount(product)
  const client = await product.clientOf(account)
  const { id } = await runningInstance(client, 'counted')
  await client.instances.create({ ...configuration, name: 'never-started', start: false })
  await expect.poll(async () => (await client.billing.usage({})).used_ms).toBeGreaterThan(1_000)
  await client.instances.stop({ id })
  await expect.poll(async () => (await client.instances.get({ id })).status).toBe('stopped')
  const { items, to } = await client.billing.usage({})
  expect(items).toMatchObject([{ key: to, parts: [{ key: 'A40' }] }])

  await signIn(page, account)
  await page.goto('/console/billing')
  const chart = page.getByRole('img', { name: /^Spend per day/ })
  await expect(chart).toHaveAccessibleName(/Highest \$0\.00/)
  await page.getByRole('radio', { name: 'Instance' }).click()
  await expect(page).toHaveURL(/split=instance/)
  await expect(page.getByRole('list', { name: 'Parts' })).toContainText('counted')
  await chart.press('ArrowLeft')
  await page.getByRole('button', { name: 'As a table' }).click()
  const table = page.getByRole('table', { name: 'Usage per day' })
  await expect(table.getByRole('row', { name: to })).toContainText('$0.00')

  await page
    .getByRole('row', { name: /counted initial setup/ })
    .getByRole('link')
    .click()
  const receipt = page.getByRole('dialog', { name: 'Receipt' })
  await expect(receipt).toContainText('exactly −$0.750000')
  await expect(receipt).toContainText('$100.000000')
  await expect(receipt).toContainText('1× A40, US-East')
  await expect(page).toHaveURL(/receipt=/)
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    expect((await new AxeBuilder({ page }).analyze()).violations).toEqual([])
  }
  await page.reload()
  await expect(receipt).toContainText('$99.250000')
  await page.keyboard.press('Escape')
  await expect(page).not.toHaveURL(/receipt=/)
  for (const each of (await client.instances.list()).items) await client.instances.delete({ id: each.id })
})
