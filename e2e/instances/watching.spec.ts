/** What an instance uses, writes and went through, on its page and by the keyboard. */
import { newAccount, signIn } from '../account.ts'
import { runningInstance } from '../instances.ts'
import { expect, test } from '../product.ts'

test('an instance is watched: figures by the keyboard and as a table, its log until it stops, and who did what', async ({
  page,
  product,
}) => {
  const account = await newAccount(product)
  const client = await product.clientOf(account)
  const { id } = await runningInstance(client, 'watched')
  await signIn(page, account)
  await page.goto(`/console/instances?dialog=details&instance=${id}`)
  await page.getByRole('link', { name: 'Metrics, logs and events' }).click()
  await expect(page).toHaveURL(`${product.url}/console/instances/${id}`)
  await expect(page.getByRole('heading', { name: 'watched' })).toBeVisible()
  await page.getByRole('tab', { name: 'Metrics' }).click()

  await expect(page.getByRole('region', { name: 'Use now' }).getByText('Memory')).toBeVisible()
  const chart = page.getByRole('img', { name: /^Memory, last hour: / })
  await chart.focus()
  await page.keyboard.press('Home')
  await expect(page.getByText(/^\d\d:\d\d\. .*Memory not measured/)).toBeVisible()
  await page.getByRole('button', { name: 'As a table' }).press('Enter')
  await expect(page.getByRole('table', { name: 'Figures' }).getByRole('row').nth(5)).toBeVisible()
  await page.getByRole('radio', { name: '24 hours' }).click()
  await expect(page).toHaveURL(/range=day/)

  await page.getByRole('tab', { name: 'Logs' }).click()
  await expect(page.getByText(/Following\.$/)).toBeVisible()
  await client.instances.stop({ id })
  await expect(page.getByRole('button', { name: 'Read again' })).toBeVisible({ timeout: 10_000 })

  await page.getByRole('tab', { name: 'Events' }).click()
  const events = page.getByRole('list', { name: 'Events, newest first' }).getByRole('listitem')
  await expect(events.last()).toContainText('Created by you createInstance')
  await expect(events.filter({ hasText: 'stopInstance' })).toHaveCount(1)
  await client.instances.delete({ id })
})
