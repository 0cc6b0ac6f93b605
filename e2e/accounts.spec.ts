/**
 * Accounts as people use them, against the product as `npm start` serves it: getting in and back in, the second factor,
 * keys, sessions, and the end of an account. Mails are read where a test network keeps them.
 */
import { AxeBuilder } from '@axe-core/playwright'
import { createClient } from '@ingot/sdk/client'
import type { Browser, Page } from '@playwright/test'
import { TOTP } from 'otpauth'
import { expect, type Product, test } from './product.ts'

interface Account {
  readonly email: string
  readonly password: string
}

const stepMs = 30_000
const sizes = [
  { width: 390, height: 844 },
  { width: 320, height: 640 },
]
let made = 0

/** A confirmed account, made through the service as anybody could. */
async function newAccount(product: Product): Promise<Account> {
  const account = { email: `user${++made}.${Date.now()}@example.com`, password: 'correct horse battery' }
  const response = await fetch(`${product.url}/auth/v1/signup`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...account, data: { first_name: 'Ada', last_name: 'Lovelace' } }),
  })
  expect(response.status).toBe(200)
  await fetch(await linkTo(product, account.email, 'signup'), { redirect: 'manual' })
  return account
}

/** The newest mailed link of a kind; `not` is one that has been seen before. */
async function linkTo(product: Product, email: string, type: string, not?: string): Promise<string> {
  let found: string | undefined
  await expect(async () => {
    const { items } = await createClient({ baseUrl: product.url }).dev.mail()
    found = items
      .filter(mail => mail.to === email)
      .flatMap(mail => mail.links)
      .find(link => link.includes(`type=${type}`))
    expect(found, `a mail with a ${type} link to ${email}`).toBeDefined()
    expect(found).not.toBe(not)
  }).toPass({ timeout: 15_000 })
  return found!
}

async function signIn(page: Page, { email, password }: Account): Promise<void> {
  await page.goto('/signin')
  await fillSignIn(page, { email, password })
  await expect(page).toHaveURL(/\/dashboard/)
}

async function fillSignIn(page: Page, { email, password }: Account): Promise<void> {
  await page.getByLabel('Email', { exact: true }).fill(email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign In', exact: true }).click()
}

/** Whole: what arrives late would move the rest from under a click. */
async function openSettings(page: Page, at = ''): Promise<void> {
  await page.goto(`/console/settings${at}`)
  for (const name of ['Change email', /^Generate/, 'Add an authenticator app', /^Unlink/])
    await expect(page.getByRole('button', { name }).first()).toBeVisible()
}

const section = (page: Page, name: string) => page.getByRole('region', { name, exact: true })

/** Each code works once: later ones are taken from the next half minute, which the service allows for clocks that differ. */
const codeOf = (secret: string, steps = 0): string =>
  new TOTP({ secret }).generate({ timestamp: Date.now() + steps * stepMs })

/** Readable in both themes, and whole at phone width. */
async function judge(page: Page, name: string): Promise<void> {
  const before = page.viewportSize()!
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    const { violations } = await new AxeBuilder({ page }).exclude('[data-sonner-toaster]').analyze()
    const found = violations.map(({ id, nodes }) => `${id}: ${nodes.map(node => node.html).join(' ')}`)
    expect(found, `${name}, ${colorScheme}`).toEqual([])
  }
  for (const size of sizes) {
    await page.setViewportSize(size)
    const scrollWidth = await page.evaluate(() => document.documentElement.scrollWidth)
    expect(scrollWidth, `${name} at ${size.width} px`).toBeLessThanOrEqual(size.width)
  }
  await page.setViewportSize(before)
}

const another = async (browser: Browser, product: Product) => {
  const context = await browser.newContext({ baseURL: product.url })
  return { context, page: await context.newPage() }
}

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

  // While the browser is open, its other tabs are signed in too, and signed out together.
  const tab = await context.newPage()
  await tab.goto('/console/billing')
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
})

