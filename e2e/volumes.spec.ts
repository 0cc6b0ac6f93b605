/** A network volume from its first month to its last: made, attached, detached, kept, restored, made larger, deleted. */
import type { Locator, Page } from '@playwright/test'
import { newAccount, signIn } from './account.ts'
import { expectReadable } from './axe.ts'
import { configuration, pay } from './instances.ts'
import { expect, type Product, test } from './product.ts'

const dialog = (page: Page, name: string | RegExp) => page.getByRole('dialog', { name })
const toast = (page: Page, text: string) =>
  expect(page.getByText(text, { exact: true }).first()).toBeVisible()
const row = (page: Page, name: string) =>
  page
    .getByRole('table', { name: 'Network volumes' })
    .getByRole('row')
    .filter({ has: page.getByRole('link', { name, exact: true }) })
const noToasts = '[data-sonner-toaster]'

/** By the row's own key: it has the focus. */
async function choose(page: Page, of: Locator, item: string): Promise<void> {
  await of.focus()
  await page.keyboard.press('.')
  await page.getByRole('menuitem', { name: item, exact: true }).click()
}

async function withVolumes(page: Page, product: Product) {
  const account = await newAccount(product)
  const client = await product.clientOf(account)
  await pay(client)
  await signIn(page, account)
  await page.goto('/console/volumes')
  return client
}

test('a volume is made, attached, detached, kept, restored, made larger and deleted', async ({
  page,
  product,
}) => {
  const client = await withVolumes(page, product)
  await client.instances.create({ ...configuration, name: 'trains', start: false })
  const before = Number((await client.wallet.get()).balance_usd)
  await expect(page.getByText('You have none yet.')).toBeVisible()

  await page.getByRole('heading', { level: 1 }).focus()
  await page.keyboard.press('c')
  const create = dialog(page, /^Create Network Volume/)
  await expect(create.getByText(/Middle-East: Network volumes are not offered/)).toBeVisible()
  await expect(
    create.getByText('1 of your instances is in US-East and can use it', { exact: false }),
  ).toBeVisible()
  await expect(create.getByRole('radio', { name: '50 GB', exact: true })).toBeChecked()
  await create.getByRole('button', { name: 'Continue' }).click()
  const name = create.getByRole('textbox', { name: 'Name' })
  await expect(name).toHaveAccessibleDescription('Please enter a volume name')
  await name.fill('data')
  const other = create.getByRole('textbox', { name: 'Size in GB' })
  await other.fill('lots')
  await expect(create.getByText('$5.00 now')).toBeVisible()
  await other.fill('9')
  await other.blur()
  await expect(other).toHaveValue('10')
  await expectReadable(page, 'step 1 of a volume')
  await page.keyboard.press('Escape')
  await expect(create).toBeHidden()

  await page.goto('/console/network-volumes?create=1')
  await name.fill('data')
  await create.getByRole('radio', { name: '10 GB', exact: true }).check()
  await expect(create.getByText('$1.00 now')).toBeVisible()
  await name.press('Enter')
  await expect(create.getByText('Step 2 of 2')).toBeVisible()
  await expectReadable(page, 'step 2 of a volume')
  // Another price than it was shown: refused once by a service that says so, once by the real one.
  await page.route(
    url => url.pathname === '/v1/volumes',
    async route => {
      if (route.request().method() !== 'POST') return route.fallback()
      const error = {
        code: 'price_changed',
        message: 'The price has changed since it was shown. Nothing was charged',
        fields: { quoted_total: 'is now 1.500000' },
        request_id: 'r',
      }
      await route.fulfill({ status: 409, json: { error } })
    },
    { times: 1 },
  )
  await create.getByRole('button', { name: 'Create for $1.00' }).click()
  await create.getByRole('button', { name: 'Create for $1.50' }).click()
  await expect(create.getByText(/It is \$1.00 now; press again to accept it/)).toBeVisible()
  expect((await client.volumes.list()).items).toEqual([])
  await create.getByRole('button', { name: 'Create for $1.00' }).click()
  await toast(page, 'Network volume created! $1.00 charged to your account.')
  await toast(page, '1 volume(s) are now available!')
  const data = row(page, 'data')
  await expect(data).toContainText('Available')
  expect(Number((await client.wallet.get()).balance_usd)).toBeCloseTo(before - 1, 4)

  await choose(page, data, 'Attach to Instance')
  const attach = dialog(page, 'Attach data')
  await expect(attach.getByText('/workspace/data')).toBeVisible()
  await attach.getByRole('radio', { name: 'trains' }).check()
  await expectReadable(page, 'attaching a volume', noToasts)
  await attach.getByRole('button', { name: 'Attach', exact: true }).click()
  await expect(data).toContainText('In use')
  await expect(data.getByRole('link', { name: 'trains' })).toBeVisible()

  await data.focus()
  await page.keyboard.press('.')
  await expect(page.getByRole('menuitem', { name: /Attach to Instance/ })).toContainText(
    'Volume must be available to attach to an instance',
  )
  await page.getByRole('menuitem', { name: 'Detach', exact: true }).click()
  await toast(page, 'Volume detached successfully')
  await expect(data).toContainText('Available')

  await data.focus()
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/row=/)
  const kept = page.getByRole('region', { name: 'Snapshots of data' })
  await kept.getByRole('button', { name: 'Take snapshot' }).click()
  const take = dialog(page, 'Take a snapshot of data')
  await take.getByRole('textbox', { name: 'Name' }).fill('before')
  await expectReadable(page, 'taking a snapshot', noToasts)
  await take.getByRole('button', { name: /^Take for \$0\.\d\d$/ }).click()
  await expect(kept.getByRole('listitem')).toContainText('before')
  const restoring = kept.getByRole('button', { name: 'Restore as new volume: before' })
  await expect(restoring).not.toHaveAttribute('aria-disabled', 'true', { timeout: 30_000 })
  await expectReadable(page, 'the opened row', noToasts)

  await restoring.click()
  const restore = dialog(page, 'Restore as new volume')
  await restore.getByRole('textbox', { name: 'Name' }).fill('copy')
  await expectReadable(page, 'restoring a snapshot', noToasts)
  await restore.getByRole('button', { name: 'Restore for $1.00' }).click()
  await expect(row(page, 'copy')).toContainText('Available', { timeout: 30_000 })

  // What an opened row shows is passed by.
  await row(page, 'copy').focus()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('region', { name: 'Snapshots of copy' })).toBeVisible()
  await page.keyboard.press('j')
  await expect(data).toBeFocused()
  await page.keyboard.press('k')
  await expect(row(page, 'copy')).toBeFocused()

  await choose(page, row(page, 'copy'), 'Make Larger')
  const grow = dialog(page, 'Make copy larger')
  await expect(grow.getByRole('radio', { name: '10 GB', exact: true })).toHaveCount(0)
  await expectReadable(page, 'making a volume larger', noToasts)
  await grow.getByRole('button', { name: 'Grow for $1.50' }).click()
  await expect
    .poll(async () => {
      const { items } = await client.volumes.list({ search: 'copy' })
      return items.map(({ size_gb, growing }) => [size_gb, growing])
    })
    .toEqual([[25, false]])
  await expect(row(page, 'copy')).toContainText('of 25 GB')

  await choose(page, data, 'Delete Volume')
  const remove = page.getByRole('alertdialog', { name: 'Delete volume' })
  const press = remove.getByRole('button', { name: 'Delete volume' })
  await expect(press).toHaveAttribute('aria-disabled', 'true')
  await expect(remove).toContainText(/\$(1\.00|0\.99) of its month returns/)
  await expectReadable(page, 'deleting a volume', noToasts)
  await remove.getByRole('textbox').fill('data')
  await press.click()
  await toast(page, 'Volume deleted successfully')
  const left = page.getByRole('region', { name: 'Snapshots of deleted volumes' })
  await expect(left.getByRole('listitem')).toContainText('data, before')
  await left.getByRole('button', { name: 'Delete: before' }).click()
  const forget = page.getByRole('alertdialog', { name: 'Delete snapshot' })
  await expectReadable(page, 'deleting a snapshot', noToasts)
  await forget.getByRole('button', { name: 'Delete snapshot' }).click()
  await expect(left).toBeHidden()
})

