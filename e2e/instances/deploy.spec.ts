/** What the deploy screen asks beside the machine: ports, variables, and what it remembers of the last time. */
import { judge, newAccount, signIn } from '../account.ts'
import { configuration, pay } from '../instances.ts'
import { expect, test } from '../product.ts'

test.use({ isSmall: true })

test('ports and variables go with a deploy, and the next one begins with the last choices', async ({
  page,
  product,
}) => {
  test.slow()
  const account = await newAccount(product)
  const client = await product.clientOf(account)
  await pay(client)
  await signIn(page, account)
  const start = `/console/deploy?templateId=${configuration.template_id}`
  await page.goto(start)
  await page.getByLabel('Name', { exact: true }).fill('first')
  const storage = page.getByRole('radiogroup', { name: 'Data storage' })
  await storage.getByRole('radio', { name: /^50 GB/ }).check()

  await test.step('ports are added by number, and what is no port is said at the field', async () => {
    const ports = page.getByLabel('HTTP ports (optional)')
    await ports.fill('8000, 70000')
    await ports.press('Enter')
    await expect(page.getByText('70000 is no port: they go from 1 to 65535.')).toBeVisible()
    await ports.fill('8000, 7860')
    await ports.press('Enter')
    await page.getByRole('button', { name: 'Remove port 7860' }).press('Enter')
    await expect(page.getByRole('list', { name: 'HTTP ports that are added' })).toHaveText('8000')
    await expect(page).toHaveURL(/ports=8000/)
  })

  await test.step('variables are typed or pasted, are judged at their row, and stand in no address', async () => {
    await page.getByRole('button', { name: 'Add variable' }).press('Enter')
    const name = page.getByLabel('Name 1')
    await expect(name).toBeFocused()
    await name.evaluate(element => {
      const data = new DataTransfer()
      data.setData('text', 'export HF_HOME=/data/hf\nMODE=train\n')
      element.dispatchEvent(
        new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }),
      )
    })
    await expect(page.getByLabel('Value 2')).toHaveValue('train')
    await name.fill('9LIVES')
    await expect(
      page.getByText('Letters, digits and underscores, no digit first, at most 100.'),
    ).toBeVisible()
    await expect(page.getByRole('button', { name: /Continue to Payment/ })).toHaveAttribute(
      'aria-disabled',
      'true',
    )
    await name.fill('HF_HOME')
    await expect(page.getByRole('tabpanel')).toContainText('"HF_HOME": "/data/hf"')
    await expect(page.getByRole('tabpanel')).toContainText('"ports": [')
    await judge(page, 'a deploy with ports and variables')
  })

  await test.step('nothing is lost on the way to the payment and when the service refuses', async () => {
    await page.getByRole('button', { name: /Continue to Payment/ }).click()
    expect(decodeURIComponent(page.url())).not.toMatch(/HF_HOME|train/)
    await expect(page.getByText('HF_HOME, MODE')).toBeVisible()
    const refusal = {
      error: {
        code: 'validation_failed',
        message: 'Some fields are wrong',
        fields: { 'env.MODE': 'is not liked today' },
        request_id: 'r',
      },
    }
    await page.route('**/v1/instances', route =>
      route.request().method() === 'POST' ? route.fulfill({ status: 422, json: refusal }) : route.continue(),
    )
    await page.getByRole('button', { name: /Deploy Instance/ }).click()
    await expect(page.getByText('MODE is not liked today.')).toBeVisible()
    await expect(page.getByLabel('Value 2')).toHaveValue('train')
    await page.unroute('**/v1/instances')
    await page.getByRole('button', { name: /Continue to Payment/ }).click()
    await page.getByRole('button', { name: /Deploy Instance/ }).click()
    await expect(page).toHaveURL(/\/console\/instances$/)
  })

  await test.step('the next deploy begins as the last one, without its name, ports and variables', async () => {
    const [made] = (await client.instances.list()).items
    expect(made).toMatchObject({ data_storage_gb: 50 })
    expect((await client.instances.ports({ id: made!.id })).items.map(({ port }) => port)).toEqual([8000])
    await page.goto(start)
    await expect(page.getByText('Chosen as at your last deploy.')).toBeVisible()
    await expect(storage.getByRole('radio', { name: /^50 GB/ })).toBeChecked()
    await expect(page.getByLabel('Name', { exact: true })).toHaveValue('')
    await expect(page.getByRole('list', { name: 'HTTP ports that are added' })).toHaveCount(0)
    await judge(page, 'a deploy that begins with the last choices')
    await page.getByRole('button', { name: 'Start fresh' }).press('Enter')
    await expect(storage.getByRole('radio', { name: /^100 GB/ })).toBeChecked()
    await page.reload()
    await expect(storage.getByRole('radio', { name: /^100 GB/ })).toBeChecked()
    await expect(page.getByText('Chosen as at your last deploy.')).toHaveCount(0)
  })

  await test.step('what is not sold any more falls back and says so', async () => {
    await page.evaluate(() => {
      const key = Object.keys(localStorage).find(name => name.startsWith('ingot-last-deploy:'))!
      const last = JSON.parse(localStorage.getItem(key)!) as { choices: Record<string, string> }
      localStorage.setItem(
        key,
        JSON.stringify({ ...last, choices: { ...last.choices, gpu_type: 'B200', region: 'Moon' } }),
      )
    })
    await page.goto(start)
    await expect(page.getByText('B200 is not on sale any more: A40 is chosen instead.')).toBeVisible()
    await expect(page.getByText('Moon is not offered any more: US-East is chosen instead.')).toBeVisible()
  })
  for (const { id } of (await client.instances.list()).items) await client.instances.delete({ id })
})
