/** What an instance does by itself: its idle clock, keeping it on, and schedules. */
import { newAccount, signIn } from '../account.ts'
import { expectReadable } from '../axe.ts'
import { runningInstance } from '../instances.ts'
import { expect, test } from '../product.ts'

test('an instance is kept on and let go again, and stops at the time of a schedule', async ({
  page,
  product,
}) => {
  const account = await newAccount(product)
  const client = await product.clientOf(account)
  const { id } = await runningInstance(client, 'nightly')
  await signIn(page, account)
  await page.goto(`/console/instances/${id}`)
  await page.getByRole('tab', { name: 'Overview' }).press('ArrowLeft')
  await expect(page).toHaveURL(`${product.url}/console/instances/${id}/settings`)
  await expect(page.getByRole('tab', { name: 'Settings' })).toBeFocused()

  const clock = page.getByRole('region', { name: 'Idle clock' })
  await expect(clock.getByText('Typing in the web terminal')).toBeVisible()
  await clock.getByRole('button', { name: 'For 1 hour' }).click()
  await expect(clock.getByText(/^Kept on until .*, idle or not\.$/)).toBeVisible()
  await clock.getByRole('button', { name: 'Let it stop again' }).click()
  await expect(clock.getByRole('button', { name: 'For 4 hours' })).toBeVisible()

  await page.getByRole('button', { name: 'Add schedule' }).click()
  const dialog = page.getByRole('dialog', { name: 'Add schedule' })
  for (const day of ['Mon', 'Tue', 'Wed', 'Thu', 'Fri'])
    await dialog.getByLabel(day, { exact: true }).uncheck()
  await dialog.getByRole('button', { name: 'Add schedule' }).click()
  await expect(dialog.getByText('Choose at least one day')).toBeVisible()
  for (const day of ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'])
    await dialog.getByLabel(day, { exact: true }).check()
  await dialog.getByLabel('Time zone').fill('Mars/Olympus')
  await dialog.getByRole('button', { name: 'Add schedule' }).click()
  await expect(dialog.getByText('Time zone is no time zone that is known here')).toBeVisible()
  await dialog.getByLabel('Time zone').fill('UTC')
  const { started_at } = await client.instances.get({ id })
  const time = new Date(Date.parse(started_at!) + 30 * 60_000).toISOString().slice(11, 16)
  await dialog.getByLabel('Time', { exact: true }).fill(time)
  await expect(dialog.getByText(`"time": "${time}"`)).toBeVisible()
  await expectReadable(page, 'the schedule’s dialog')
  await dialog.getByRole('button', { name: 'Add schedule' }).click()

  const text = `Stops at ${time}, every day`
  await expect(page.getByRole('switch', { name: text })).toBeChecked()
  await expectReadable(page, 'the settings of an instance')
  await product.advance(31 * 60_000)
  await expect.poll(async () => (await client.instances.get({ id })).status).toBe('stopped')
  await expect(page.getByText(/Last on .*: done\./)).toBeVisible()
  await page.getByRole('button', { name: `Remove: ${text}` }).click()
  await expect(page.getByText('There is none yet.')).toBeVisible()
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByRole('switch', { name: text }).click()
  await expect(page.getByText('Off.')).toBeVisible()

  await page.getByRole('tab', { name: 'Events' }).click()
  await expect(page).toHaveURL(`${product.url}/console/instances/${id}/events`)
  const events = page.getByRole('list', { name: 'Events, newest first' }).getByRole('listitem')
  await expect(events.filter({ hasText: 'Stopped by schedule stopInstance' })).toHaveCount(1)
  await client.instances.delete({ id })
})
