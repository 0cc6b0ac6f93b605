/** What a customer sees of a suspension. */
import { fillSignIn, judge, newAccount, signIn } from '../account.ts'
import { expect, test } from '../product.ts'

const reason = 'A card of yours mines for somebody else.'

test('who is suspended is signed out, reads why after the right password alone, and comes back once it is over', async ({
  page,
  product,
}) => {
  const account = await newAccount(product)
  const customer = await product.clientOf(account)
  const { user_id: id } = await customer.accounts.profile()
  const staff = await product.clientOf(product.admin)
  await signIn(page, account)
  await page.goto('/console/settings')
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()

  await staff.people.suspend({ id, reason })
  await page.goto('/console/instances')
  await expect(page.getByRole('heading', { level: 1, name: 'Sign in' })).toBeVisible()
  await fillSignIn(page, { ...account, password: 'not the password' })
  await expect(page.getByRole('alert').getByText('Invalid login credentials')).toBeVisible()
  await fillSignIn(page, account)
  const band = page.getByRole('alert').filter({ hasText: 'This account is suspended' })
  await expect(band).toContainText(reason.slice(0, -1))
  await expect(band.getByRole('link', { name: 'Write to us' })).toHaveAttribute('href', '/contact')
  await expect(page.getByLabel('Email', { exact: true })).toHaveValue(account.email)
  await judge(page, 'the sign-in of a suspended account')

  await staff.people.reinstate({ id, reason: 'It was not theirs.' })
  await fillSignIn(page, account)
  await expect(page).toHaveURL(/\/console\/instances|\/dashboard/)
})
