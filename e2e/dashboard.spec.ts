/** The dashboard: what needs somebody with what to do about it, what runs, what it costs, what changed. */
import { stripCellMs } from '@ingot/contracts/instance/watching'
import type { Page } from '@playwright/test'
import { judge, newAccount, section, signIn } from './account.ts'
import { configuration, pay } from './instances.ts'
import { expect, test } from './product.ts'

const hour = 3_600_000

/** What "As a table" of a chart holds, row by row. */
async function tableOf(page: Page, name: string): Promise<string[][]> {
  await page.getByRole('button', { name: `As a table: ${name}` }).click()
  const rows = page.getByRole('table', { name, exact: true }).getByRole('row')
  await expect(rows.nth(1)).toBeVisible()
  return Promise.all((await rows.all()).map(row => row.locator('th, td').allTextContents()))
}

test('a new account has its first steps, and nothing that needs it', async ({ page, product }) => {
  await signIn(page, await newAccount(product))
  await expect(page.getByText('Nothing needs you.')).toBeVisible()
  await expect(page.getByRole('heading', { name: 'First steps' })).toBeVisible()
  await expect(page.getByText('Nothing happened in these 24 hours.')).toBeVisible()
  await expect(section(page, 'Balance')).toHaveCount(0)
  await judge(page, 'a new dashboard')
})

test('from money that ends to an instance that runs again, all from the dashboard', async ({
  page,
  product,
}) => {
  test.setTimeout(180_000)
  const account = await newAccount(product)
  const client = await product.clientOf(account)
  const { walletAddress } = await client.wallet.usdtConfig()
  const fund = async (usdt: string, over: number) => {
    await client.dev.faucet({ address: walletAddress, amount_usdt: usdt })
    await expect.poll(async () => Number((await client.wallet.get()).balance_usd)).toBeGreaterThan(over)
  }
  await fund('12', 11)
  const { id } = await client.instances.create({ ...configuration, name: 'night-run' })
  await expect.poll(async () => (await client.instances.get({ id })).status).toBe('running')
  await product.advance(3 * hour)

  await signIn(page, account)
  const attention = section(page, 'Needs attention')
  await expect(attention).toContainText(/Balance lasts 1\d h/)
  await expect(attention).toContainText('then what runs stops.')
  await attention.getByRole('button', { name: 'Add funds' }).click()
  await expect(page.getByRole('dialog')).toBeVisible()
  await page.keyboard.press('Escape')

  await test.step('what runs, on one axis', async () => {
    const running = section(page, 'Running now')
    const row = running.getByRole('row', { name: /night-run/ })
    await expect(row).toContainText('1× A40, US-East')
    await expect(row).toContainText('Simulated')
    await expect(row).toContainText('$0.75')
    await expect(row).toContainText('3 h')
    await expect(running.getByRole('row', { name: /All 1 GPU/ })).toBeVisible()
    const cells = await tableOf(page, 'GPU load, last 24 hours')
    expect(cells[0]).toEqual(['From (UTC)', 'night-run'])
    // Three hours of it ran; the rest of the day it was not there.
    const ran = cells.slice(1).filter(([, load]) => load === 'simulated').length
    expect(ran).toBeGreaterThanOrEqual((3 * hour) / stripCellMs)
    expect(ran).toBeLessThanOrEqual((3 * hour) / stripCellMs + 2)
    expect(cells[1]![1]).toBe('off')
  })

  await test.step('what it costs agrees with the bill, by day and by hour', async () => {
    const spend = section(page, 'Spend per day')
    await expect(spend).toContainText(/[A-Z][a-z]+ \$\d+\.\d\d, \d+\.\d\d h, View Billing Details/)
    await expect(spend.getByRole('img')).toHaveAccessibleName(/^Spend per day, .* UTC: highest \$/)
    const days = await tableOf(page, 'Spend per day')
    expect(days).toHaveLength(15)
    const sum = (rows: string[][]) =>
      rows.slice(1).reduce((all, row) => all + Number(row.at(-1)!.slice(1)), 0)
    const used = Number((await client.billing.usage({})).amount)
    expect(sum(days)).toBeGreaterThan(2.2)
    expect(Math.abs(sum(days) - used)).toBeLessThan(0.05)
    await spend.getByRole('radio', { name: '24 h' }).click()
    const hourly = section(page, 'Spend per hour')
    await expect(hourly.getByRole('img').first()).toHaveAccessibleName(/^Spend per hour/)
    const hours = await tableOf(page, 'Spend per hour')
    expect(hours).toHaveLength(25)
    expect(Math.abs(sum(hours) - sum(days))).toBeLessThan(0.05)
    await hourly.getByRole('img').first().focus()
    await page.keyboard.press('ArrowLeft')
    await expect(hourly).toContainText(/\$0\.75 from \d\d:00 UTC/)
    await hourly.getByRole('radio', { name: '14 days' }).click()
  })

  await test.step('the balance, its deposit and its end', async () => {
    const balance = section(page, 'Balance')
    await expect(balance.getByRole('img')).toHaveAccessibleName(
      /Deposits: \$12\.00 on .* At \$0\.75 per hour it is used up on .* UTC\.$/,
    )
    await expect(balance).toContainText(/1\d h.* left\./)
    const rows = await tableOf(page, 'Balance')
    expect(rows.filter(([, , deposit]) => deposit === '$12.00')).toHaveLength(1)
    expect(rows.at(-1)).toEqual([expect.stringMatching(/at this rate$/), '$0.000000', ''])
    expect(rows[1]![1]).toBe('$0.000000')
  })

  await test.step('what changed', async () => {
    const since = page.getByRole('region', { name: /^Since yesterday/ })
    await expect(since).toContainText('Deposit of 12.00 USDT')
    await expect(since).toContainText('night-run started')
    await since.getByRole('link', { name: 'All events' }).click()
    await expect(page).toHaveURL(/\/console\/logs/)
    await expect(page.getByRole('cell', { name: /\d+ min \d+(\.\d+)? s/ }).first()).toBeVisible()
    await page.goBack()
  })
  await expect(section(page, 'Recent instances').getByRole('row', { name: /night-run/ })).toBeVisible()
  await judge(page, 'the dashboard while something runs')

  await product.advance(20 * hour)
  await page.goto('/console')
  await expect(attention).toContainText(/night-run stopped at .* UTC: the balance was used up\./)
  await expect(section(page, 'Running now')).toContainText('Nothing runs.')
  await expect(section(page, 'Balance')).toContainText('No end at this rate.')
  await fund('50', 40)
  await attention.getByRole('button', { name: 'Start: night-run' }).click()
  await expect(section(page, 'Running now').getByRole('row', { name: /night-run/ })).toBeVisible()
  await expect(attention).toContainText('Nothing needs you.')
  await judge(page, 'the dashboard after a start')
})

