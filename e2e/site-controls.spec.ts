/** The controls of the public pages do what their labels say: forms, filters, calculator, shell, links by session. */
import type { Page } from '@playwright/test'
import { expect, test } from './product.ts'

const send = (page: Page) => page.getByRole('button', { name: 'Send message' })

async function write(page: Page, message: string): Promise<void> {
  await page.getByLabel('First Name').fill('Ada')
  await page.getByLabel('Last Name').fill('<script>alert(1)</script>')
  await page.getByLabel('Email').fill('ada@example.com')
  await page.getByLabel('Message').fill(message)
}

/** An island has taken a form over when the browser no longer checks it. */
const ready = (page: Page) => expect(page.locator('form[novalidate]').first()).toBeAttached()

test('the contact form names each fault at its field and reaches the administrators once', async ({
  page,
  context,
  product,
}) => {
  await page.goto('/contact?type=support')
  await ready(page)
  await expect(page.getByLabel('Type of Inquiry')).toHaveValue('support')
  await send(page).click()
  await expect(page.getByText('Enter your first name')).toBeVisible()
  await expect(page.getByLabel('First Name')).toBeFocused()

  await write(page, 'Where is the manual?')
  await page.getByLabel('Email').fill('nonsense')
  await send(page).click()
  await expect(page.getByText('Enter a whole address')).toBeVisible()
  await page.getByLabel('Email').fill('ada@example.com')

  await context.setOffline(true)
  await send(page).click()
  await expect(page.getByText('You are offline. Nothing was sent')).toBeVisible()
  await context.setOffline(false)

  const sent: string[] = []
  await page.route('**/v1/inquiries', async route => {
    sent.push(route.request().headers()['idempotency-key']!)
    if (sent.length === 1) return route.abort()
    await new Promise(resolve => setTimeout(resolve, 300))
    return route.continue()
  })
  await send(page).click()
  await expect(page.getByText('cannot be reached')).toBeVisible()
  await expect(page.getByLabel('Message')).toHaveValue('Where is the manual?')
  await send(page).dblclick()
  await expect(page.getByText('Your message arrived')).toBeFocused()
  expect(sent).toHaveLength(2)
  expect(new Set(sent).size).toBe(1)

  const admin = await product.clientOf(product.admin)
  const { items } = await admin.site.inquiries({})
  expect(items.map(item => [item.kind, item.name, item.message])).toEqual([
    ['contact', 'Ada <script>alert(1)</script>', 'Where is the manual?'],
  ])
})

test('a subscription counts after the click in its mail, and ends with another', async ({
  page,
  product,
}) => {
  const email = 'reader@example.com'
  await page.goto('/subscribe')
  await ready(page)
  await page.getByLabel('Email').fill(email)
  await page.getByRole('button', { name: 'Subscribe', exact: true }).click()
  await expect(page.getByText('A mail is on its way')).toBeVisible()
  const mailed = (path: string) =>
    expect
      .poll(async () => (await product.linksTo(email)).find(link => link.includes(`${path}?token=`)) ?? '')
      .not.toBe('')
  await mailed('/subscribe')
  await page.goto((await product.linksTo(email)).find(link => link.includes('/subscribe?'))!)
  await page.getByRole('button', { name: 'Confirm subscription' }).click()
  await expect(page.getByText('You are subscribed. Every mail')).toBeVisible()

  await mailed('/unsubscribe')
  await page.goto((await product.linksTo(email)).find(link => link.includes('/unsubscribe?'))!)
  await page.getByRole('button', { name: 'Unsubscribe' }).click()
  await expect(page.getByText('You are unsubscribed')).toBeVisible()
  await page.goto('/unsubscribe?token=no-such-token')
  await page.getByRole('button', { name: 'Unsubscribe' }).click()
  await expect(page.locator('[data-failed]')).toContainText('never valid')
})

test('what is planned joins a waiting list, and a document is asked for', async ({ page, product }) => {
  await page.goto('/products')
  const row = page.locator('article', { hasText: 'Model Registry' })
  await row.locator('summary').click()
  await row.getByLabel('Email').fill('early@example.com')
  await row.getByRole('button', { name: 'Join the waiting list' }).click()
  await expect(row.getByText('You are on the waiting list for Model Registry')).toBeVisible()

  await page.goto('/compliance')
  const document = page.locator('#subprocessor-list')
  await document.locator('summary').click()
  await document.getByLabel('Name').fill('Ada')
  await document.getByLabel('Company').fill('Analytical Engines')
  await document.getByLabel('Email').fill('ada@example.com')
  await document.getByRole('button', { name: 'Request document' }).click()
  await expect(document.getByText('Your request for the Subprocessor list arrived')).toBeVisible()
  const { items } = await (await product.clientOf(product.admin)).site.inquiries({})
  expect(items[0]).toMatchObject({ kind: 'document', company: 'Analytical Engines' })
})

