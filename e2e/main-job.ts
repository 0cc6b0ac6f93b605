/**
 * The main job, whole, against the product as `npm start` serves it: create an account, open the mailed link, fund the
 * wallet, deploy, type in a real shell, stop, and see what the seconds cost.
 */
import type { BrowserContext, Page } from '@playwright/test'
import { expect, type Product, test } from './product.ts'

const account = { email: 'ada@example.com', password: 'correct horse battery' }
const hourMs = 3_600_000
const micro = (text: string) => BigInt(text.replace('.', ''))

/** What the terminal shows, as its screen reader tree has it. */
const screenOf = (page: Page) => page.locator('.xterm-rows, .xterm-accessibility')

export async function mainJob({
  page,
  product,
  onEngine,
  context,
}: {
  page: Page
  product: Product
  onEngine: boolean
  context: BrowserContext
}): Promise<void> {
  test.slow()

  await test.step('create an account', async () => {
    await page.goto('/')
    await page.getByRole('link', { name: 'Get Started' }).first().click()
    await expect(page.getByText('Step 1 of 2')).toBeVisible()
    await page.getByLabel('First name').fill('Ada')
    await page.getByLabel('Last name').fill('Lovelace')
    await page.getByLabel('Email').fill(account.email)
    await page.getByLabel('Password', { exact: true }).fill(account.password)
    await page.getByRole('button', { name: 'Continue' }).click()
    await expect(
      page.getByText('Account created! Please check your email to verify your account.'),
    ).toBeVisible()
    await expect(page.getByText('Step 2 of 2')).toBeVisible()
    await page.getByLabel('Company').fill('Analytical Engines')
    await page.getByRole('button', { name: 'Complete Setup' }).click()
    await expect(
      page.getByText('Please verify your email. We will finish setup after you sign in.'),
    ).toBeVisible()
    await expect(page).toHaveURL(/\/signin/)
  })

  await test.step('open the mailed link: signed in, the profile completed, on the dashboard', async () => {
    const [link] = await product.linksTo(account.email)
    await page.goto(link!)
    await expect(page).toHaveURL(/\/dashboard/)
    await expect(page.getByRole('heading', { level: 1, name: 'Dashboard' })).toBeVisible()
    await expect
      .poll(async () => (await (await product.clientOf(account)).accounts.profile()).company)
      .toBe('Analytical Engines')
  })
  const client = await product.clientOf(account)

  await test.step('fund 25 test USDT; the balance rises by itself', async () => {
    const wallet = page.getByRole('region', { name: 'Wallet' })
    await expect(wallet).toContainText('$0.00')
    await expect(wallet).toContainText('Test network: never send real USDT')
    await wallet.getByRole('button', { name: 'Add funds' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Amount in USDT').fill('25')
    await dialog.getByRole('button', { name: /Proceed/ }).click()
    await dialog.getByRole('button', { name: /test USDT/ }).click()
    await expect(wallet).toContainText('$25.00')
    await expect(wallet).toContainText('Low')
    await page.keyboard.press('Escape')
  })

  await test.step('deploy an A40 from PyTorch, at the price on the button', async () => {
    await page.goto('/console/instances?deploy=1')
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('radio', { name: /PyTorch 2\.0/ }).check()
    await dialog.getByRole('button', { name: 'Configure Resources' }).click()
    await expect(page).toHaveURL(/\/console\/deploy\?.*templateId=/)
    await page.getByLabel('Name', { exact: true }).fill('train-1')
    await expect(page.getByRole('row', { name: /US-West/ })).toContainText('—')
    await page.getByRole('button', { name: /Continue to Payment/ }).click()
    const deploy = page.getByRole('button', { name: /Deploy Instance/ })
    await expect(deploy).toHaveText('Deploy Instance for $0.75')
    // A balance that cannot be loaded takes neither the warning nor the button's words with it.
    const refusal = {
      error: { code: 'wallet_not_created', message: 'Failed to create wallet', request_id: 'r' },
    }
    await page.route('**/v1/wallet', route => route.fulfill({ status: 503, json: refusal }))
    await page.reload()
    await expect(page.getByText('Failed to create wallet').first()).toBeVisible()
    await expect(deploy).toHaveText('Deploy Instance for $0.75')
    const wallet = page.getByRole('region', { name: 'Wallet' })
    await expect(wallet).toContainText('The balance could not be loaded.')
    await expect(wallet).toContainText('Test network: never send real USDT')
    await page.unroute('**/v1/wallet')
    await page.getByRole('button', { name: 'Try again' }).click()
    await deploy.click()
    await expect(
      page.getByText("Instance deployed successfully! You've been charged $0.75 for initial setup."),
    ).toBeVisible()
    await expect(page).toHaveURL(/\/console\/instances/)
    await expect(page.getByRole('row', { name: /train-1/ })).toContainText('Running')
  })
  const instance = (await client.instances.list()).items[0]!

  await test.step('type in a real shell, drop the connection, and find it as it was', async () => {
    const terminal = await context.newPage()
    await terminal.addInitScript(() => {
      const said: string[] = []
      const look = () => {
        const word = document.querySelector('header output')?.textContent
        if (word && word !== said.at(-1)) said.push(word)
      }
      new MutationObserver(look).observe(document, { subtree: true, childList: true, characterData: true })
      Object.assign(window, { said })
    })
    await terminal.goto(`/terminal/${instance.id}`)
    await expect(terminal.getByText('train-1').first()).toBeVisible()
    await expect(terminal.getByText('Connected', { exact: true }).first()).toBeVisible()
    expect(await terminal.evaluate(() => (window as unknown as { said: string[] }).said)).toEqual([
      'Connecting',
      'Connected',
    ])
    await terminal.locator('.xterm-helper-textarea').focus()
    await terminal.keyboard.type('echo $((6*7))\n')
    await expect(screenOf(terminal).getByText(/^42$/).first()).toBeVisible()
    // The image that stands for all of them has no such program.
    if (!onEngine) {
      await terminal.keyboard.type('nvidia-smi\n')
      await expect(screenOf(terminal)).toContainText([/A40/])
      await expect(screenOf(terminal)).toContainText([/simulated/i])
    }
    await terminal.keyboard.type('export KEPT=across; clear; echo ready-$KEPT\n')
    await expect(screenOf(terminal)).toContainText([/ready-across/])
    await terminal.reload()
    await expect(screenOf(terminal)).toContainText([/ready-across/])
    await terminal.locator('.xterm-helper-textarea').focus()
    await terminal.keyboard.type('echo again-$KEPT\n')
    await expect(screenOf(terminal)).toContainText([/again-across/])
    await terminal.close()
  })

  await test.step('90 minutes later, stop: the bill has the setup, and the half hour beyond it to the micro-dollar', async () => {
    await product.advance(1.5 * hourMs)
    await page.getByRole('button', { name: 'Stop train-1' }).click()
    await expect(page.getByRole('row', { name: /train-1/ })).toContainText('Stopped')
    const stopped = await client.instances.get({ id: instance.id })
    const ranMs = Date.parse(stopped.stopped_at!) - Date.parse(stopped.started_at!)
    expect(ranMs).toBeGreaterThanOrEqual(1.5 * hourMs)
    const cost = (750_000n * BigInt(ranMs)) / BigInt(hourMs)

    const logs = (await client.activity.usageLogs({ instance_id: instance.id })).items
    expect(logs.reduce((sum, log) => sum + micro(log.cost), 0n)).toBe(cost)
    const bill = (await client.billing.list()).items
    const charges = bill.filter(entry => entry.instance_id === instance.id)
    expect(charges.find(entry => entry.amount === '-0.750000')?.description).toContain('initial setup')
    expect(charges.reduce((sum, entry) => sum + micro(entry.amount), 0n)).toBe(-cost)
    expect(micro((await client.wallet.get()).balance_usd)).toBe(25_000_000n - cost)
    expect(bill.reduce((sum, entry) => sum + micro(entry.amount), 0n)).toBe(25_000_000n - cost)

    await page.goto('/console/billing')
    await expect(page.getByText(/initial setup/).first()).toBeVisible()
    await expect(page.getByRole('row', { name: /train-1 usage/ }).first()).toBeVisible()
    await page.goto('/console/logs')
    await expect(page.getByText('train-1').first()).toBeVisible()
  })

  await test.step('delete it, and sign out', async () => {
    await client.instances.delete({ id: instance.id })
    await page.goto('/console/instances')
    await expect(page.getByRole('row', { name: /train-1/ })).toHaveCount(0)
    await page.goto('/console/logs')
    await page.getByRole('button', { name: 'Instance: All Instances' }).click()
    await page.getByPlaceholder('Name or id').fill('TRAIN')
    await page.getByRole('option', { name: /train-1.*Deleted/ }).click()
    await expect(page).toHaveURL(new RegExp(`instance=${instance.id}`))
    await page.getByRole('combobox', { name: 'Action' }).click()
    await page.getByRole('option', { name: 'Instance created' }).click()
    await expect(page.getByRole('row', { name: /train-1/ })).toHaveCount(1)
    await page.getByRole('searchbox', { name: 'Search events' }).fill('no such thing')
    await expect(page.getByText('No event matches these filters.')).toBeVisible()
    await page.getByRole('button', { name: 'Sign Out' }).click()
    await expect(page.getByRole('status').getByText('Signed out successfully')).toBeVisible()
    await expect(page).toHaveURL(`${product.url}/`)
    await page.goto('/console/billing')
    await expect(page).toHaveURL(/\/signin\?next=/)
    await page.getByLabel('Email').fill(account.email)
    await page.getByLabel('Password', { exact: true }).fill(account.password)
    await page.getByRole('button', { name: /Sign in/i }).click()
    await expect(page.getByText('Welcome back!')).toBeVisible()
    await expect(page).toHaveURL(/\/console\/billing/)
  })
}
