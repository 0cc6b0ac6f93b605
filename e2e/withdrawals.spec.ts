/** Unspent money goes back: asked for, told by mail, cancelled there or here, and the same again. */
import { another, judge, newAccount, signIn } from './account.ts'
import { expect, test } from './product.ts'

const address = 'TBXSw8fM4jpQkGc6zZjsVABFpVN7UvXPdV'

test('a withdrawal is asked for, keeps what was typed when it is refused, and is cancelled by the link in the mail', async ({
  page,
  product,
  browser,
}) => {
  const account = await newAccount(product)
  const client = await product.clientOf(account)
  const { walletAddress } = await client.wallet.usdtConfig()
  await client.dev.faucet({ address: walletAddress, amount_usdt: '40' })
  await expect.poll(async () => (await client.wallet.get()).balance_usd).toBe('40.000000')

  await signIn(page, account)
  await page.goto('/console/billing')
  const panel = page.getByRole('region', { name: 'Withdrawals' })
  await expect(panel).toContainText('$40.00 of what you deposited is unspent')
  await panel.getByRole('button', { name: 'Withdraw' }).click()
  const dialog = page.getByRole('dialog', { name: 'Withdraw' })
  await dialog.getByRole('button', { name: /All of it/ }).click()
  await dialog.getByLabel('Your TRON address').fill(address.replace(/.$/, 'z'))
  await dialog.getByLabel('Password', { exact: true }).fill(account.password)
  await judge(page, 'the dialog of a withdrawal')
  await dialog.getByRole('button', { name: 'Withdraw' }).click()
  await expect(dialog).toContainText('This is not a TRON address')
  await expect(dialog.getByLabel('Amount in USDT')).toHaveValue('40')
  await dialog.getByLabel('Your TRON address').fill(address)
  await dialog.getByRole('button', { name: 'Withdraw' }).click()
  await expect(dialog).toBeHidden()
  const row = panel.getByRole('row', { name: /Waiting/ })
  await expect(row).toContainText('$40.00')
  await expect(page.getByRole('region', { name: 'Wallet' })).toContainText('$0.00')
  await expect(panel).toContainText('$0.00 of what you deposited is unspent. From 10 USDT it can go back')
  await judge(page, 'billing with a withdrawal')

  const [link] = await product.linksTo(account.email)
  const { context, page: elsewhere } = await another(browser, product)
  await elsewhere.goto(link!)
  await judge(elsewhere, 'the page that cancels a withdrawal')
  await elsewhere.getByRole('button', { name: 'Cancel the withdrawal' }).click()
  await expect(elsewhere.getByRole('heading', { name: 'The withdrawal is cancelled' })).toBeVisible()
  await context.close()

  await expect(panel.getByRole('row', { name: /Cancelled/ })).toBeVisible()
  await expect(page.getByRole('region', { name: 'Wallet' })).toContainText('$40.00')
})