test('a second factor: enrol, sign out, sign in with it, with a recovery code, remove it', async ({
  page,
  product,
}) => {
  test.slow()
  const account = await newAccount(product)
  await signIn(page, account)
  await openSettings(page, '#two-factor')
  const factors = section(page, 'Two-factor authentication')
  await factors.getByRole('button', { name: 'Add an authenticator app' }).click()
  const secret = (await page.getByLabel('Secret').textContent())!
  await expect(page.getByRole('img', { name: 'QR code of the secret' })).toBeVisible()
  await judge(page, 'add an authenticator')
  await page.getByLabel('Code from the app').fill('000000')
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  await expect(page.getByText('This code is not right')).toBeVisible()
  await page.getByLabel('Code from the app').fill(codeOf(secret, -1))
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  await expect(page.getByText('Authenticator app added')).toBeVisible()

  await expect(page.getByRole('dialog', { name: 'Recovery codes' })).toBeVisible()
  await page.getByRole('button', { name: 'Make recovery codes' }).click()
  const codes = page.getByRole('list', { name: 'Recovery codes' }).getByRole('listitem')
  await expect(codes.first()).toBeVisible()
  const recovery = (await codes.first().textContent())!
  await judge(page, 'recovery codes')
  await page.getByRole('button', { name: 'I have kept them' }).click()
  await expect(factors.getByRole('button', { name: 'Remove Authenticator app' })).toBeVisible()

  await page.getByRole('button', { name: 'Sign Out' }).click()
  await expect(page).toHaveURL(`${product.url}/`)
  await page.goto('/console/logs')
  await fillSignIn(page, account)
  await expect(page.getByRole('heading', { name: 'Second factor' })).toBeVisible()
  await expect(page.getByLabel('Code from your authenticator app')).toBeFocused()
  await judge(page, 'second factor')
  // The password alone opens nothing, whatever address is asked for.
  await page.goto('/console/logs')
  await expect(page.getByRole('heading', { name: 'Second factor' })).toBeVisible()
  // Nor does a browser that does not know of the factor: the service says so, and the screen follows.
  await page.evaluate(() => {
    const session = JSON.parse(localStorage.getItem('ingot-session')!) as { user: { factors?: unknown } }
    delete session.user.factors
    localStorage.setItem('ingot-session', JSON.stringify(session))
  })
  await page.reload()
  await expect(page.getByRole('heading', { name: 'Second factor' })).toBeVisible()
  await expect(page).toHaveURL(/\/console\/logs/)
  await page.getByLabel('Code from your authenticator app').fill('000000')
  await page.getByRole('button', { name: 'Continue' }).click()
  await expect(page.getByText('This code is not right')).toBeVisible()
  await expect(page.getByLabel('Code from your authenticator app')).toHaveValue('000000')
  await page.getByRole('button', { name: 'Use a recovery code instead' }).click()
  await expect(page.getByLabel('Recovery code')).toBeFocused()
  await page.getByLabel('Recovery code').fill(recovery)
  await page.getByRole('button', { name: 'Continue' }).click()
  await expect(page.getByText('Welcome back!')).toBeVisible()
  await expect(page).toHaveURL(/\/console\/logs/)

  // With a recovery code alone the only factor stays: without it, and without the codes, nothing would be left.
  const remove = async () => {
    await openSettings(page, '#two-factor')
    await factors.getByRole('button', { name: 'Remove Authenticator app' }).click()
    await page.getByRole('button', { name: 'Remove', exact: true }).click()
  }
  await openSettings(page, '#two-factor')
  await expect(factors.getByText('9 of 10 can still be used')).toBeVisible()
  await remove()
  await expect(page.getByText('Add another factor first')).toBeVisible()
  await judge(page, 'remove a factor')

  await page.goto('/dashboard')
  await page.getByRole('button', { name: 'Sign Out' }).click()
  await expect(page).toHaveURL(`${product.url}/`)
  await page.goto('/signin')
  await fillSignIn(page, account)
  await page.getByLabel('Code from your authenticator app').fill(codeOf(secret))
  await page.getByRole('button', { name: 'Continue' }).click()
  await expect(page).toHaveURL(/\/dashboard/)
  await remove()
  await expect(page.getByText('Authenticator app removed')).toBeVisible()
  await expect(factors.getByText('Off', { exact: true })).toBeVisible()
})

