/** What staff did is read by administrators and by the customer; and an administrator reads as that customer, once they have shown who they are. */
import { another, judge, newAccount, signIn } from '../account.ts'
import { expect, test } from '../product.ts'

test('the audit log is read by keyboard, a customer’s console is read as them, and they see both', async ({
  page,
  product,
  browser,
}) => {
  const account = await newAccount(product)
  const desk = await product.clientOf(product.admin)
  const customer = await product.clientOf(account)
  const { user_id: id } = await customer.accounts.profile()
  await customer.wallet.get()
  await desk.admin.setRole({ id, role: 'moderator', reason: 'Answers tickets' })
  await desk.admin.setRole({ id, role: 'user', reason: 'Left the team' })

  await signIn(page, product.admin)
  await page.goto(`/admin/audit-log?customer=${account.email}`)
  const rows = page.getByRole('table', { name: 'Audit log' }).locator('tbody tr')
  await expect(rows).toHaveCount(2)
  await judge(page, 'the audit log')
  await page.keyboard.press('j')
  await page.keyboard.press('Enter')
  const entry = page.getByRole('dialog', { name: 'Give a user another role' })
  await expect(entry).toContainText('Left the team')
  await expect(entry).toContainText('was moderator')
  await expect(entry).toContainText('now user')
  await page.keyboard.press('j')
  await expect(entry).toContainText('Answers tickets')
  await judge(page, 'an entry of the audit log')

  // Ten minutes are not waited for: the service’s refusal is put in its place, once.
  let isRefused = false
  await page.route('**/v1/admin/acting', async (route, request) => {
    if (request.method() !== 'POST' || isRefused) return route.fallback()
    isRefused = true
    await route.fulfill({
      status: 403,
      json: { error: { code: 'proof_required', message: 'Confirm that it is you first', request_id: 'x' } },
    })
  })
  await entry.getByRole('button', { name: 'Act as customer' }).click()
  const ask = page.getByRole('dialog', { name: 'Act as customer' })
  await ask.getByLabel('Reason').fill('Their deploy fails')
  await ask.getByRole('button', { name: 'Act as customer' }).click()
  const proof = page.getByRole('dialog', { name: 'Confirm that it is you' })
  await proof.getByLabel('Password', { exact: true }).fill('wrong')
  await proof.getByRole('button', { name: 'Confirm' }).click()
  await expect(proof).toContainText('The password is wrong')
  await judge(page, 'the dialog that asks who it is')
  await proof.getByLabel('Password', { exact: true }).fill(product.admin.password)
  await proof.getByRole('button', { name: 'Confirm' }).click()

  const band = page.getByRole('status').filter({ hasText: 'You act as' })
  await expect(band).toContainText(`You act as ${account.email} until`)
  await expect(page).toHaveURL(/\/dashboard/)
  await expect(band).toContainText('Their deploy fails')
  await expect(page.getByRole('link', { name: 'Admin Panel' })).toHaveCount(0)
  await judge(page, 'the console of a customer')
  await page.reload()
  await expect(band).toBeVisible()
  await page.goto('/console/settings')
  await expect(page.getByText('Settings are not shown while you act as a customer.')).toBeVisible()
  const beside = await page.context().newPage()
  await beside.goto('/admin/audit-log')
  await expect(beside.getByRole('heading', { name: 'Audit log' })).toBeVisible()
  await beside.close()
  await band.getByRole('button', { name: 'Stop acting' }).click()
  await expect(page).toHaveURL(/\/admin/)
  await expect(band).toBeHidden()

  const { context, page: own } = await another(browser, product)
  await signIn(own, account)
  await own.goto('/console/settings#staff')
  const acts = own.getByRole('region', { name: 'What our staff did' })
  await expect(acts.getByRole('listitem').first()).toContainText('Stopped looking at your account')
  await expect(acts).toContainText('Began to look at your account')
  await expect(acts).toContainText('An administrator. Reason: Their deploy fails')
  await acts.getByText('What differs').first().click()
  await expect(acts).toContainText('Your profile ×')
  await judge(own, 'what our staff did')
  await context.close()
})
