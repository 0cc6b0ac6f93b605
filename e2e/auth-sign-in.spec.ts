/** Getting in and back in, against the product as `npm start` serves it. Mails are read where a test network keeps them. */
import type { Page } from '@playwright/test'
import { another, fillSignIn, judge, linkTo, newAccount } from './account.ts'
import { expect, test } from './product.ts'

test('a forgotten password: mail, new password, sign-in with it; a used link says so', async ({
  page,
  product,
  browser,
}) => {
  const account = await newAccount(product)
  await page.goto('/signin')
  await page.getByLabel('Email', { exact: true }).fill(account.email)
  await page.getByRole('link', { name: 'Forgot password?' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Forgot password' })).toBeVisible()
  await expect(page.getByLabel('Email', { exact: true })).toHaveValue(account.email)
  await judge(page, '/forgot-password')

  await page.getByRole('button', { name: 'Send the link' }).click()
  const answer = page.getByText(`If ${account.email} has an account, a link is on its way.`)
  await expect(answer).toBeVisible()
  await expect(page.getByLabel('Email', { exact: true })).toHaveValue(account.email)
  await expect(page.getByRole('button', { name: 'Send it again' })).toHaveAttribute('aria-disabled', 'true')
  // Nobody's address gets the very same answer.
  await page.getByLabel('Email', { exact: true }).fill('nobody@example.com')
  await page.getByRole('button', { name: 'Send the link' }).click()
  await expect(page.getByText('If nobody@example.com has an account, a link is on its way.')).toBeVisible()

  const link = await linkTo(product, account.email, 'recovery')
  const elsewhere = await another(browser, product)
  await elsewhere.page.goto(link)
  await expect(elsewhere.page.getByRole('heading', { name: 'Set a new password' })).toBeVisible()
  await judge(elsewhere.page, '/reset-password')
  const save = elsewhere.page.getByRole('button', { name: 'Save the new password' })
  await elsewhere.page.getByLabel('New password', { exact: true }).fill('tiny')
  await elsewhere.page.getByLabel('New password again').fill('tiny')
  await save.click()
  await expect(elsewhere.page.getByText('Password must be at least 6 characters')).toBeVisible()
  await elsewhere.page.getByLabel('New password', { exact: true }).fill('staple wagon orchid')
  await save.click()
  await expect(elsewhere.page.getByText("New passwords don't match")).toBeVisible()
  await elsewhere.page.getByLabel('New password again').fill('staple wagon orchid')
  await save.click()
  await expect(elsewhere.page.getByText('Password updated successfully')).toBeVisible()
  await expect(elsewhere.page).toHaveURL(/\/dashboard/)
  await elsewhere.context.close()

  await page.goto(link)
  await expect(page.getByRole('heading', { name: 'This link did not work' })).toBeVisible()
  await expect(
    page.getByText('The link has expired or was already used. Each link works once.'),
  ).toBeVisible()
  await judge(page, 'a used link')
  await page.getByLabel('Email', { exact: true }).fill(account.email)
  await page.getByRole('button', { name: 'Send a new link' }).click()
  await expect(page.getByText('a new link is on its way')).toBeVisible()

  await page.goto('/signin')
  await fillSignIn(page, account)
  await expect(page.getByRole('alert').getByText('Invalid login credentials')).toBeVisible()
  await expect(page.getByLabel('Email', { exact: true })).toHaveValue(account.email)
  await expect(page.getByLabel('Password', { exact: true })).toHaveValue(account.password)
  await page.getByLabel('Password', { exact: true }).fill('staple wagon orchid')
  await page.getByRole('button', { name: 'Sign In', exact: true }).click()
  await expect(page).toHaveURL(/\/dashboard/)
})

test('a mailed link signs in, and leads to the page that was asked for', async ({ page, product }) => {
  const account = await newAccount(product)
  await page.goto('/console/billing')
  await expect(page).toHaveURL(/\/signin\?next=/)
  await judge(page, '/signin')
  await expect(page.getByRole('button', { name: /Continue with|Single sign-on/ })).toHaveCount(0)
  await page.getByRole('button', { name: 'Email me a link' }).click()
  await expect(page.getByText('Enter your email')).toBeVisible()
  await page.getByLabel('Email', { exact: true }).fill(account.email)
  await page.getByRole('button', { name: 'Email me a link' }).click()
  await expect(page.getByText(`If ${account.email} has an account, a link is on its way.`)).toBeVisible()
  await page.goto(await linkTo(product, account.email, 'magiclink'))
  await expect(page).toHaveURL(/\/console\/billing/)
  await expect(page.getByRole('heading', { level: 1, name: 'Billing' })).toBeVisible()
})

test('a mailed link that names no page finds its way from the front page', async ({ page, product }) => {
  const account = await newAccount(product)
  const ask = (path: string) =>
    fetch(`${product.url}/auth/v1/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email: account.email, create_user: false }),
    })
  await ask('recover')
  const link = await linkTo(product, account.email, 'recovery')
  await page.goto(link)
  await expect(page).toHaveURL(/\/reset-password/)
  await expect(page.getByRole('button', { name: 'Save the new password' })).toBeVisible()
  await page.evaluate(() => localStorage.clear())
  await page.goto(link)
  await expect(page).toHaveURL(/\/signin/)
  await expect(page.getByText('The link has expired or was already used.')).toBeVisible()
})

test('what is typed stays when the service cannot be reached, and a refused address says why', async ({
  page,
  context,
}) => {
  await page.goto('/signin')
  await page.getByLabel('Email', { exact: true }).fill('ada@example.com')
  await page.getByLabel('Password', { exact: true }).fill('whatever it was')
  await page.route('**/auth/v1/token**', route => route.abort())
  await page.getByRole('button', { name: 'Sign In', exact: true }).click()
  await expect(page.getByRole('alert').getByText(/cannot be reached/)).toBeVisible()
  await expect(page.getByLabel('Password', { exact: true })).toHaveValue('whatever it was')
  await context.setOffline(true)
  await expect(page.getByRole('button', { name: 'Sign In', exact: true })).toHaveAttribute(
    'aria-disabled',
    'true',
  )
  await context.setOffline(false)
  // A provider's refusal, and a link that belongs to another browser.
  await page.goto('/signin?error=access_denied&error_description=No#error=access_denied&error_description=No')
  await expect(page.getByText('The provider was not allowed to sign you in.')).toBeVisible()
  await page.goto('/reset-password?code=0b9f1d6e-3c1f-4f52-9b1e-0d9e6a2f1c11')
  await expect(page.getByText('This link works only in the browser that asked for it')).toBeVisible()
  await page.goto('/invitation#error=access_denied&error_code=otp_expired&error_description=x')
  await expect(page.getByRole('link', { name: 'Set a password by mail' })).toBeVisible()
  await judge(page, '/invitation')
})

test('remember me decides whether the session outlives the browser', async ({
  page,
  product,
  browser,
  context,
}) => {
  const account = await newAccount(product)
  const reopened = async () => {
    const next = await browser.newContext({
      baseURL: product.url,
      storageState: await context.storageState(),
    })
    const fresh = await next.newPage()
    await fresh.goto('/dashboard')
    await fresh.getByRole('heading', { level: 1 }).waitFor()
    const path = new URL(fresh.url()).pathname
    await next.close()
    return path
  }
  await page.goto('/signin')
  await page.getByLabel('Remember me').click()
  await expect(page.getByLabel('Remember me')).not.toBeChecked()
  await fillSignIn(page, account)
  await expect(page).toHaveURL(/\/dashboard/)
  expect(await reopened()).toBe('/signin')

  // While the browser is open, its other tabs are signed in too, also when this one is busy, and signed out together.
  const tab = await context.newPage()
  const busy = page.evaluate(() => {
    for (const end = Date.now() + 2_000; Date.now() < end;);
  })
  await tab.goto('/console/billing')
  await busy
  await expect(tab.getByRole('heading', { level: 1, name: 'Billing' })).toBeVisible()
  await page.getByRole('button', { name: 'Sign Out' }).click()
  await expect(page).toHaveURL(`${product.url}/`)
  await expect(tab).toHaveURL(/\/signin/)
  await tab.close()

  await page.goto('/signin')
  await page.getByLabel('Remember me').click()
  await expect(page.getByLabel('Remember me')).toBeChecked()
  await fillSignIn(page, account)
  await expect(page).toHaveURL(/\/dashboard/)
  expect(await reopened()).toBe('/dashboard')

  // What the service does not hear ends here all the same, and is said.
  await page.route('**/auth/v1/logout**', route => route.abort())
  await page.getByRole('button', { name: 'Sign Out' }).click()
  await expect(page.getByText('Error signing out')).toBeVisible()
  await expect(page).toHaveURL(/\/signin/)
  expect(await reopened()).toBe('/signin')
})

test('a browser says at each sign-in which one it is, so that guesses made elsewhere do not shut it out', async ({
  page,
  product,
  browser,
}) => {
  const account = await newAccount(product)
  const numberAt = async (at: Page) => {
    await at.goto('/signin')
    const asked = at.waitForRequest(/token\?grant_type=password/)
    await fillSignIn(at, account)
    await expect(at).toHaveURL(/\/dashboard/)
    return (await asked).headers()['x-ingot-device']
  }
  const first = await numberAt(page)
  expect(first).toMatch(/^[0-9a-f]{32}$/)
  await page.getByRole('button', { name: 'Sign Out' }).click()
  await expect(page).toHaveURL(`${product.url}/`)
  expect(await numberAt(page)).toBe(first)
  const other = await browser.newContext({ baseURL: product.url })
  expect(await numberAt(await other.newPage())).not.toBe(first)
  await other.close()
})

test('an account that somebody else had opened asks its owner for a new password, until it has one', async ({
  page,
  product,
}) => {
  const email = `owner.${Date.now()}@example.com`
  const post = (path: string, body: object) =>
    fetch(`${product.url}/auth/v1/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email, ...body }),
    })
  await post('signup', { password: 'password of a stranger' })
  const strangers = await linkTo(product, email, 'signup')
  await post('otp', {})
  await page.goto(await linkTo(product, email, 'signup', strangers))
  await expect(page).toHaveURL(/\/dashboard/)
  const band = page
    .getByRole('status')
    .filter({ hasText: 'The password of this account was removed: it was set before you proved' })
  await expect(band).toBeVisible()
  await judge(page, 'the band about a password')
  await page.goto('/console/instances')
  await band.getByRole('link', { name: 'Choose a new password' }).click()
  const dialog = page.getByRole('dialog', { name: 'Change Password' })
  await dialog.getByLabel('New password', { exact: true }).fill('staple wagon orchid')
  await dialog.getByLabel('New password again').fill('staple wagon orchid')
  await dialog.getByRole('button', { name: 'Update password' }).click()
  await expect(dialog).toBeHidden()
  await expect(band).toBeHidden()
  await page.reload()
  await expect(page.getByRole('heading', { level: 1, name: 'Settings' })).toBeVisible()
  await expect(band).toBeHidden()
})