test('categories filter, stay in the address, and work as links without a script', async ({
  page,
  browser,
  product,
}) => {
  const parts = page.locator('[data-category]:visible')
  await page.goto('/products')
  await expect(parts).toHaveCount(6)
  await page.getByLabel('Product categories').getByRole('link', { name: 'Storage' }).click()
  await expect(parts).toHaveCount(1)
  await expect(page).toHaveURL(/\?category=storage$/)
  await page.reload()
  await expect(parts).toHaveCount(1)
  await page.goto('/products')
  await page.goBack()
  await expect(parts).toHaveCount(1)
  await page.goto('/use-cases?category=finance')
  await expect(parts).toHaveCount(1)

  const plain = await browser.newPage({ javaScriptEnabled: false, baseURL: product.url })
  await plain.goto('/products')
  await plain.getByLabel('Product categories').getByRole('link', { name: 'Data' }).click()
  await expect(plain).toHaveURL(/#data$/)
  await plain.goto('/contact')
  await expect(plain.getByText('Sending this form needs JavaScript')).toBeVisible()
  await expect(send(plain)).toBeHidden()
  await plain.close()
})

test('the calculator reads the address, follows its controls and writes the address', async ({ page }) => {
  await page.goto('/pricing?gpu=H100&hours=1#calculator')
  const spoken = page.locator('[data-spoken]')
  await expect(spoken).toHaveText('On demand costs least for these hours: $4.10.')
  await page.getByLabel('Hours it runs').fill('2160')
  await expect(spoken).toHaveText('3 months costs least for these hours: $7,270.00.')
  await page.getByLabel('GPU', { exact: true }).selectOption('T4')
  await expect(page).toHaveURL(/\?gpu=T4&hours=2160$/)
  await page.reload()
  await expect(spoken).toHaveText('3 months costs least for these hours: $621.00.')
})

test('the shell on the front page runs by keyboard, without an account and without a call', async ({
  page,
}) => {
  await page.goto('/#try-it')
  const screen = page.locator('[data-screen]')
  await expect(screen).toContainText('SIMULATED GPU')
  const calls: string[] = []
  page.on('request', request => request.url().includes('/v1/') && calls.push(request.url()))
  await page.getByRole('button', { name: 'Connect' }).press('Enter')
  const line = page.locator('#try-it-line')
  await expect(line).toBeFocused()
  calls.length = 0
  await page.keyboard.type('pwd')
  await page.keyboard.press('Enter')
  await expect(screen).toContainText(/# pwd\n\/root$/)
  await page.keyboard.press('ArrowUp')
  await expect(line).toHaveValue('pwd')
  await line.fill('exit')
  await line.press('Enter')
  await expect(page.getByRole('button', { name: 'Connect again' })).toBeFocused()
  expect(calls).toEqual([])
})

test('service cards lead to sign-in, or to the console for somebody who is signed in', async ({ page }) => {
  const targets = () =>
    page
      .locator('[aria-labelledby=services] [data-signed-in]')
      .evaluateAll(links => links.map(link => link.getAttribute('href')))
  await page.goto('/')
  expect(await targets()).toEqual(['/signin', '/signin', '/signin'])
  await page.evaluate(() => localStorage.setItem('ingot-session', '{}'))
  await page.goto('/')
  await page.locator('#services').scrollIntoViewIfNeeded()
  await expect.poll(targets).toEqual(['/console/instances', '/console/templates', '/console/network-volumes'])
  await page.evaluate(() => localStorage.removeItem('ingot-session'))
})

test('figures count up to what the page says, and stand still for those who ask for it', async ({ page }) => {
  const figures = page.locator('[data-count]')
  await page.emulateMedia({ reducedMotion: 'reduce' })
  await page.goto('/')
  const final = await figures.allTextContents()
  await figures.first().scrollIntoViewIfNeeded()
  await page.waitForTimeout(400)
  expect(await figures.allTextContents()).toEqual(final)
  await page.emulateMedia({ reducedMotion: 'no-preference' })
  await page.goto('/')
  await figures.first().scrollIntoViewIfNeeded()
  await expect.poll(() => figures.allTextContents()).not.toEqual(final)
  await expect.poll(() => figures.allTextContents()).toEqual(final)
})
