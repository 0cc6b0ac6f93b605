/** A customer and staff write to each other in two browsers. */
import { writeFile } from 'node:fs/promises'
import type { Locator } from '@playwright/test'
import { newAccount, signIn } from './account.ts'
import { expectReadable } from './axe.ts'
import { expect, test } from './product.ts'

/** As a file from a folder of the desk: a drag that a script makes up carries none. */
async function dropOn(target: Locator, file: string): Promise<void> {
  const { x, y, width, height } = (await target.boundingBox())!
  const browser = await target.page().context().newCDPSession(target.page())
  for (const type of ['dragEnter', 'dragOver', 'drop'] as const)
    await browser.send('Input.dispatchDragEvent', {
      type,
      x: x + width / 2,
      y: y + height / 2,
      data: { items: [], files: [file], dragOperationsMask: 1 },
    })
  await browser.detach()
}

const log = Buffer.from('21:29:51 kernel: Out of memory: Killed process 418\n')

test('a ticket is opened, talked over live with a cut in the middle, resolved, and opened again by a reply', async ({
  page,
  product,
  browser,
}, testInfo) => {
  const account = await newAccount(product)
  await signIn(page, account)
  await page.goto('/console/support')
  await expect(page.getByRole('heading', { name: 'Select a ticket' })).toBeVisible()
  await expect(page.getByText(/^No tickets yet/)).toBeVisible()
  await page.keyboard.press('c')
  const form = page.getByRole('dialog', { name: 'New Ticket' })
  await form.getByRole('textbox', { name: 'Subject' }).fill('Stopped at night: is my data gone?')
  await form.getByRole('button', { name: 'Create Ticket' }).click()
  await expect(form.getByRole('textbox', { name: 'Message' })).toHaveAccessibleDescription(
    /Please fill in all fields/,
  )
  await form.getByRole('textbox', { name: 'Message' }).fill('I left notebook-03 running over night.')
  await expectReadable(page, 'the dialog of a new ticket')
  await form.getByRole('button', { name: 'Create Ticket' }).click()
  await expect(page.getByText('Support ticket created successfully')).toBeVisible()
  const messages = page.getByRole('log', { name: 'Messages' })
  await expect(messages).toContainText('I left notebook-03 running over night.')

  const context = await browser.newContext({ baseURL: product.url })
  const desk = await context.newPage()
  await signIn(desk, product.admin)
  await desk.goto('/admin/tickets')
  await desk.getByRole('button', { name: /Stopped at night/ }).click()
  const staffLog = desk.getByRole('log', { name: 'Messages' })
  await expect(staffLog).toContainText('I left notebook-03')
  const answer = desk.getByRole('textbox', { name: 'Message' })
  await answer.fill('No, nothing is gone.')
  await answer.press('Enter')
  await expect(messages).toContainText('No, nothing is gone.')
  await expect(page.getByRole('complementary', { name: 'About this ticket' })).toContainText('In progress')

  // A line break, a blank that is not sent, and a file.
  const box = page.getByRole('textbox', { name: 'Message' })
  await box.fill('   ')
  await box.press('Enter')
  await box.fill('But it was')
  await box.press('Shift+Enter')
  await box.pressSequentially('not waiting.')
  const dropped = testInfo.outputPath('kernel.log')
  await writeFile(dropped, log)
  await dropOn(messages, dropped)
  await expect(page.getByRole('list', { name: 'Goes with it' })).toContainText('kernel.log')
  await box.press('Enter')
  await expect(page.getByText('Message sent').first()).toBeVisible()
  await expect(staffLog).toContainText('But it was\nnot waiting.')
  await expect(staffLog.getByRole('button', { name: /kernel\.log/ })).toBeVisible()
  await expect(messages.getByRole('listitem')).toHaveCount(3)

  // Cut, and back: nothing is lost, doubled or out of order.
  await page.context().setOffline(true)
  for (const text of ['First of three', 'Second of three', 'Third of three']) {
    await answer.fill(text)
    await answer.press('Enter')
    await expect(staffLog).toContainText(text)
  }
  await page.context().setOffline(false)
  await expect(messages.getByRole('listitem')).toHaveCount(6)
  await expect(messages.getByRole('listitem').nth(3)).toContainText('First of three')
  await expect(messages.getByRole('listitem').nth(5)).toContainText('Third of three')

  // What fails is not lost.
  await page.route('**/v1/tickets/*/messages', route =>
    route.request().method() === 'POST' ? route.abort() : route.continue(),
  )
  await box.fill('Does this arrive?')
  await box.press('Enter')
  await expect(page.getByText(/^Failed to send message/)).toBeVisible()
  await expect(box).toHaveValue('Does this arrive?')
  await page.unroute('**/v1/tickets/*/messages')
  await box.press('Enter')
  await expect(staffLog).toContainText('Does this arrive?')
  await expect(messages.getByRole('listitem')).toHaveCount(7)
  // A toast that fades has no colours of its own.
  await expect(page.getByText('Message sent')).toHaveCount(0)
  await expectReadable(page, 'a conversation', '[data-sonner-toaster]')

  await desk.getByRole('combobox', { name: 'Status' }).first().waitFor()
  await desk.getByRole('combobox', { name: 'Status' }).last().click()
  await desk.getByRole('option', { name: 'resolved' }).click()
  await expect(desk.getByText('Ticket status updated to resolved')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Open again' })).toBeVisible()
  await box.fill('One thing more.')
  await box.press('Enter')
  await expect(page.getByRole('complementary', { name: 'About this ticket' })).toContainText('Open')
  await expectReadable(desk, 'the desk of staff', '[data-sonner-toaster]')
  await context.close()
})
