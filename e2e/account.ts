/** What flows of accounts have in common: getting in, mailed links, the settings, and whether a screen can be read. */
import { createClient } from '@ingot/sdk/client'
import type { Browser, Page } from '@playwright/test'
import { expectReadable } from './axe.ts'
import { expect, type Product } from './product.ts'

interface Account {
  readonly email: string
  readonly password: string
}

const sizes = [
  { width: 390, height: 844 },
  { width: 320, height: 640 },
]
let made = 0

/** A confirmed account, made through the service as anybody could. */
export async function newAccount(product: Product): Promise<Account> {
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
export async function linkTo(product: Product, email: string, type: string, not?: string): Promise<string> {
  let found: string | undefined
  await expect(async () => {
    const { items } = await createClient({ baseUrl: product.url }).dev.mail()
    found = items
      .filter(mail => mail.to === email)
      .flatMap(mail => mail.links)
      .find(link => link.includes(`type=${type}`))
    expect(found, `a mail with a ${type} link to ${email}`).toBeDefined()
    expect(found).not.toBe(not)
  }).toPass({ timeout: 40_000 })
  return found!
}

export async function signIn(page: Page, { email, password }: Account): Promise<void> {
  await page.goto('/signin')
  await fillSignIn(page, { email, password })
  await expect(page).toHaveURL(/\/dashboard/)
}

export async function fillSignIn(page: Page, { email, password }: Account): Promise<void> {
  await page.getByLabel('Email', { exact: true }).fill(email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign In', exact: true }).click()
}

/** Waits for the whole page: what arrives late would move the rest from under a click. */
export async function openSettings(page: Page, at = ''): Promise<void> {
  await page.goto(`/console/settings${at}`)
  for (const name of ['Change email', /^Generate/, 'Add an authenticator app', /^Unlink/])
    await expect(page.getByRole('button', { name }).first()).toBeVisible()
}

export const section = (page: Page, name: string) => page.getByRole('region', { name, exact: true })

/** The screen is readable in both themes, and whole at phone width. */
export async function judge(page: Page, name: string): Promise<void> {
  const before = page.viewportSize()!
  await expectReadable(page, name, '[data-sonner-toaster]')
  for (const size of sizes) {
    await page.setViewportSize(size)
    const scrollWidth = await page.evaluate(() => document.documentElement.scrollWidth)
    expect(scrollWidth, `${name} at ${size.width} px`).toBeLessThanOrEqual(size.width)
  }
  await page.setViewportSize(before)
}

export const another = async (browser: Browser, product: Product) => {
  const context = await browser.newContext({ baseURL: product.url })
  return { context, page: await context.newPage() }
}
