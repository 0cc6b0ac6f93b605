/** The page of one instance: the addresses of its tabs, how it is now, and the shells of its terminal. */
import type { Page } from '@playwright/test'
import { newAccount, signIn } from '../account.ts'
import { expectReadable } from '../axe.ts'
import { configuration, pay, runningInstance } from '../instances.ts'
import { expect, test } from '../product.ts'

const phone = { width: 390, height: 844 }
const desk = { width: 1360, height: 900 }

async function expectWhole(page: Page): Promise<void> {
  await page.setViewportSize(phone)
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(phone.width)
  await page.setViewportSize(desk)
}

test('each tab of an instance has an address: keys, Back and links of before lead to it, and another leads nowhere', async ({
  page,
  product,
}) => {
  const account = await newAccount(product)
  const client = await product.clientOf(account)
  await pay(client)
  const { id } = await client.instances.create({ ...configuration, name: 'addressed', start: false })
  const at = `${product.url}/console/instances/${id}`
  await signIn(page, account)
  await page.goto(at)
  const tab = (name: string) => page.getByRole('tab', { name, exact: true })
  await tab('Overview').press('ArrowRight')
  await expect(page).toHaveURL(`${at}/terminal`)
  await expect(tab('Terminal')).toBeFocused()
  await page.keyboard.press('ArrowRight')
  await expect(page).toHaveURL(`${at}/files`)
  await expect(page.getByText('There are no files to show')).toBeVisible()
  await page.keyboard.press('ArrowRight')
  await expect(page).toHaveURL(`${at}/logs`)
  await page.keyboard.press('End')
  await expect(page).toHaveURL(`${at}/settings`)
  await page.goBack()
  await expect(tab('Logs')).toHaveAttribute('aria-selected', 'true')
  await page.reload()
  await expect(tab('Logs')).toHaveAttribute('aria-selected', 'true')

  await page.goto(`${at}?tab=events`)
  await expect(page).toHaveURL(`${at}/events`)
  await page.goto(`${at}?range=day`)
  await expect(page).toHaveURL(`${at}/metrics?range=day`)
  await expect(page.getByRole('radio', { name: '24 hours' })).toBeChecked()
  await page.goto(`${at}/nonsense`)
  await expect(page.getByRole('heading', { name: 'Page not found' })).toBeVisible()

  await page.goto(`${at}`)
  await expect(page.getByText('Its disk stays, and it costs $0.00 per hour.')).toBeVisible()
  await page.getByRole('button', { name: 'Start addressed', exact: true }).click()
  await expect(page.getByRole('button', { name: 'Stop addressed' })).toBeVisible()
  await expect.poll(async () => (await client.instances.get({ id })).status).toBe('running')
  await client.instances.delete({ id })
  await expect(page.getByText('There is no such instance')).toBeVisible()
})

