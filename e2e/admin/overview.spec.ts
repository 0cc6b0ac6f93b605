/** Administration: an administrator acts on what a customer has, a moderator answers tickets, and nobody else gets in. */
import type { Locator, Page } from '@playwright/test'
import { another, newAccount, signIn } from '../account.ts'
import { expectReadable } from '../axe.ts'
import { runningInstance } from '../instances.ts'
import { pressOn } from '../keyboard.ts'
import { expect, test } from '../product.ts'

// Larger ones wait for a person.
test.use({ settings: { INGOT_DEPOSIT_REVIEW_USDT: '150' } })

const toasts = '[data-sonner-toaster]'

const tab = (page: Page, name: string) => page.getByRole('tab', { name: new RegExp(`^${name}`) })
/** The dialog that asks for a reason, which nothing is done without. */
async function giveReason(page: Page, title: string, reason: string): Promise<void> {
  const dialog = page.getByRole(/^Delete|^Reject/.test(title) ? 'alertdialog' : 'dialog', { name: title })
  await expect(dialog.getByRole('button', { name: /^(?!Cancel|Close)/ }).last()).toHaveAttribute(
    'aria-disabled',
    'true',
  )
  // It has the focus: whoever pressed the key types on.
  await page.keyboard.insertText(reason)
  await page.keyboard.press('ControlOrMeta+Enter')
  await expect(dialog).toBeHidden()
}
const row = (page: Page, table: string, text: string): Locator =>
  page.getByRole('table', { name: table }).getByRole('row').filter({ hasText: text })