test('filters stand in the address, a volume has a page of its own, and one in use is told apart', async ({
  page,
  product,
}) => {
  const client = await withVolumes(page, product)
  const instance = await client.instances.create({ ...configuration, name: 'holds-it', start: false })
  const { id, hardware } = await client.volumes.create({ name: 'held', size_gb: 10, region: 'US-East' })
  const regions = (await client.volumes.regions()).items
  expect(regions.find(({ region }) => region === 'US-East')).toMatchObject({ hardware })
  await expect.poll(async () => (await client.volumes.get({ id })).status).toBe('available')
  await client.volumes.attach({ id, instance_id: instance.id })

  // The key is the list's.
  await expect(row(page, 'held')).toBeVisible()
  await page.keyboard.press('/')
  await page.keyboard.type('hel')
  await expect(page).toHaveURL(/search=hel/)
  await expect(row(page, 'held')).toBeVisible()
  await page.getByRole('combobox', { name: 'Status' }).click()
  await page.getByRole('option', { name: 'creating' }).click()
  await expect(page.getByText("No creating volumes match 'hel'.")).toBeVisible()
  await page.reload()
  await expect(page.getByText("No creating volumes match 'hel'.")).toBeVisible()
  await page.getByRole('button', { name: 'Clear filters' }).click()

  await choose(page, row(page, 'held'), 'View Details')
  await expect(dialog(page, 'held')).toContainText('/volumes/held')
  await expectReadable(page, 'the details of a volume')
  await page.keyboard.press('Escape')
  await choose(page, row(page, 'held'), 'Rename')
  const rename = dialog(page, 'Rename volume')
  await rename.getByRole('textbox', { name: 'Name' }).fill(' ')
  await rename.getByRole('button', { name: 'Rename' }).click()
  await expect(rename.getByRole('textbox', { name: 'Name' })).toHaveAccessibleDescription(
    /Please enter a volume name/,
  )
  await rename.getByRole('textbox', { name: 'Name' }).fill('kept')
  await expectReadable(page, 'renaming a volume')
  await rename.getByRole('button', { name: 'Rename' }).click()
  await row(page, 'kept').getByRole('link', { name: 'kept' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'kept' })).toBeVisible()
  await expect(page).toHaveURL(`${product.url}/console/network-volumes/${id}`)
  await expectReadable(page, 'the page of a volume', noToasts)

  await page.getByRole('button', { name: 'Actions for kept' }).click()
  await page.getByRole('menuitem', { name: 'Delete Volume' }).click()
  const remove = page.getByRole('alertdialog', { name: 'Detach and delete volume' })
  await expect(remove).toContainText('is in use by holds-it')
  await remove.getByRole('textbox').fill('kept')
  await remove.getByRole('button', { name: 'Detach and delete' }).click()
  await toast(page, 'Volume deleted successfully')
  expect((await client.instances.get({ id: instance.id })).network_volume_id).toBeNull()
})
