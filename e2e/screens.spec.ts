/**
 * Every screen of the console with real data in it: readable by assistive technology in both themes, whole at phone
 * width, silent in the browser's console; and what a form answers to bad input.
 */
import { builtInTemplates } from '@ingot/contracts/templates'
import type { Page } from '@playwright/test'
import { adminPages } from '../apps/web/src/console/admin/pages.ts'
import { consolePages } from '../apps/web/src/console/frame/pages.ts'
import { expectReadable } from './axe.ts'
import { configuration, runningInstance } from './instances.ts'
import { expect, type Product, test } from './product.ts'

const phone = { width: 390, height: 844 }
const smallest = { width: 320, height: 640 }
const desk = { width: 1360, height: 800 }
const pytorch = builtInTemplates[0]!

const publicPaths = ['/', '/signin', '/get-started', '/forgot-password', '/no-such-page']
const addresses = consolePages.flatMap(page => [page.to, ...('also' in page ? page.also : [])])
const adminPaths = [
  '/admin',
  ...['instances', 'volumes', 'billing', 'payments', 'support', 'ai-settings'].map(
    tab => `/admin?tab=${tab}`,
  ),
  ...adminPages.map(({ to }) => to),
]
const consolePaths = [
  ...addresses,
  '/console/instances?deploy=1',
  `/console/deploy?templateId=${pytorch.id}&templateName=PyTorch`,
  `/console/deploy?templateId=${pytorch.id}&templateName=PyTorch&name=train&step=2`,
  '/dev/mail',
  '/_kit',
]

async function signIn(page: Page, { admin }: Product): Promise<void> {
  await page.goto('/signin')
  await page.getByLabel('Email').fill(admin.email)
  await page.getByLabel('Password', { exact: true }).fill(admin.password)
  await page.getByRole('button', { name: 'Sign In' }).click()
  await expect(page).toHaveURL(/\/dashboard/)
}

/** Nothing still coming; the kit shows busy things for good. */
async function settled(page: Page, path: string): Promise<void> {
  await page.locator('h1').first().waitFor()
  if (path !== '/_kit') await expect(page.locator('[aria-busy="true"]')).toHaveCount(0)
}

async function judge(page: Page, path: string): Promise<void> {
  await page.goto(path)
  await settled(page, path)
  await expect(page.locator('h1'), `one heading on ${path}`).toHaveCount(1)
  await expectReadable(page, path, '.xterm')
  for (const viewport of [phone, smallest]) {
    await page.setViewportSize(viewport)
    const scrollWidth = await page.evaluate(() => document.documentElement.scrollWidth)
    expect(scrollWidth, `${path} at ${viewport.width} px`).toBeLessThanOrEqual(viewport.width)
  }
  await page.setViewportSize(desk)
}

/** What the browser complained about, but for the requests that a test makes fail. */
function complaints(page: Page): string[] {
  const heard: string[] = []
  page.on('pageerror', error => heard.push(error.message))
  page.on('console', message => {
    if (message.type() === 'error' && !/status of 4\d\d/.test(message.text())) heard.push(message.text())
  })
  return heard
}

test('public screens read well in both themes and on a phone', async ({ page }) => {
  const heard = complaints(page)
  for (const path of publicPaths) await judge(page, path)
  expect(heard).toEqual([])
})

test('console screens read well in both themes and on a phone', async ({ page, product }) => {
  test.setTimeout(600_000)
  const heard = complaints(page)
  const client = await product.clientOf(product.admin)
  const { id } = await runningInstance(client, 'running-one')
  await client.instances.create({ ...configuration, name: 'stopped-one', start: false })
  const volume = await client.volumes.create({ name: 'data', size_gb: 10, region: 'US-East' })

  await signIn(page, product)
  const watched = ['', '/terminal', '/logs', '/metrics', '/events'].map(
    tab => `/console/instances/${id}${tab}`,
  )
  for (const path of [
    ...consolePaths,
    `/console/instances?dialog=details&instance=${id}`,
    ...watched,
    '/console/network-volumes?create=1',
    `/console/network-volumes?row=${volume.id}`,
    `/console/network-volumes/${volume.id}`,
    `/terminal/${id}`,
  ])
    await judge(page, path)
  expect(heard).toEqual([])
  await client.volumes.delete({ id: volume.id })
  for (const { id } of (await client.instances.list()).items) await client.instances.delete({ id })
})

test('screens of administration read well in both themes and on a phone', async ({ page, product }) => {
  test.setTimeout(600_000)
  const heard = complaints(page)
  await signIn(page, product)
  for (const path of adminPaths) await judge(page, path)
  expect(heard).toEqual([])
})