test('a part that cannot be loaded leaves the rest, and can be tried again', async ({ page, product }) => {
  const account = await newAccount(product)
  await page.route('**/v1/attention', route => route.abort())
  await signIn(page, account)
  await expect(page.getByText('What needs you could not be loaded')).toBeVisible({ timeout: 20_000 })
  await expect(page.getByRole('heading', { name: 'First steps' })).toBeVisible()
  await page.unroute('**/v1/attention')
  await section(page, 'Needs attention').getByRole('button', { name: 'Try again' }).click()
  await expect(page.getByText('Nothing needs you.')).toBeVisible()
})

test('volumes stand on the dashboard, in the log by themselves, and on the bill', async ({
  page,
  product,
}) => {
  const account = await newAccount(product)
  const client = await product.clientOf(account)
  await pay(client)
  const box = await client.instances.create({ ...configuration, name: 'trains', start: false })
  await signIn(page, account)
  await expect(section(page, 'Volumes')).toContainText('None.')

  const made = await Promise.all(
    ['weights', 'corpus'].map(name => client.volumes.create({ name, size_gb: 50, region: 'US-East' })),
  )
  await product.advance(60_000)
  for (const { id } of made)
    await expect.poll(async () => (await client.volumes.get({ id })).status).toBe('available')
  const [weights] = made
  await client.volumes.attach({ id: weights!.id, instance_id: box.id })
  const row = section(page, 'Volumes').getByRole('listitem').filter({ hasText: 'weights' })
  await expect(row).toContainText('US-East')
  await expect(row.getByRole('link', { name: 'trains' })).toBeVisible()
  await expect(row).toContainText('of 50 GB')
  await expect(row).toContainText('$5.00')
  await expect(section(page, 'Volumes')).toContainText('$10.00 per month')
  await judge(page, 'the dashboard with volumes')
  await expect(
    page
      .getByRole('navigation', { name: 'Quick actions' })
      .getByRole('link', { name: 'Create Network Volume' }),
  ).toHaveAttribute('href', '/console/network-volumes?create=1')
  await row.getByRole('link', { name: 'weights' }).click()
  await expect(page).toHaveURL(new RegExp(`/console/network-volumes/${weights!.id}`))

  await page.goto('/console/logs')
  await page.getByRole('button', { name: 'Volume: All Volumes' }).click()
  await page.getByRole('option', { name: 'weights' }).click()
  await expect(page).toHaveURL(new RegExp(`volume=${weights!.id}`))
  const events = page.getByRole('table', { name: 'Events' })
  await expect(events.getByRole('row', { name: /Volume attached/ })).toContainText('trains')
  await expect(events).not.toContainText('corpus')
  await judge(page, 'the log of one volume')

  await page.goto('/console/billing?about=volume')
  await page.getByRole('table', { name: 'Billing history' }).getByRole('link', { name: 'weights' }).click()
  await expect(page.getByText('Network volume, 50 GB, US-East')).toBeVisible()
  await expect(page.getByText('first month, 50 GB')).not.toHaveCount(0)
  await judge(page, 'the receipt of a month of a volume')
})
