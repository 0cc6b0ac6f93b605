/** A template of one's own: made, deployed, read, changed, shared and deleted. */
import { newAccount, signIn } from './account.ts'
import { expectReadable } from './axe.ts'
import { pay } from './instances.ts'
import { expect, test } from './product.ts'

test('a template with a secret and a start command is made, deployed, shared and deleted', async ({
  page,
  product,
}) => {
  const account = await newAccount(product)
  const client = await product.clientOf(account)
  await pay(client)
  await signIn(page, account)
  await page.goto('/console/templates')
  await expect(page.getByText('You have no templates of your own.')).toBeVisible()
  await page.getByRole('button', { name: 'Create Template' }).press('Enter')
  const form = page.getByRole('dialog', { name: 'Create Template' })
  await form.getByRole('button', { name: 'Create Template' }).press('Enter')
  await expect(form.getByRole('textbox', { name: 'Name', exact: true })).toHaveAccessibleDescription(
    'Give it a name.',
  )
  await form.getByRole('textbox', { name: 'Name', exact: true }).fill('Greeter')
  await form.getByRole('textbox', { name: 'Image' }).fill('registry.example.com/greeter:1')
  await form
    .getByRole('textbox', { name: 'Start command' })
    .fill('echo "$GREETING, secret of ${#TOKEN} letters"; exec sleep 1000')
  await form.getByRole('textbox', { name: 'Ports' }).fill('8000')
  await form.getByRole('textbox', { name: 'Data storage' }).fill('150')
  await form.getByRole('textbox', { name: 'Variables' }).fill('GREETING')
  await form.getByRole('textbox', { name: 'Secrets' }).fill('TOKEN=sesame')
  await form.getByRole('textbox', { name: 'Text' }).fill('# How\n\n<b>no</b> *HTML*')
  await form.getByRole('button', { name: 'Create Template' }).click()
  const variables = form.getByRole('textbox', { name: 'Variables' })
  await expect(variables).toHaveAccessibleDescription(/Line 1 is no NAME=value/)
  await variables.fill('GREETING=hello')
  await expect(form.getByText(/^curl -X POST/)).not.toContainText('sesame')
  await expectReadable(page, 'the form of a template')
  await form.getByRole('button', { name: 'Create Template' }).click()

  const dialog = page.getByRole('dialog', { name: 'Greeter' })
  await expect(dialog.getByRole('heading', { name: 'How' })).toBeVisible()
  await expect(dialog).toContainText('<b>no</b> HTML')
  await expect(dialog).toContainText('TOKEN')
  await expectReadable(page, 'a template')
  await dialog.getByRole('link', { name: 'Deploy' }).click()

  // Until the page is here, the one before it still names the image.
  await expect(page.getByRole('heading', { level: 1, name: 'Deploy instance' })).toBeVisible()
  await expect(page.getByText('registry.example.com/greeter:1', { exact: true })).toBeVisible()
  await expect(page.getByRole('region', { name: 'Cost' })).toContainText(
    'The image registry.example.com/greeter:1 is not loaded in this region.',
  )
  await expect(page).toHaveURL(/data_storage_gb=200/)
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('greets')
  await page.getByRole('button', { name: 'Continue to Payment' }).click()
  await page.getByRole('button', { name: /^Deploy Instance/ }).click()
  await expect(page).toHaveURL(/\/console\/instances$/)
  const [instance] = (await client.instances.list({})).items
  const { id } = instance!
  expect(instance).toMatchObject({ template_name: 'Greeter', data_storage_gb: 200 })
  await expect.poll(async () => (await client.instances.get({ id })).status).toBe('running')
  await page.goto(`/console/instances/${id}/logs`)
  await expect(page.getByText('hello, secret of 6 letters')).toBeVisible({ timeout: 10_000 })

  const [template] = (await client.templates.mine({})).items
  await page.goto(`/console/templates?view=${template!.id}`)
  await dialog.getByRole('button', { name: 'Edit' }).click()
  const edit = page.getByRole('dialog', { name: 'Edit Template' })
  await edit.getByRole('textbox', { name: 'Name', exact: true }).fill('Host')
  await edit.getByRole('radio', { name: /^Whoever has the link/ }).check()
  await edit.getByRole('button', { name: 'Save Template' }).click()
  const renamed = page.getByRole('dialog', { name: 'Host' })
  await expect(renamed.getByRole('button', { name: 'Copy link' })).toBeVisible()
  const { share_key: key } = await client.templates.get({ id: template!.id })

  const other = await newAccount(product)
  await page.context().clearCookies()
  await page.evaluate(() => localStorage.clear())
  await signIn(page, other)
  await page.goto(`/console/templates?view=${template!.id}&key=${key}`)
  await expect(renamed).toContainText('Somebody shares this template with you.')
  await expect(renamed.getByRole('button', { name: 'Edit' })).toHaveCount(0)
  await renamed.getByRole('link', { name: 'Deploy' }).click()
  await expect(page.getByText('the instance starts without TOKEN')).toBeVisible()
  await page.getByLabel('TOKEN').fill('my own')
  await expect(page.getByText('the instance starts without TOKEN')).toHaveCount(0)
  await expectReadable(page, 'the deploy page of a shared template')

  await page.evaluate(() => localStorage.clear())
  await signIn(page, account)
  await page.goto(`/console/templates?view=${template!.id}`)
  await renamed.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete template' }).click()
  await expect(page.getByText('You have no templates of your own.')).toBeVisible()
  expect((await client.instances.get({ id })).template_name).toBe('Custom Template')
  await page.goto(`/console/templates?view=${template!.id}&key=${key}`)
  await expect(page.getByText('There is no such template, or it is not shared any more.')).toBeVisible()
  await client.instances.delete({ id })
})