test('an administrator decides by keyboard, stops and deletes what a customer has, and gives a role', async ({
  page,
  product,
  browser,
}) => {
  // Four dialogs, read in both themes: it takes its time where others work beside it.
  test.setTimeout(180_000)
  const account = await newAccount(product)
  const customer = await product.clientOf(account)
  await runningInstance(customer, 'night-run')
  const volume = await customer.volumes.create({ name: 'night-data', size_gb: 10, region: 'US-East' })
  const ticket = await customer.support.create({ title: 'Stopped at night', content: 'Is it gone?' })
  const { walletAddress } = await customer.wallet.usdtConfig()
  await customer.dev.faucet({ address: walletAddress, amount_usdt: '200' })
  await expect.poll(async () => (await customer.wallet.deposits()).items[0]?.status).toBe('held')

  await signIn(page, product.admin)
  await page.goto('/admin')
  const figures = page.getByRole('region', { name: 'Figures' })
  for (const name of [
    'Total Users',
    'GPU Instances',
    'Network Volumes',
    'Total Revenue',
    'Pending Payments',
    'Open Tickets',
  ])
    await expect(figures.getByRole('link', { name, exact: true })).toBeVisible()
  const decisions = page.getByRole('region', { name: 'Decisions' }).getByRole('listitem')
  const held = decisions.filter({ hasText: '200.000000 USDT' })
  await expect(held).toContainText(account.email)
  await expect(row(page, 'Users', account.email)).toBeVisible()
  await expectReadable(page, 'the overview', toasts)

  // J to the decision, A to approve it.
  for (let n = 0; n < 10 && !(await held.evaluate(item => item === document.activeElement)); n++)
    await page.keyboard.press('j')
  await expect(held).toBeFocused()
  await page.keyboard.press('a')
  await expectReadable(page, 'the dialog that asks for a reason', toasts)
  await giveReason(page, 'Approve payment', 'They said where it comes from.')
  await expect(page.getByText("Payment approved! $200.00 credited to user's wallet")).toBeVisible()
  await expect(held).toHaveCount(0)
  await expect.poll(async () => (await customer.wallet.deposits()).items[0]?.status).toBe('confirmed')
  await tab(page, 'Payments').click()
  await expect(row(page, 'Payments', account.email).first()).toContainText('12/6')

  // A row by keyboard; its dialog.
  await tab(page, 'Instances').click()
  await expect(row(page, 'Instances', 'night-run')).toBeVisible()
  await page.keyboard.press('j')
  await page.keyboard.press('Enter')
  const instance = page.getByRole('dialog', { name: 'Manage Instance' })
  await expect(instance.getByRole('button', { name: 'Start' })).toHaveAttribute('aria-disabled', 'true')
  await expect(instance.getByRole('table', { name: 'Usage log' })).toContainText('Instance started')
  await expectReadable(page, 'Manage Instance', toasts)
  await pressOn(page, instance.getByRole('button', { name: 'Stop' }))
  await giveReason(page, 'Stop instance', 'Its host is repaired.')
  await expect(page.getByText('Instance stopping...')).toBeVisible()
  await expect(instance.getByText('Stopped', { exact: true })).toBeVisible()
  await expect(instance.getByRole('button', { name: 'Start' })).not.toHaveAttribute('aria-disabled')
  await page.keyboard.press('Escape')
  await expect(instance).toBeHidden()

  await page.goto(`/admin?tab=volumes&volume=${volume.id}`)
  const disk = page.getByRole('dialog', { name: 'Manage Volume' })
  await expect(disk.getByRole('button', { name: 'Detach' })).toHaveAttribute('aria-disabled', 'true')
  await expectReadable(page, 'Manage Volume', toasts)
  await disk.getByRole('button', { name: 'Delete' }).click()
  await giveReason(page, 'Delete volume', 'Asked for by its owner.')
  await expect(page.getByText('Volume deleted successfully')).toBeVisible()

  // The ticket over whichever list is open, with the specification's words.
  await page.goto(`/admin?tab=billing&ticket=${ticket.id}`)
  const conversation = page.getByRole('dialog', { name: 'Support Ticket' })
  await expect(conversation.getByRole('log', { name: 'Messages' })).toContainText('Is it gone?')
  await expectReadable(page, 'Support Ticket', toasts)
  await conversation.getByRole('combobox', { name: 'Status' }).click()
  await page.getByRole('option', { name: 'in-progress' }).click()
  await expect(page.getByText('Ticket status updated to in-progress')).toBeVisible()
  await conversation.getByRole('combobox', { name: 'Priority' }).click()
  await page.getByRole('option', { name: 'High' }).click()
  await expect(page.getByText('Ticket priority updated to high')).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(row(page, 'Billing', account.email).first()).toBeVisible()

  // A search finds in the open list, and counts in the others.
  const moderator = await newAccount(product)
  await tab(page, 'Users').click()
  await expect(page.getByRole('table', { name: 'Users' })).toBeVisible()
  await page.keyboard.press('/')
  await page.keyboard.insertText(moderator.email)
  await expect(page.getByRole('table', { name: 'Users' }).getByRole('row')).toHaveCount(2)
  await expect(tab(page, 'Users')).toHaveAccessibleName('Users 1')
  await expect(tab(page, 'Instances')).toHaveAccessibleName('Instances 0')
  await page.getByRole('link', { name: moderator.email }).click()
  const details = page.getByRole('dialog', { name: 'User Details' })
  await expect(details).toContainText('Sum of all amounts')
  await expectReadable(page, 'User Details', toasts)
  await details.getByRole('combobox', { name: 'Role' }).click()
  await page.getByRole('option', { name: 'moderator' }).click()
  await giveReason(page, 'Change role', 'Joins support.')
  await expect(page.getByText('User role updated to moderator')).toBeVisible()

  for (const name of ['users', 'instances', 'volumes', 'billing', 'payments', 'support']) {
    await page.setViewportSize({ width: 390, height: 844 })
    await page.goto(`/admin?tab=${name}`)
    await expect(tab(page, 'Users')).toBeVisible()
    await expect(page.locator('[aria-busy="true"]')).toHaveCount(0)
    expect(await page.evaluate(() => document.documentElement.scrollWidth), name).toBeLessThanOrEqual(390)
  }

  // What a moderator has of it, and what a customer.
  const desk = await another(browser, product)
  await signIn(desk.page, moderator)
  await desk.page.goto('/admin/hosts')
  await expect(desk.page.getByRole('heading', { name: 'Support tickets', level: 1 })).toBeVisible()
  await expect(desk.page.getByRole('button', { name: /Stopped at night/ })).toBeVisible()
  await expect(desk.page.getByText('Moderator', { exact: true })).toBeVisible()
  await expect(desk.page.getByText('Search everything')).toHaveCount(0)
  await expect(desk.page.getByRole('region', { name: 'Figures' })).toHaveCount(0)
  await expect(desk.page.getByRole('tab')).toHaveCount(0)
  await desk.context.close()
  const stranger = await another(browser, product)
  await signIn(stranger.page, account)
  await stranger.page.goto('/admin')
  await expect(stranger.page).toHaveURL(/\/console$/)
  await stranger.context.close()
})
