/** What the operator says is seen by others: an announcement, and maintenance. */
import { newAccount, signIn } from '../account.ts'
import { expectReadable } from '../axe.ts'
import { expect, test } from '../product.ts'

test('an announcement appears live, is dismissed for good, and stands on public pages; maintenance refuses a change and keeps what was typed', async ({
  page,
  product,
  browser,
}) => {
  const admin = await product.clientOf(product.admin)
  await signIn(page, await newAccount(product))
  await page.goto('/console/support')
  await expect(page.getByText(/^No tickets yet/)).toBeVisible()

  const context = await browser.newContext({ baseURL: product.url })
  const desk = await context.newPage()
  await signIn(desk, product.admin)
  await desk.goto('/admin/announcements')
  await desk.getByRole('button', { name: 'New announcement' }).click()
  const form = desk.getByRole('dialog', { name: 'New announcement' })
  await form.getByRole('button', { name: 'Announce' }).click()
  await expect(form.getByText('Write what is to be told')).toBeVisible()
  await form.getByRole('textbox', { name: 'Text' }).fill('New cards <b>in EU-West</b>')
  await form.getByRole('textbox', { name: /^Link(?! address)/ }).fill('Read more')
  await form.getByRole('textbox', { name: 'Link address' }).fill('javascript:alert(1)')
  await form.getByRole('button', { name: 'Announce' }).click()
  await expect(form.getByText(/Write an address that begins with/)).toBeVisible()
  await form.getByRole('textbox', { name: 'Link address' }).fill('/blog')
  await expect(form.getByRole('region', { name: 'Preview' })).toContainText('New cards <b>in EU-West</b>')
  await expectReadable(desk, 'the dialog of an announcement')
  await form.getByRole('button', { name: 'Announce' }).click()

  // In the other browser, without a reload.
  // Also behind a dialog.
  const bands = page.getByRole('region', { name: 'Warnings', includeHidden: true })
  await expect(bands).toContainText('New cards <b>in EU-West</b>')
  await expect(bands.getByRole('link', { name: 'Read more' })).toHaveAttribute('href', '/blog')
  await expectReadable(page, 'a screen with an announcement')
  const visitor = await (await browser.newContext({ baseURL: product.url })).newPage()
  const told = visitor.getByRole('region', { name: 'Announcements' })
  await expect(async () => {
    await visitor.goto('/pricing')
    await expect(told).toContainText('New cards <b>in EU-West</b>')
  }).toPass()
  await expectReadable(visitor, 'a public page with an announcement')
  await told.getByRole('button', { name: /^Dismiss/ }).click()
  await expect(told).not.toContainText('New cards')
  await visitor.goto('/')
  await expect(visitor.getByRole('heading', { level: 1 })).toBeVisible()
  await expect(visitor.getByText('New cards')).toHaveCount(0)
  await bands.getByRole('button', { name: /^Dismiss/ }).click()
  await page.reload()
  await expect(page.getByText(/^No tickets yet/)).toBeVisible()
  await expect(bands).not.toContainText('New cards')

  // Maintenance, while somebody writes.
  await page.getByRole('button', { name: 'New Ticket' }).first().click()
  const ticket = page.getByRole('dialog', { name: 'New Ticket' })
  await ticket.getByRole('textbox', { name: 'Subject' }).fill('Where is my invoice?')
  await ticket.getByRole('textbox', { name: 'Message' }).fill('Of last month.')
  await desk.getByRole('button', { name: 'Begin maintenance' }).click()
  const begin = desk.getByRole('dialog', { name: 'Begin maintenance' })
  await begin.getByRole('textbox', { name: 'What customers read' }).fill('We move to a larger machine')
  await begin.getByRole('button', { name: 'Begin maintenance' }).click()
  await expect(begin.getByText('Write why')).toBeVisible()
  await begin.getByRole('textbox', { name: 'Reason' }).fill('The disk is full')
  await expectReadable(desk, 'the dialog of maintenance')
  await begin.getByRole('button', { name: 'Begin maintenance' }).click()
  await expect(bands).toContainText('We move to a larger machine')
  await ticket.getByRole('button', { name: 'Create Ticket' }).click()
  await expect(ticket).toContainText('We move to a larger machine')
  await expect(ticket.getByRole('textbox', { name: 'Message' })).toHaveValue('Of last month.')

  await desk.getByRole('button', { name: 'End maintenance' }).click()
  const end = desk.getByRole('dialog', { name: 'End maintenance' })
  await end.getByRole('textbox', { name: /Reason/ }).fill('It is done')
  await end.getByRole('button', { name: 'End maintenance' }).click()
  await expect(bands).not.toContainText('We move to a larger machine')
  await ticket.getByRole('button', { name: 'Create Ticket' }).click()
  await expect(page.getByText('Support ticket created successfully')).toBeVisible()
  await desk.getByRole('button', { name: /^End: New cards/ }).click()
  await expect(desk.getByText('Announcement ended')).toBeVisible()
  expect((await admin.site.told({})).items).toEqual([])

  await desk.goto('/admin/setup')
  await expect(desk.getByText(/of 9 are open/)).toBeVisible()
  await expectReadable(desk, 'the checklist')
  await desk.goto('/admin/site')
  await expect(desk.getByRole('row', { name: /testimonials.*Sample/ })).toBeVisible()
  await expectReadable(desk, 'what is still a sample')
  await desk.goto('/admin/subscribers')
  await expect(desk.getByText('Nobody has asked yet.')).toBeVisible()
  await desk.getByRole('tab', { name: 'Waiting lists' }).click()
  await expect(desk.getByText('Nobody waits yet.')).toBeVisible()
  await expectReadable(desk, 'waiting lists')
})
