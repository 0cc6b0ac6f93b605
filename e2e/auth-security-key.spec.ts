/** A security key as the second factor, with the browser's own virtual ones. */
import type { CDPSession, Page } from '@playwright/test'
import { fillSignIn, judge, newAccount, openSettings, section, signIn } from './account.ts'
import { expect, test } from './product.ts'

interface Keys {
  readonly cdp: CDPSession
  /** Plugs a new key in; it answers without being touched. */
  plugIn(): Promise<string>
  unplug(id: string): Promise<void>
}

async function withKeys(page: Page): Promise<Keys> {
  const cdp = await page.context().newCDPSession(page)
  await cdp.send('WebAuthn.enable')
  return {
    cdp,
    async plugIn() {
      const options = { protocol: 'ctap2', transport: 'usb', automaticPresenceSimulation: true } as const
      return (await cdp.send('WebAuthn.addVirtualAuthenticator', { options })).authenticatorId
    },
    unplug: async authenticatorId =>
      void (await cdp.send('WebAuthn.removeVirtualAuthenticator', { authenticatorId })),
  }
}

async function add(page: Page, name?: string): Promise<void> {
  await page.getByRole('button', { name: 'Add a security key' }).click()
  if (name) await page.getByLabel('Name', { exact: true }).fill(name)
  await page.getByRole('button', { name: 'Add', exact: true }).click()
}

test('a security key: add it, sign out, pass the second step with it, not with another or a copy, remove it', async ({
  page,
  product,
}) => {
  test.slow()
  const account = await newAccount(product)
  const keys = await withKeys(page)
  const own = await keys.plugIn()
  await signIn(page, account)
  await openSettings(page, '#two-factor')
  const factors = section(page, 'Two-factor authentication')

  await page.getByRole('button', { name: 'Add a security key' }).click()
  await expect(page.getByLabel('Name', { exact: true })).toHaveValue('Security key')
  await judge(page, 'add a security key')
  await page.getByLabel('Name', { exact: true }).fill(' ')
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  await expect(page.getByText('Enter a name to know the key by')).toBeVisible()
  await page.getByLabel('Name', { exact: true }).fill('Blue key')
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  await expect(page.getByText('Security key added')).toBeVisible()
  await expect(page.getByRole('dialog', { name: 'Recovery codes' })).toBeVisible()
  await page.getByRole('button', { name: 'Later' }).click()
  await expect(factors.getByText('Blue key')).toBeVisible()
  await expect(factors.getByText('A security key or passkey')).toBeVisible()
  await judge(page, 'settings with a security key')

  // The same key once more is refused by the browser, and the attempt leaves nothing behind.
  await add(page)
  await expect(page.getByText('This key is one of your factors already.')).toBeVisible()
  await page.getByRole('button', { name: 'Cancel' }).click()
  await expect(factors.getByRole('button', { name: /^Remove/ })).toHaveCount(1)

  await page.getByRole('button', { name: 'Sign Out' }).click()
  await expect(page).toHaveURL(`${product.url}/`)
  await page.goto('/console/logs')
  await fillSignIn(page, account)
  await expect(page.getByRole('heading', { name: 'Second factor' })).toBeVisible()
  await expect(page.getByRole('button', { name: 'Use security key' })).toBeFocused()
  await expect(page.getByText('Have the key “Blue key” at hand')).toBeVisible()
  await judge(page, 'second factor by security key')

  // Another key knows nothing of this account.
  const { credentials } = await keys.cdp.send('WebAuthn.getCredentials', { authenticatorId: own })
  await keys.unplug(own)
  const other = await keys.plugIn()
  await page.getByRole('button', { name: 'Use security key' }).click()
  await expect(page.getByText('Nothing was confirmed.')).toBeVisible()
  await keys.unplug(other)

  // A copy that was made before counts from behind.
  const copy = await keys.plugIn()
  const behind = { ...credentials[0]!, signCount: 0 }
  await keys.cdp.send('WebAuthn.addCredential', { authenticatorId: copy, credential: behind })
  await page.getByRole('button', { name: 'Use security key' }).click()
  await expect(page.getByText('This key was not accepted.')).toBeVisible()
  await judge(page, 'a key that was not accepted')
  await keys.unplug(copy)

  const back = await keys.plugIn()
  await keys.cdp.send('WebAuthn.addCredential', { authenticatorId: back, credential: credentials[0]! })
  await page.getByRole('button', { name: 'Use security key' }).click()
  await expect(page.getByText('Welcome back!')).toBeVisible()
  await expect(page).toHaveURL(/\/console\/logs/)

  await openSettings(page, '#two-factor')
  await factors.getByRole('button', { name: 'Remove Blue key' }).click()
  await page.getByRole('button', { name: 'Remove', exact: true }).click()
  await expect(page.getByText('Blue key removed')).toBeVisible()
  await expect(factors.getByText('Off', { exact: true })).toBeVisible()
})

test('of several factors the key comes first where the browser has keys, and the others stay a press away', async ({
  page,
  product,
}) => {
  const account = await newAccount(product)
  // The browser writes each into its console.
  const missing: string[] = []
  page.on('response', response => response.status() === 404 && missing.push(response.url()))
  const keys = await withKeys(page)
  await keys.plugIn()
  await signIn(page, account)
  await openSettings(page, '#two-factor')
  await add(page, 'Blue key')
  await page.getByRole('button', { name: 'Make recovery codes' }).click()
  const codes = page.getByRole('list', { name: 'Recovery codes' }).getByRole('listitem')
  const recovery = (await codes.first().textContent())!
  await page.getByRole('button', { name: 'I have kept them' }).click()

  await page.getByRole('button', { name: 'Sign Out' }).click()
  await expect(page).toHaveURL(`${product.url}/`)
  // As in a browser without keys.
  await page.addInitScript(() => Reflect.deleteProperty(window, 'PublicKeyCredential'))
  await page.goto('/signin')
  await fillSignIn(page, account)
  await expect(page.getByLabel('Recovery code')).toBeFocused()
  await page.getByRole('button', { name: 'Use Blue key instead' }).click()
  await expect(page.getByRole('button', { name: 'Use security key' })).toHaveAttribute(
    'aria-disabled',
    'true',
  )
  await expect(page.getByRole('tooltip', { name: 'This browser cannot use security keys' })).toBeVisible()
  await page.getByRole('button', { name: 'Use a recovery code instead' }).click()
  await page.getByLabel('Recovery code').fill(recovery)
  await page.getByRole('button', { name: 'Continue' }).click()
  await expect(page).toHaveURL(/\/dashboard/)
  expect(missing).toEqual([])
})