test('a phone as the second factor: the code comes as a text', async ({ page, product }) => {
  const account = await newAccount(product)
  const phone = `+1555${String(Date.now()).slice(-7)}`
  await signIn(page, account)
  await openSettings(page, '#two-factor')
  const factors = section(page, 'Two-factor authentication')
  await factors.getByRole('button', { name: 'Add a phone' }).click()
  await page.getByLabel('Phone number').fill('555')
  await page.getByRole('button', { name: 'Text me a code' }).click()
  await expect(page.getByText('Enter the number with its country')).toBeVisible()
  await page.getByLabel('Phone number').fill(phone)
  await page.getByRole('button', { name: 'Text me a code' }).click()
  await expect(page.getByLabel('Code from the message')).toBeFocused()
  await judge(page, 'add a phone')
  const { items } = await createClient({ baseUrl: product.url }).dev.mail()
  const text = items.find(message => message.to.replace('+', '') === phone.slice(1))?.text
  await page.getByLabel('Code from the message').fill(/\d{6}/.exec(text ?? '')![0])
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  await expect(page.getByText('Phone added')).toBeVisible()
  await page.getByRole('button', { name: 'Later' }).click()
  await expect(factors.getByText(`Codes by text to •••${phone.slice(-2)}`)).toBeVisible()

  await page.getByRole('button', { name: 'Sign Out' }).click()
  await expect(page).toHaveURL(`${product.url}/`)
  await page.goto('/signin')
  await fillSignIn(page, account)
  await expect(page.getByRole('button', { name: 'Text me a code' })).toBeFocused()
  await judge(page, 'second factor by text')
})

