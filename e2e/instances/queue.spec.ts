/** Two people want the last card: who asks first has it first, who waits is charged nothing until then. */
import { another, judge, newAccount, signIn } from '../account.ts'
import { expectReadable } from '../axe.ts'
import { configuration, pay, runningInstance } from '../instances.ts'
import { expect, test } from '../product.ts'

test.use({ isSmall: true })

test('two browsers queue for the last card: order is kept, one is charged, and the other leaves with its money', async ({
  page,
  browser,
  product,
}) => {
  const holder = await product.clientOf(await newAccount(product))
  const held = await runningInstance(holder, 'held')
  const [first, second] = [await newAccount(product), await newAccount(product)]
  const [clientOfFirst, clientOfSecond] = [await product.clientOf(first), await product.clientOf(second)]
  await pay(clientOfFirst)
  await pay(clientOfSecond)
  const other = await another(browser, product)
  await signIn(page, first)
  await signIn(other.page, second)

  for (const [each, name] of [
    [page, 'first'],
    [other.page, 'second'],
  ] as const) {
    await each.goto(`/console/deploy?templateId=${configuration.template_id}&name=${name}`)
    await each.getByRole('button', { name: 'Continue to Payment' }).click()
    await expect(each.getByText('In the queue it starts by itself')).toBeVisible()
    await expect(each.getByText('$0.75 is set aside while it waits')).toBeVisible()
    await each.getByRole('button', { name: 'Queue for $0.75' }).press('Enter')
    await expect(each).toHaveURL(/\/console\/instances$/)
    await expect(each.getByRole('row', { name: new RegExp(name) })).toContainText(
      `place ${name === 'first' ? 1 : 2} in the queue`,
    )
  }
  await page.getByRole('button', { name: 'Start first' }).click()
  await expect(page.getByText('It keeps its turn')).toBeVisible()

  await other.page.getByRole('link', { name: 'second' }).click()
  const details = other.page.getByRole('dialog', { name: 'second' })
  await expect(details).toContainText('$0.75 of your balance, charged when it starts')
  await judge(other.page, 'details of one in the queue')

  await holder.instances.delete({ id: held.id })
  await expect(page.getByText('first has waited for its place, and has it.')).toBeVisible()
  await expect(page.getByRole('row', { name: /first/ })).toContainText('Running')
  expect((await clientOfFirst.billing.list({ kind: 'deploy' })).items).toHaveLength(1)
  expect((await clientOfSecond.billing.list({ kind: 'deploy' })).items).toHaveLength(0)
  const balance = Number((await clientOfSecond.wallet.get()).balance_usd)

  await details.getByRole('button', { name: 'Leave the queue and delete' }).click()
  await expect(other.page.getByText('second left the queue.')).toBeVisible()
  await expect.poll(async () => (await clientOfSecond.instances.list()).items).toHaveLength(0)
  expect(Number((await clientOfSecond.wallet.get()).balance_usd)).toBe(balance + 0.75)

  await page.getByRole('button', { name: 'Actions for first' }).click()
  await page.getByRole('menuitem', { name: 'Clone Instance' }).click()
  const clone = page.getByRole('dialog', { name: 'Clone instance' })
  await expect(clone.getByRole('radio', { name: 'Hourly' })).toBeChecked()
  await expect(clone.getByRole('checkbox', { name: /Start now/ })).not.toBeChecked()
  await clone.getByRole('button', { name: 'Clone for $0.75' }).click()
  await expect(page.getByRole('row', { name: /first-clone/ })).toContainText('Stopped')
  await page.getByRole('button', { name: 'Start first-clone' }).click()
  const offer = page.getByRole('dialog', { name: 'No A40 is free for first-clone' })
  await judge(page, 'the offer to wait')
  await offer.getByRole('button', { name: 'Wait in the queue' }).press('Enter')
  await expect(page.getByRole('row', { name: /first-clone/ })).toContainText('place 1 in the queue')
  await page.getByRole('button', { name: 'Stop first', exact: true }).click()
  await expect(page.getByText('Its GPU goes back: others may take it while it is stopped.')).toBeVisible()
  await expect(page.getByRole('row', { name: /first-clone/ })).toContainText('Running')
  for (const { id } of (await clientOfFirst.instances.list()).items)
    await clientOfFirst.instances.delete({ id })
  await other.context.close()
})

test('the page of a simulated machine says so in place of its load, and of its figures', async ({
  page,
  product,
}) => {
  const account = await newAccount(product)
  const client = await product.clientOf(account)
  const { id } = await runningInstance(client, 'made-up')
  await signIn(page, account)
  await page.goto(`/console/instances/${id}`)
  const load = page.getByRole('region', { name: 'GPU load, last hour' })
  await expect(load.getByText('Simulated', { exact: true })).toBeVisible()
  await expect(page.getByRole('img', { name: /^Load of GPU/ })).toHaveCount(0)
  await expect(page.getByText('Simulated figures: no machine stands behind them')).toBeVisible()
  await expectReadable(page, 'the overview of a simulated instance')
  await client.instances.delete({ id })
})