test('signing out in the middle of everything is said, in every tab, and nothing is left unhandled', async ({
  page,
  product,
  context,
}) => {
  const client = await product.clientOf(product.admin)
  const { id } = await runningInstance(client, 'signed-out-of')
  const tab = await context.newPage()
  const heard = [page, tab].map(complaints)
  await signIn(page, product)
  for (const each of [tab, page]) {
    await each.goto(`/terminal/${id}`)
    await expect(each.getByText('Connected', { exact: true }).first()).toBeVisible()
  }
  await page.getByRole('link', { name: 'Back to Console' }).click()
  await settled(page, '/console/instances')
  for (const each of [page, tab])
    await each.route('**/v1/**', async route => {
      await new Promise(resolve => setTimeout(resolve, 400))
      await route.continue().catch(() => {})
    })
  await page.getByRole('link', { name: 'Billing', exact: true }).click()
  await page.getByRole('button', { name: 'Sign Out' }).click()
  await expect(page.getByRole('status').getByText('Signed out successfully')).toBeVisible()
  await expect(page).toHaveURL(`${product.url}/`)
  await expect(tab).toHaveURL(/\/signin/)
  for (const each of [page, tab]) await each.unrouteAll({ behavior: 'wait' })
  expect(heard).toEqual([[], []])
  await client.instances.delete({ id })
})

test('bad input is named at its field, and what was typed stays', async ({ page, product }) => {
  await page.goto('/get-started')
  await page.getByLabel('First name').fill('Ada')
  await page.getByLabel('Email').fill('not an address')
  await page.getByLabel('Password', { exact: true }).fill('short')
  await page.getByRole('button', { name: 'Continue' }).click()
  await expect(page.locator('[aria-invalid="true"]').first()).toBeVisible()
  await expect(page.getByText('Password must be at least 6 characters')).toBeVisible()
  await expect(page.getByLabel('First name')).toHaveValue('Ada')
  await expect(page.getByLabel('Email')).toHaveValue('not an address')

  await page.goto('/signin')
  await page.getByLabel('Email').fill(product.admin.email)
  await page.getByLabel('Password', { exact: true }).fill('wrong password')
  await page.getByRole('button', { name: 'Sign In' }).click()
  await expect(page.getByText('Invalid login credentials').first()).toBeVisible()
  await expect(page.getByLabel('Email')).toHaveValue(product.admin.email)

  await signIn(page, product)
  await page.goto(`/console/deploy?templateId=${pytorch.id}&templateName=PyTorch`)
  await page.getByLabel('Name', { exact: true }).fill('   ')
  const go = page.getByRole('button', { name: /Continue to Payment/ })
  await expect(go).toHaveAttribute('aria-disabled', 'true')
  await expect(go).toHaveAccessibleDescription(/name/i)
  await page.getByLabel('Name', { exact: true }).fill('too-poor')
  await page.getByRole('radio', { name: /H100/ }).check()
  await page.getByRole('button', { name: /Continue to Payment/ }).click()
  await page.evaluate(() => history.back())
  await expect(page.getByLabel('Name', { exact: true })).toHaveValue('too-poor')
  await expect(page.getByRole('radio', { name: /H100/ })).toBeChecked()
})

test('the service refuses what a browser would never send, naming the field', async ({ product }) => {
  const client = await product.clientOf(product.admin)
  const good = { ...configuration, name: 'x' }
  const bad: Record<string, object> = {
    gpu_type: { gpu_type: 'Abacus' },
    gpu_count: { gpu_count: 3 },
    system_storage_gb: { system_storage_gb: -40 },
    template_id: { template_id: undefined },
    status: { status: 'running' },
  }
  for (const [field, change] of Object.entries(bad)) {
    const answer = await client.instances
      .create({ ...good, ...change } as never)
      .catch((error: unknown) => error)
    expect(answer).toMatchObject({ code: 'validation_failed', fields: { [field]: expect.any(String) } })
  }
  const huge = { ...good, name: 'n'.repeat(10_000_000) }
  await expect(client.instances.create(huge)).rejects.toMatchObject({ fields: { name: expect.any(String) } })
  const missing = { ...good, template_id: '01980000-0000-7000-8000-00000000ffff' }
  await expect(client.instances.create(missing)).rejects.toMatchObject({
    fields: { template_id: expect.any(String) },
  })
})

test('the console, the terminal and administration ask for a sign-in and return to the page', async ({
  page,
  product,
}) => {
  for (const path of [
    '/console/billing?range=all',
    '/terminal/01980000-0000-7000-8000-000000000001',
    '/admin',
  ]) {
    await page.goto(path)
    await expect(page).toHaveURL(`${product.url}/signin?next=${encodeURIComponent(path)}`)
  }
  await page.goto('/console/logs')
  await page.getByLabel('Email').fill(product.admin.email)
  await page.getByLabel('Password', { exact: true }).fill(product.admin.password)
  await page.getByRole('button', { name: 'Sign In' }).click()
  await expect(page).toHaveURL(/\/console\/logs/)
  await page.goto('/terminal/01980000-0000-7000-8000-000000000001')
  await expect(page.getByText('Instance data not found')).toBeVisible()
  await expect(page).toHaveURL(/\/console\/instances/)
})