test('settings: profile, notifications and preferences are saved; leaving asks; a failed save loses nothing', async ({
  page,
  product,
}) => {
  const account = await newAccount(product)
  await signIn(page, account)
  await openSettings(page)
  await expect(page.getByLabel('First name')).toHaveValue('Ada')
  await expect(page.getByLabel('Email', { exact: true })).toHaveValue(account.email)
  await expect(page.getByLabel('Email', { exact: true })).not.toBeEditable()
  await expect(page.getByRole('button', { name: 'Save changes' })).toHaveCount(0)
  await judge(page, '/console/settings')

  await page.getByLabel('Company').fill('Analytical Engines')
  await page.route('**/v1/profile', route => route.abort())
  await page.getByRole('button', { name: 'Save changes' }).click()
  await expect(page.getByText('Failed to update profile')).toBeVisible()
  await expect(page.getByLabel('Company')).toHaveValue('Analytical Engines')
  await page.unroute('**/v1/profile')
  await page.getByRole('link', { name: 'Billing' }).click()
  await expect(page.getByText('Changes in Profile Information are not saved.')).toBeVisible()
  await judge(page, 'leaving with unsaved changes')
  await page.getByRole('button', { name: 'Stay' }).click()
  await page.getByRole('button', { name: 'Save changes' }).click()
  await expect(page.getByText('Profile updated successfully!')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Save changes' })).toHaveCount(0)

  const notifications = section(page, 'Notifications')
  await notifications.getByLabel('SMS notifications').click()
  await notifications.getByLabel('Marketing emails').click()
  await notifications.getByRole('button', { name: 'Save changes' }).click()
  await expect(page.getByText('Settings updated successfully!').first()).toBeVisible()
  const preferences = section(page, 'Instance Preferences')
  await preferences.getByLabel('Timeout').fill('600')
  await preferences.getByLabel('Timeout').blur()
  await expect(preferences.getByText('Enter 5 to 480 minutes')).toBeVisible()
  await preferences.getByLabel('Timeout').fill('90')
  await preferences.getByRole('button', { name: 'Save changes' }).click()
  await expect(preferences.getByRole('button', { name: 'Save changes' })).toHaveCount(0)

  await page.keyboard.press('Control+k')
  await page.getByPlaceholder('Search or run a command').fill('change passw')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('dialog', { name: 'Change Password' })).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(page).toHaveURL(/\/console\/settings#security$/)

  await page.reload()
  await expect(page.getByLabel('Company')).toHaveValue('Analytical Engines')
  await expect(notifications.getByLabel('SMS notifications')).toBeChecked()
  await expect(notifications.getByLabel('Marketing emails')).toBeChecked()
  await expect(preferences.getByLabel('Timeout')).toHaveValue('90')
  await preferences.getByLabel('Timeout').fill('')
  await preferences.getByLabel('Timeout').blur()
  await expect(preferences.getByLabel('Timeout')).toHaveValue('60')
})

test('an email is changed when both mailed links have been opened', async ({ page, product, browser }) => {
  const account = await newAccount(product)
  const next = account.email.replace('user', 'new')
  await signIn(page, account)
  await openSettings(page, '#profile')
  await page.getByRole('button', { name: 'Change email' }).click()
  await judge(page, 'change email')
  await page.getByLabel('New email').fill(account.email)
  await page.getByRole('button', { name: 'Send both mails' }).click()
  await expect(page.getByText('This is your email already')).toBeVisible()
  await page.getByLabel('New email').fill(next)
  await page.getByRole('button', { name: 'Send both mails' }).click()
  await expect(page.getByText(`the one in the mail to ${next}`)).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(page.getByText(`Waiting for both confirmations of ${next}.`)).toBeVisible()

  // The first link may be opened where nobody is signed in.
  const elsewhere = await another(browser, product)
  await elsewhere.page.goto(await linkTo(product, next, 'email_change'))
  await expect(elsewhere.page.getByRole('heading', { name: 'One more link to open' })).toBeVisible()
  await judge(elsewhere.page, '/email-change')
  await elsewhere.context.close()
  await page.goto(await linkTo(product, account.email, 'email_change'))
  await expect(page.getByRole('heading', { name: 'Your email is changed' })).toBeVisible()
  await expect(page.getByText(`You sign in as ${next} from now on.`)).toBeVisible()
  await openSettings(page)
  await expect(page.getByLabel('Email', { exact: true })).toHaveValue(next)
})

test('an API key is made, shown, used, replaced and revoked', async ({ page, product }) => {
  const account = await newAccount(product)
  await signIn(page, account)
  await openSettings(page, '#api')
  const access = section(page, 'API Access')
  const shown = access.getByLabel('API key', { exact: true })
  const call = (key: string) =>
    fetch(`${product.url}/v1/instances`, { headers: { authorization: `Bearer ${key}` } }).then(
      response => response.status,
    )
  await access.getByRole('button', { name: 'Generate API key' }).click()
  await expect(page.getByRole('dialog').getByLabel('Name')).toHaveValue('Default API Key')
  await judge(page, 'generate a key')
  await page.getByRole('button', { name: 'Generate key' }).click()
  await expect(page.getByText('New API key generated successfully')).toBeVisible()
  const first = (await shown.textContent())!
  expect(first).toMatch(/^ingot_[\w-]{43}$/)
  await expect(access.getByText(`Authorization: Bearer ${first}`)).toBeVisible()
  expect(await call(first)).toBe(200)

  await page.reload()
  await expect(shown).toHaveText(`ingot_…${first.slice(-4)}`)
  await expect(access.getByText('Authorization: Bearer $INGOT_API_KEY')).toBeVisible()
  await access.getByRole('button', { name: 'Show', exact: true }).click()
  await expect(shown).toHaveText(first)
  await access.getByRole('button', { name: 'Hide', exact: true }).click()
  await expect(shown).not.toHaveText(first)

  await access.getByRole('button', { name: 'Generate new key' }).click()
  await expect(page.getByText('stops working at once')).toBeVisible()
  await page.getByRole('dialog').getByLabel('Name').fill('nightly')
  await page.getByRole('button', { name: 'Replace the key' }).click()
  await expect(access.getByRole('heading', { name: 'nightly' })).toBeVisible()
  const second = (await shown.textContent())!
  expect(second).not.toBe(first)
  expect(await call(first)).toBe(401)
  expect(await call(second)).toBe(200)

  await access.getByRole('button', { name: 'Revoke' }).click()
  await page.getByRole('button', { name: 'Revoke API key' }).click()
  await expect(page.getByText('API key revoked')).toBeVisible()
  expect(await call(second)).toBe(401)
})

test('the password is changed, and a session ended here is signed out there', async ({
  page,
  product,
  browser,
}) => {
  test.slow()
  const account = await newAccount(product)
  const changed = { ...account, password: 'staple wagon orchid' }
  await signIn(page, account)
  await page.goto('/console/settings?dialog=password#security')
  const update = page.getByRole('button', { name: 'Update password' })
  const fill = async (current: string, password: string, repeated: string) => {
    await page.getByLabel('Current password').fill(current)
    await page.getByLabel('New password', { exact: true }).fill(password)
    await page.getByLabel('New password again').fill(repeated)
    await update.click()
  }
  await judge(page, 'change password')
  await fill(account.password, 'staple wagon', 'staple wagons')
  await expect(page.getByText("New passwords don't match")).toBeVisible()
  await fill(account.password, 'abc', 'abc')
  await expect(page.getByText('Password must be at least 6 characters')).toBeVisible()
  await fill('not the password', changed.password, changed.password)
  await expect(page.getByLabel('Current password')).toHaveAttribute('aria-invalid', 'true')
  await expect(page.getByLabel('New password again')).toHaveValue(changed.password)
  await fill(account.password, changed.password, changed.password)
  await expect(page.getByText('Password updated successfully')).toBeVisible()

  const other = await another(browser, product)
  await signIn(other.page, changed)
  await page.getByRole('button', { name: 'Show sessions' }).click()
  const sessions = page.getByRole('dialog', { name: 'Login Sessions' }).getByRole('listitem')
  await expect(sessions).toHaveCount(2)
  await expect(sessions.filter({ hasText: 'This session' })).toHaveCount(1)
  const current = sessions.filter({ hasText: 'This session' }).getByRole('button')
  await expect(current).toHaveAttribute('aria-disabled', 'true')
  await judge(page, 'login sessions')
  await current.hover()
  await expect(page.getByText('Cannot terminate current session').last()).toBeVisible()
  await sessions.filter({ hasNotText: 'This session' }).getByRole('button').click()
  await expect(page.getByText('Session terminated')).toBeVisible()
  await expect(sessions).toHaveCount(1)
  await expect(other.page).toHaveURL(/\/signin/, { timeout: 30_000 })
  await expect(other.page.getByText('Your session has ended.')).toBeVisible()
  await other.context.close()
})

test('an account is deleted, with a word, a password and a goodbye', async ({ page, product }) => {
  const account = await newAccount(product)
  const client = await product.clientOf(account)
  const { walletAddress } = await client.wallet.usdtConfig()
  await client.dev.faucet({ address: walletAddress, amount_usdt: '25' })
  await expect
    .poll(async () => (await client.wallet.get()).balance_usd, { timeout: 15_000 })
    .toBe('25.000000')
  await signIn(page, account)
  await openSettings(page, '#danger')
  await page.getByRole('button', { name: 'Delete Account' }).click()
  const question = page.getByRole('alertdialog', { name: 'Delete Account' })
  const act = question.getByRole('button', { name: 'Delete Account' })
  await expect(act).toHaveAttribute('aria-disabled', 'true')
  await question.getByRole('radio', { name: /Give it up/ }).click()
  await expect(question.getByLabel('Type FORFEIT to give up $25.00')).toBeVisible()
  await judge(page, 'delete account')
  await question.getByRole('radio', { name: /Request refund/ }).click()
  await question.getByLabel('Password', { exact: true }).fill('not the password')
  await question.getByLabel('Type DELETE to confirm').fill('delete')
  await expect(act).toHaveAttribute('aria-disabled', 'true')
  await question.getByLabel('Type DELETE to confirm').fill('DELETE')
  await act.click()
  await expect(question.getByLabel('Password', { exact: true })).toHaveAttribute('aria-invalid', 'true')
  await expect(question.getByLabel('Type DELETE to confirm')).toHaveValue('DELETE')
  await question.getByLabel('Password', { exact: true }).fill(account.password)
  await act.click()
  await expect(page.getByText('Your account is deleted.')).toBeVisible()
  await expect(page).toHaveURL(`${product.url}/`)
  await page.goto('/signin')
  await fillSignIn(page, account)
  await expect(page.getByRole('alert').getByText('Invalid login credentials')).toBeVisible()
})
