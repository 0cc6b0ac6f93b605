/** The second factor, against the product as `npm start` serves it. Texts are read where a test network keeps them. */
import { createClient } from '@ingot/sdk/client'
import { TOTP } from 'otpauth'
import { fillSignIn, judge, newAccount, openSettings, section, signIn } from './account.ts'
import { expect, test } from './product.ts'

const stepMs = 30_000

/** Each code works once: later ones are taken from the next half minute, which the service allows for clocks that differ. */
const codeOf = (secret: string, steps = 0): string =>
  new TOTP({ secret }).generate({ timestamp: Date.now() + steps * stepMs })

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
