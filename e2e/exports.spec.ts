/** The files of the console's lists: everything that matches, not only what the screen has loaded. */
import { readFile } from 'node:fs/promises'
import type { Page } from '@playwright/test'
import { newAccount, signIn } from './account.ts'
import { expect, test } from './product.ts'

async function exported(page: Page, button: string): Promise<{ name: string; lines: string[] }> {
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: button }).click(),
  ])
  const text = await readFile(await download.path(), 'utf8')
  return { name: download.suggestedFilename(), lines: text.trimEnd().split('\r\n') }
}

test('a file holds every line of the list, and of a filtered list those that match', async ({
  page,
  product,
}) => {
  const account = await newAccount(product)
  const client = await product.clientOf(account)
  for (let n = 0; n < 3; n++) {
    await client.accounts.generateApiKey({ name: 'one' })
  }
  // More than the hundred that the screen loads at first.
  for (let n = 0; n < 120; n++) await client.accounts.revealApiKey({})
  await signIn(page, account)
  await page.goto('/console/logs')
  const whole = await exported(page, 'Export Logs')
  expect(whole.name).toBe('activity.csv')
  expect(whole.lines[0]).toMatch(/^time,action,instance,/)
  expect(whole.lines.length).toBeGreaterThan(121)

  await page.goto('/console/logs?action=api_key_generated')
  const some = await exported(page, 'Export Logs')
  expect(some.lines.slice(1).every(line => line.includes(',api_key_generated,'))).toBe(true)
  expect(some.lines).toHaveLength(4)
  const json = await exported(page, 'Export JSON')
  expect(json.name).toBe('activity.json')
  const events = JSON.parse(json.lines.join('\n')) as { action: string }[]
  expect(events.map(({ action }) => action)).toEqual(Array(3).fill('api_key_generated'))
  await expect(page.getByRole('button', { name: 'Copy as curl' })).toBeVisible()

  await page.goto('/console/billing')
  await expect(page.getByRole('button', { name: 'Export CSV' })).toHaveAttribute('aria-disabled', 'true')
})
