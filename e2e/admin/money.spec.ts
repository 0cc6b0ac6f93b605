import { signIn } from '../account.ts'
import { faultsOf } from '../axe.ts'
import { expect, test } from '../product.ts'

test('an administrator reads the money of the days, and sets a price after a preview of what it changes', async ({
  page,
  product,
}) => {
  await signIn(page, product.admin)
  await page.goto('/admin/money')
  const chart = page.getByRole('region', { name: 'Revenue and liability' })
  await expect(chart.getByRole('img')).toHaveAccessibleName(/Held \$[\d,.]+, owed \$/)
  await chart.getByRole('button', { name: 'As a table: Revenue and liability' }).click()
  await expect(chart.getByRole('row')).toHaveCount(31)
  await page.getByRole('radio', { name: 'Customer' }).click()
  await expect(page.getByRole('heading', { name: 'Revenue and use by customer' })).toBeVisible()
  expect(await faultsOf(page)).toEqual([])

  await page.goto('/admin/prices')
  await page.getByRole('button', { name: 'Set price for V100' }).click()
  const dialog = page.getByRole('dialog', { name: 'Set price for V100' })
  await dialog.getByLabel('An hour, USD').fill('1.25')
  await dialog.getByLabel('From (UTC)').fill('2099-01-01T00:00')
  await expect(dialog.getByText(/costs \$1\.25 an hour from then on, instead of \$1\.00/)).toBeVisible()
  await dialog.getByLabel('Reason').fill('Power costs more')
  expect(await faultsOf(page)).toEqual([])
  await dialog.getByRole('button', { name: 'Set price' }).click()
  await expect(page.getByText('V100 costs $1.25 an hour from then on')).toBeVisible()
  await page.getByRole('button', { name: 'Take back the price of V100' }).click()
  const back = page.getByRole('alertdialog', { name: 'Take a price back' })
  await back.getByLabel('Reason').fill('Not after all')
  await back.getByRole('button', { name: 'Take back' }).click()
  await expect(page.getByText('Price taken back')).toBeVisible()
})
