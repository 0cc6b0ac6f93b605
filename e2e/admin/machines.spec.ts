/** Administrators cordon and drain a host and review a template; the customer reads what it means. By keyboard where it counts. */
import { builtInTemplates } from '@ingot/contracts/templates'
import type { Page } from '@playwright/test'
import { faultsOf } from '../axe.ts'
import { expect, type Product, test } from '../product.ts'

test.use({ isSmall: true })

async function signIn(page: Page, { admin }: Product): Promise<void> {
  await page.goto('/signin')
  await page.getByLabel('Email').fill(admin.email)
  await page.getByLabel('Password', { exact: true }).fill(admin.password)
  await page.getByRole('button', { name: 'Sign In' }).click()
  await expect(page).toHaveURL(/\/dashboard/)
}

test('a host is drained with notice: told, stopped at its time, and opened again', async ({
  page,
  product,
}) => {
  const client = await product.clientOf(product.admin)
  const { walletAddress } = await client.wallet.usdtConfig()
  await client.dev.faucet({ address: walletAddress, amount_usdt: '100' })
  await expect.poll(async () => Number((await client.wallet.get()).balance_usd)).toBeGreaterThan(5)
  const { id } = await client.instances.create({
    name: 'trainer',
    template_id: builtInTemplates[0]!.id,
    gpu_type: 'A40',
    gpu_count: 1,
    region: 'US-East',
    system_storage_gb: 40,
    data_storage_gb: 100,
    billing_period: 'hourly',
  })
  const statusIs = (status: string) =>
    expect.poll(async () => (await client.instances.get({ id })).status, { timeout: 30_000 }).toBe(status)
  await statusIs('running')
  await signIn(page, product)
  await page.goto('/admin/machines')
  const hosts = page.getByRole('table', { name: 'Hosts of simulated' })
  await expect(hosts.getByText('Ready')).toBeVisible()
  expect(await faultsOf(page)).toEqual([])
  await hosts.getByRole('link').first().click()
  await expect(page.getByRole('table', { name: 'Instances' }).getByText('trainer')).toBeVisible()
  expect(await faultsOf(page)).toEqual([])

  await page.getByRole('button', { name: 'Drain' }).click()
  const dialog = page.getByRole('alertdialog', { name: /^Drain/ })
  await expect(dialog.getByText('1 instance that runs', { exact: false })).toBeVisible()
  await dialog.getByLabel('Reason').fill('A power supply is replaced.')
  await dialog.getByLabel('When it begins (UTC)').fill('2020-01-01T00:00')
  await expect(dialog.getByRole('checkbox')).toBeVisible()
  const later = new Date(Date.now() + 3 * 3_600_000).toISOString().slice(0, 16)
  await dialog.getByLabel('When it begins (UTC)').fill(later)
  await expect(dialog.getByRole('checkbox')).toHaveCount(0)
  expect(await faultsOf(page)).toEqual([])
  await dialog.getByLabel('Reason').press('Tab')
  await dialog.getByRole('button', { name: 'Drain host' }).press('Enter')
  await expect(page.getByText('All that runs here stops at', { exact: false })).toBeVisible()

  await page.goto('/dashboard')
  const attention = page.getByRole('region', { name: 'Needs attention' })
  await expect(attention.getByText('its host is maintained.')).toBeVisible()
  await product.advance(3 * 3_600_000)
  await statusIs('stopped')
  await page.goto('/admin/machines')
  await hosts.getByRole('link').first().click()
  await expect(page.getByText('Empty: nothing runs here', { exact: false })).toBeVisible()
  await page.getByRole('button', { name: 'Open', exact: true }).click()
  const open = page.getByRole('dialog', { name: 'Open host' })
  await open.getByLabel('Reason').fill('Done')
  await open.getByRole('button', { name: 'Open host' }).click()
  await expect(page.getByText('Ready')).toBeVisible()
  await page.goto('/dashboard')
  await page.getByRole('button', { name: 'Start: trainer' }).click()
  await statusIs('running')
  await page.goto('/admin/placements')
  await expect(page.getByRole('table', { name: 'Decisions' }).getByText('Given back').first()).toBeVisible()
  expect(await faultsOf(page)).toEqual([])
  await client.instances.delete({ id })
})

test('a template is proposed by its author, approved by staff, and shown to everybody as Community', async ({
  page,
  product,
}) => {
  const client = await product.clientOf(product.admin)
  await client.templates.create({
    name: 'Whisper server',
    category: 'LLM',
    docker_image: 'example/whisper:3',
    start_command: 'serve --port 8000',
    secrets: { HF_TOKEN: 'never-shown' },
  })
  await signIn(page, product)
  await page.goto('/console/templates')
  await page.getByRole('button', { name: 'View Whisper server' }).click()
  await page.getByRole('button', { name: 'Propose for everybody' }).click()
  const propose = page.getByRole('alertdialog', { name: 'Propose template' })
  await expect(propose.getByText('Of your secrets only the names are shared', { exact: false })).toBeVisible()
  expect(await faultsOf(page)).toEqual([])
  await propose.getByRole('button', { name: 'Propose template' }).click()
  await expect(page.getByText('is being reviewed by staff', { exact: false })).toBeVisible()

  await page.goto('/admin/templates')
  await page.getByRole('link', { name: 'Whisper server' }).click()
  const review = page.getByRole('dialog', { name: 'Whisper server' })
  await expect(review.getByText('serve --port 8000')).toBeVisible()
  await expect(review.getByText('HF_TOKEN')).toBeVisible()
  expect(await faultsOf(page)).toEqual([])
  await review.getByRole('button', { name: 'Approve' }).click()
  await expect(page.getByText('None waits.')).toBeVisible()
  await page.goto('/console/templates')
  await expect(page.getByText('Community', { exact: true })).toBeVisible()
})