test('the overview says how a real machine is: what it costs now, the way in, its idle clock, figures by key and the latest events', async ({
  page,
  product,
}) => {
  const account = await newAccount(product)
  const client = await product.clientOf(account)
  const { id } = await runningInstance(client, 'overseen')
  await client.instances.addPort({ id, port: 8000, name: 'Web' })
  await signIn(page, account)
  await page.setViewportSize(desk)
  await page.goto(`/console/instances/${id}`)
  const part = (name: string) => page.getByRole('region', { name, exact: true })

  const cost = part('Cost')
  const first = await cost
    .getByText(/^\$0\.\d{6}/)
    .first()
    .textContent()
  await expect(cost.getByText(/^\$0\.\d{6}/).first()).not.toHaveText(first!)
  await expect(cost.getByText('$0.75/h')).toBeVisible()
  const { host, port, user } = await client.instances.ssh({ id })
  await expect(part('Connect').getByText(`ssh -p ${port} ${user}@${host}`)).toBeVisible()
  await expect(part('Connect').getByRole('button', { name: 'Open Web' })).toBeVisible()
  await expect(part('Idle clock').getByText('Not idle')).toBeVisible()
  await expect(
    part('Idle clock').getByRole('img', { name: '0 of 12 parts of its 60 idle minutes are over' }),
  ).toBeVisible()
  await expect(part('Properties').getByText(`${id.slice(0, 13)}…`)).toBeVisible()
  await expect(part('Events').getByRole('listitem').last()).toContainText('Created by you createInstance')
  await expect(part('GPU load, last hour').getByText('Simulated')).toBeVisible()

  const chart = page.getByRole('img', { name: /^Memory, last hour: \d/ })
  await expect(chart).toBeVisible({ timeout: 15_000 })
  await chart.press('Home')
  await expect(part('GPU load, last hour').getByText(/^Memory not measured$/)).toBeVisible()
  await chart.press('End')
  await expect(part('GPU load, last hour').getByText(/^Memory \d/)).toBeVisible()
  await expect(page.getByText(/^Not measured here: .*how fast the disk is read and written\.$/)).toBeVisible()
  await expectReadable(page, 'the overview of an instance')
  await expectWhole(page)

  await page.keyboard.press('o')
  await expect(page.getByRole('dialog', { name: 'Connect to overseen via SSH' })).toBeVisible()
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Actions for overseen' }).click()
  await page.getByRole('menuitem', { name: 'Edit Instance' }).click()
  await expect(page.getByRole('dialog')).toBeVisible()
  await page.goBack()
  await expect(page.getByRole('dialog')).toBeHidden()
  await page.getByRole('button', { name: 'Stop overseen' }).click()
  await expect(part('Connect').getByRole('paragraph')).toContainText('only while running')
  await client.instances.delete({ id })
})

test('several shells in one window are each their own, also after a reload, and one is closed with what runs in it', async ({
  page,
  product,
}) => {
  const account = await newAccount(product)
  const client = await product.clientOf(account)
  const { id } = await runningInstance(client, 'shells')
  await signIn(page, account)
  await page.setViewportSize(desk)
  const shell = (number: number) => page.getByRole('tab', { name: `Shell ${number}` })
  const screen = () => page.getByRole('tabpanel', { name: /^Shell/ }).locator('.xterm-rows')
  const type = async (line: string) => {
    await expect(page.getByText('Connected', { exact: true }).first()).toBeVisible()
    await expect(screen()).toContainText('#')
    await page.keyboard.type(`${line}\n`)
  }
  await page.goto(`/terminal/${id}`)
  await type('KEPT=one; echo this-is-$KEPT')
  await expect(screen()).toContainText('this-is-one')
  await page.getByRole('button', { name: 'New shell' }).click()
  await expect(shell(2)).toHaveAttribute('aria-selected', 'true')
  await expect(screen()).not.toContainText('this-is-one')
  await type('echo is-$KEPT-empty; KEPT=two')
  await expect(screen()).toContainText('is--empty')
  await page.keyboard.press('Control+Shift+ArrowLeft')
  await expect(shell(1)).toHaveAttribute('aria-selected', 'true')
  await type('echo still-$KEPT')
  await expect(screen()).toContainText('still-one')

  await page.reload()
  await expect(screen()).toContainText('still-one')
  await shell(2).click()
  await expect(screen()).toContainText('is--empty')
  await type('echo again-$KEPT')
  await expect(screen()).toContainText('again-two')
  await page.getByRole('button', { name: 'Close shell 2' }).click()
  const dialog = page.getByRole('alertdialog', { name: 'Close shell 2' })
  await dialog.getByRole('button', { name: 'Close shell' }).click()
  await expect(shell(2)).toBeHidden()
  await expect(screen()).toContainText('still-one')

  await page.goto(`/console/instances/${id}/terminal`)
  await type('KEPT=page')
  await page.getByRole('button', { name: 'New shell' }).click()
  await type('echo is-$KEPT-empty')
  await expect(screen()).toContainText('is--empty')
  await expectReadable(page, 'the shells of an instance’s page', '.xterm')
  await expectWhole(page)
  await type('exit')
  await expect(shell(2)).toBeHidden()
  await page.getByRole('tab', { name: 'Overview' }).click()
  await page.goBack()
  await type('echo kept-$KEPT')
  await expect(screen()).toContainText('kept-page')
  await type('exit')
  await page.getByRole('button', { name: 'Open another' }).click()
  await type('echo new-$KEPT-again')
  await expect(screen()).toContainText('new--again')
  await client.instances.delete({ id })
})
