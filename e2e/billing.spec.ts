/** Usage and Billing: what each day cost, as a picture, in words and as a table; and the receipt of a line. */
import { newAccount, signIn } from './account.ts'
import { expectReadable } from './axe.ts'
import { configuration, pay, runningInstance } from './instances.ts'
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

  // Where there is no room beside the list.
  await page.setViewportSize({ width: 1280, height: 800 })
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
  await expectReadable(page, 'a receipt')
  await page.reload()
  await expect(receipt).toContainText('$99.250000')
  await page.keyboard.press('Escape')
  await expect(page).not.toHaveURL(/receipt=/)
  for (const each of (await client.instances.list()).items) await client.instances.delete({ id: each.id })
})

test('beside the list the receipt follows J and K, and the list keeps the focus; filters stand in the address', async ({
  page,
  product,
}) => {
  const account = await newAccount(product)
  const client = await product.clientOf(account)
  await pay(client)
  for (const name of ['first', 'second', 'third'])
    await client.instances.create({ ...configuration, name, start: false })
  await page.setViewportSize({ width: 1440, height: 900 })
  await signIn(page, account)
  await page.goto('/console/billing')
  const row = (name: string) => page.getByRole('row', { name: new RegExp(`^${name} initial setup`) })
  await row('third').getByRole('link').click()
  const receipt = page.getByRole('complementary', { name: 'Receipt' })
  await expect(receipt).toContainText('third')
  await page.keyboard.press('j')
  await expect(receipt).toContainText('second')
  await expect(row('second')).toBeFocused()
  await page.keyboard.press('ArrowDown')
  await expect(receipt).toContainText('first')
  await page.keyboard.press('k')
  await expect(receipt).toContainText('second')
  await expectReadable(page, 'the receipt beside the list')
  await page.keyboard.press('Escape')
  await expect(receipt).toBeHidden()

  await page.getByRole('combobox', { name: 'Kind' }).click()
  await page.getByRole('option', { name: 'Deploy' }).click()
  await expect(page).toHaveURL(/kind=deploy/)
  await expect(row('third')).toBeVisible()
  await page.getByLabel('From day (UTC)').fill('2020-01-02')
  await page.getByLabel('To day (UTC)').fill('2020-01-03')
  await expect(page).toHaveURL(/from=2020-01-02/)
  await expect(
    page.getByText('No transactions of the kind “Deploy” from 2020-01-02 to 2020-01-03.'),
  ).toBeVisible()
  await page.reload()
  await expect(page.getByText('No transactions of the kind')).toBeVisible()
  await page.goto('/console/billing?kind=deploy')
  const file = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Export FOCUS' }).click()
  expect((await file).suggestedFilename()).toBe('billing-focus-1.2.csv')
})

test('a month that is over has its invoice as PDF and JSON, and the next ones bear the name that is set', async ({
  page,
  product,
}) => {
  const account = await newAccount(product)
  const client = await product.clientOf(account)
  await pay(client)
  await signIn(page, account)
  await page.goto('/console/billing')
  await page.getByRole('button', { name: 'Download Invoice' }).click()
  const drawer = page.getByRole('dialog', { name: 'Invoices' })
  await expect(drawer).toContainText('None yet.')
  await expect(drawer).toContainText('So far $0.00')
  await drawer.getByLabel('Name or company').fill('Analytical Engines')
  await drawer.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('Saved for the next invoices')).toBeVisible()

  await client.instances.create({ ...configuration, name: 'invoiced', start: false })
  const month = (await client.dev.time({})).now.slice(0, 7)
  await product.advance(31 * 86_400_000)
  const { items } = await client.invoices.issue({ month })
  const { number, id } = items[0]!
  await page.reload()
  await expect(drawer.getByRole('list', { name: 'Invoices' })).toContainText('$0.75')
  const pdf = page.waitForEvent('download')
  await drawer.getByRole('button', { name: `${number} as PDF` }).click()
  expect((await pdf).suggestedFilename()).toBe(`${number}.pdf`)
  const json = page.waitForEvent('download')
  await drawer.getByRole('button', { name: `${number} as JSON` }).click()
  expect((await json).suggestedFilename()).toBe(`${number}.json`)
  expect((await client.invoices.get({ id })).customer.name).toBe('Analytical Engines')
  await expectReadable(page, 'the invoices')
  await page.keyboard.press('Escape')
  await expect(drawer).toBeHidden()
  const opener = page.getByRole('button', { name: 'Download Invoice' })
  await opener.press('Enter')
  await expect(drawer).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(opener).toBeFocused()
})
