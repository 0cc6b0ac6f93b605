/** Budgets: set where money is spent, by keyboard, with errors at the field; what is used up is said everywhere. */
import { newAccount, signIn } from './account.ts'
import { expectReadable } from './axe.ts'
import { configuration, pay } from './instances.ts'
import { expect, test } from './product.ts'

test('budgets of the account and of an instance are set, reached and removed', async ({ page, product }) => {
  const account = await newAccount(product)
  const client = await product.clientOf(account)
  await pay(client)
  const { id } = await client.instances.create({ ...configuration, name: 'capped', start: false })

  await signIn(page, account)
  await page.goto('/console/billing')
  const panel = page.getByRole('region', { name: 'Budgets' })
  await panel.getByRole('button', { name: 'Set a budget' }).press('Enter')
  const field = page.getByRole('textbox', { name: 'Budget in dollars' })
  await expect(field).toBeFocused()
  await field.fill('5,50')
  await field.press('Enter')
  await expect(field).toHaveAccessibleDescription(/more than 0 and at most 1,000,000/)
  await field.fill('1,500')
  await field.press('Enter')
  await expect(panel).toContainText('$0.75 of $1,500.00 used, 0%')

  await page.goto(`/console/instances?dialog=details&instance=${id}`)
  const details = page.getByRole('dialog', { name: 'capped' })
  await details.getByRole('button', { name: 'Set a budget' }).click()
  await details.getByRole('textbox', { name: 'Budget in dollars' }).fill('0.75')
  await details.getByRole('radio', { name: 'Stop what draws on it' }).check()
  await details.getByRole('button', { name: 'Save budget' }).click()
  await expect(details).toContainText('$0.75 of $0.75 used, 100%')
  await expect(details).toContainText('Used up: nothing starts that draws on it.')

  await page.goto('/console')
  await expect(page.getByText('capped has used up its budget of $0.75.')).toBeVisible()
  await page.getByRole('link', { name: 'See the budgets' }).click()
  await expect(panel.getByRole('link', { name: 'capped' })).toBeVisible()
  await expectReadable(page, 'budgets')
  await panel.getByRole('button', { name: 'Change the budget' }).click()
  await page.getByRole('button', { name: 'Remove the budget' }).click()
  await expect(panel).toContainText('The account has no budget.')
  await client.instances.delete({ id })
})

test('a deploy takes its budget along, and says at the field what it has to cover', async ({
  page,
  product,
}) => {
  const account = await newAccount(product)
  const client = await product.clientOf(account)
  await pay(client)
  await signIn(page, account)
  const [template] = (await client.templates.list({})).items
  await page.goto(`/console/deploy?templateId=${template!.id}&name=budgeted&start=no`)
  const field = page.getByRole('textbox', { name: /Budget for this instance/ })
  await field.fill('0.50')
  await expect(field).toHaveAccessibleDescription(/must be at least \$0\.75, which is paid at once/)
  await field.fill('20')
  await page.getByRole('radio', { name: 'Only tell me' }).check()
  await page.getByRole('button', { name: 'Continue to Payment' }).click()
  await expect(page.getByText('$20.00 over its life, then you are told')).toBeVisible()
  await page.getByRole('button', { name: /^Deploy Instance/ }).click()
  await expect(page).toHaveURL(/\/console\/instances$/)
  const { instances } = await client.budgets.get()
  expect(instances).toMatchObject([{ name: 'budgeted', limit: '20.000000', at_limit: 'warn' }])
  await client.instances.delete({ id: instances[0]!.instance_id })
})
