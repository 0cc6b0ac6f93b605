/** How long the balance lasts, wherever it is shown; and what becomes of an instance at the end of its term. */
import { builtInTemplates } from '@ingot/contracts/templates'
import { newAccount, signIn } from './account.ts'
import { expectReadable } from './axe.ts'
import { runningInstance } from './instances.ts'
import { expect, test } from './product.ts'

test('the balance says until when it lasts on wallet, instance and deploy; a term says how it ends, and is changed', async ({
  page,
  product,
}) => {
  const account = await newAccount(product)
  const client = await product.clientOf(account)
  const running = await runningInstance(client, 'hourly')
  const { walletAddress } = await client.wallet.usdtConfig()
  await client.dev.faucet({ address: walletAddress, amount_usdt: '600' })
  await expect.poll(async () => Number((await client.wallet.get()).balance_usd)).toBeGreaterThan(600)

  await signIn(page, account)
  await page.goto(`/console/instances?dialog=details&instance=${running.id}`)
  await expect(page.getByRole('dialog')).toContainText(/Lasts until .* with all that runs/)
  await page.keyboard.press('Escape')
  const wallet = page.getByRole('region', { name: 'Wallet' }).first()
  await expect(wallet).toContainText(/lasts until \d+ \w{3} 20\d\d/)
  await expect(wallet.locator('time')).toHaveAttribute('title', /\d\d:\d\d:\d\d UTC/)

  await page.goto(`/console/deploy?templateId=${builtInTemplates[0]!.id}&name=kept`)
  const cost = page.getByRole('region', { name: 'Cost' })
  await expect(cost).toContainText(/lasts until .* with what runs now/)
  await page.getByRole('radio', { name: /3 months/ }).click()
  const end = page.getByRole('radiogroup', { name: /When the term ends, on/ })
  await expect(end.getByRole('radio', { name: /It runs on/ })).toBeChecked()
  await end.getByRole('radio', { name: /It stops/ }).click()
  await expect(page).toHaveURL(/on_term_end=stop/)
  await expect(cost).toContainText('It then stops, and its disk is kept.')
  await expect(cost).toContainText(
    'never more than was paid, and the rest returns: after 7 days $409.00 of it',
  )
  await expectReadable(page, 'the deploy of a term')
  await page.getByRole('button', { name: 'Continue to Payment' }).click()
  await expect(page.getByText(/when it stops\. Started again, \$0\.75 per hour/)).toBeVisible()
  await page.getByRole('button', { name: /^Deploy Instance for/ }).click()
  await expect.poll(async () => (await client.instances.list()).items.length).toBe(2)
  const made = (await client.instances.list()).items.find(each => each.name === 'kept')!
  expect(made.on_term_end).toBe('stop')

  await page.goto(`/console/instances?dialog=edit&instance=${made.id}`)
  const dialog = page.getByRole('dialog', { name: 'Edit instance' })
  await expect(dialog.getByRole('radio', { name: /It stops/ })).toBeChecked()
  await dialog.getByRole('radio', { name: /It runs on/ }).click()
  await dialog.getByRole('button', { name: 'Save changes' }).click()
  await expect.poll(async () => (await client.instances.get({ id: made.id })).on_term_end).toBe('hourly')
  for (const each of (await client.instances.list()).items) await client.instances.delete({ id: each.id })
})
