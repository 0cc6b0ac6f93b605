/** What machines run on, as administrators see it, and the place of an instance, as its owner does. */
import { builtInTemplates } from '@ingot/contracts/templates'
import type { Page } from '@playwright/test'
import { faultsOf } from '../axe.ts'
import { expect, type Product, test } from '../product.ts'

async function signIn(page: Page, { admin }: Product): Promise<void> {
  await page.goto('/signin')
  await page.getByLabel('Email').fill(admin.email)
  await page.getByLabel('Password', { exact: true }).fill(admin.password)
  await page.getByRole('button', { name: 'Sign In' }).click()
  await expect(page).toHaveURL(/\/dashboard/)
}

test('hosts are shown with what is taken of them, and an instance with its place', async ({
  page,
  product,
}) => {
  const client = await product.clientOf(product.admin)
  const { walletAddress } = await client.wallet.usdtConfig()
  await client.dev.faucet({ address: walletAddress, amount_usdt: '100' })
  await expect.poll(async () => Number((await client.wallet.get()).balance_usd)).toBeGreaterThan(5)
  const { id } = await client.instances.create({
    name: 'placed',
    template_id: builtInTemplates[0]!.id,
    gpu_type: 'A40',
    gpu_count: 1,
    region: 'US-East',
    system_storage_gb: 40,
    data_storage_gb: 100,
    billing_period: 'hourly',
  })
  await signIn(page, product)
  await page.goto('/admin')
  await page.getByRole('link', { name: 'Machines', exact: true }).click()
  const hosts = page.getByRole('table', { name: 'Hosts of' })
  await expect(hosts.getByText('Ready').first()).toBeVisible()
  const { items } = await client.catalog.hosts()
  const used = items.find(host => host.machines_taken > 0)!
  await expect(hosts.getByText(`${used.machines_taken} of ${used.machines}`).first()).toBeVisible()

  await page.goto(`/console/instances?dialog=details&instance=${id}`)
  const dialog = page.getByRole('dialog', { name: 'placed' })
  await expect(dialog.getByRole('heading', { name: 'Places' })).toBeVisible()
  await expect(dialog.getByText('Got a place on a host.')).toBeVisible()
  await client.instances.delete({ id })
})

test('a card without a price is shown with the form that sells it', async ({ page, product }) => {
  // No machine at hand has such a card.
  await page.route('**/v1/admin/hosts*', async route => {
    const response = await route.fetch()
    const unpriced = [{ model: 'NVIDIA L40S', memory_gb: 48, cards: 2 }]
    await route.fulfill({ response, json: { ...(await response.json()), unpriced } })
  })
  await signIn(page, product)
  await page.goto('/admin/hosts')
  await expect(page.getByText('2× NVIDIA L40S: they have no price and are not sold.')).toBeVisible()
  await page.getByRole('button', { name: 'Set a price' }).click()
  const dialog = page.getByRole('dialog', { name: 'Set price for NVIDIA L40S' })
  await expect(dialog.getByLabel('Name')).toHaveValue('L40S')
  expect(await faultsOf(page)).toEqual([])
  await dialog.getByRole('button', { name: 'Cancel' }).click()
})
