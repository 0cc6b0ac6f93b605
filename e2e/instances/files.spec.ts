/** The files of an instance from its page: folders, uploads, previews, downloads, by keyboard where there are keys. */
import { createHash, randomBytes } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { newAccount, signIn } from '../account.ts'
import { expectReadable } from '../axe.ts'
import { runningInstance } from '../instances.ts'
import { expect, test } from '../product.ts'

const phone = { width: 390, height: 844 }
const desk = { width: 1360, height: 900 }

test('a folder is made, files are sent to it, one is read here and one comes back byte for byte', async ({
  page,
  product,
}) => {
  const account = await newAccount(product)
  const client = await product.clientOf(account)
  const { id } = await runningInstance(client, 'keeper')
  const large = randomBytes(9 * 1024 * 1024 + 1)
  const note = { name: 'note.txt', mimeType: 'text/plain', buffer: Buffer.from('Grüße\n') }
  await signIn(page, account)
  await page.setViewportSize(desk)
  await page.goto(`/console/instances/${id}/files?path=/workspace`)
  await expect(page.getByText('This folder is empty')).toBeVisible()

  await page.keyboard.press('n')
  await page.getByLabel('Name', { exact: true }).fill('a/b')
  await page.keyboard.press('Enter')
  await expect(page.getByText('A name has no slash')).toBeVisible()
  await page.getByLabel('Name', { exact: true }).fill('data')
  await page.keyboard.press('Enter')
  const row = (name: string) => page.getByRole('row').filter({ hasText: name })
  await row('data').focus()
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/path=%2Fworkspace%2Fdata$/)

  const choose = (files: Parameters<ReturnType<typeof page.locator>['setInputFiles']>[0]) =>
    page.getByLabel('Files to upload').setInputFiles(files)
  await choose([{ name: 'large.bin', mimeType: 'application/octet-stream', buffer: large }, note])
  await expect(page.getByText('2 of 2 files, 9.4 MB of 9.4 MB')).toBeVisible({ timeout: 30_000 })
  await expect(row('large.bin')).toContainText('9.4 MB')

  // What is there is replaced only when somebody says so.
  await choose([{ ...note, buffer: Buffer.from('Another text\n') }])
  await expect(page.getByText('Something with this name is already there.')).toBeVisible()
  await page.getByRole('button', { name: 'Replace note.txt' }).click()
  await expect(page.getByText('3 of 3 files')).toBeVisible()
  await page.getByRole('button', { name: 'Clear what is done' }).click()

  await page.getByRole('button', { name: 'note.txt', exact: true }).click()
  await expect(page.getByRole('dialog')).toContainText('Another text')
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'large.bin', exact: true }).click()
  await expect(page.getByRole('dialog')).toContainText('neither text nor an image')
  const saved = page.waitForEvent('download')
  await page.getByRole('dialog').getByRole('button', { name: 'Download' }).click()
  const hash = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')
  expect(hash(await readFile(await (await saved).path()))).toBe(hash(large))
  await page.keyboard.press('Escape')

  await expectReadable(page, 'files, light')
  await page.emulateMedia({ colorScheme: 'dark' })
  await page.setViewportSize(phone)
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(phone.width)
  await expectReadable(page, 'files, dark, phone')
  await page.setViewportSize(desk)

  await page.getByRole('button', { name: 'Actions for note.txt' }).click()
  await page.getByRole('menuitem', { name: 'Rename or move' }).click()
  await page.getByLabel('Name, or path').fill('/workspace/moved.txt')
  await page.getByRole('button', { name: 'Move', exact: true }).click()
  await expect(row('note.txt')).toBeHidden()
  await page.getByRole('button', { name: 'Up to /workspace' }).click()
  await page.getByRole('button', { name: 'Actions for data' }).click()
  await page.getByRole('menuitem', { name: 'Delete' }).click()
  await expect(page.getByRole('alertdialog')).toContainText(
    '/workspace/data is deleted with all that is in it.',
  )
  await page.getByRole('button', { name: 'Delete folder' }).click()
  await expect(row('data')).toBeHidden()

  // The disk is there when the instance is not.
  await client.instances.stop({ id })
  await expect.poll(async () => (await client.instances.get({ id })).status).toBe('stopped')
  await page.reload()
  await page.getByRole('button', { name: 'moved.txt', exact: true }).click()
  await expect(page.getByRole('dialog')).toContainText('Another text')
  await page.keyboard.press('Escape')
  await page.goto(`/console/instances/${id}/files?path=/nowhere`)
  await expect(page.getByText('/nowhere cannot be shown')).toBeVisible()
  await page.getByRole('button', { name: 'Go to /' }).click()
  await expect(page.getByRole('button', { name: 'workspace', exact: true })).toBeVisible()
})

test('a file that is dropped on a terminal is sent to its instance', async ({ page, product }, testInfo) => {
  const account = await newAccount(product)
  const client = await product.clientOf(account)
  const { id } = await runningInstance(client, 'dropped-on')
  const path = testInfo.outputPath('notes.txt')
  await writeFile(path, 'dropped\n')
  await signIn(page, account)
  await page.setViewportSize(desk)
  await page.goto(`/console/instances/${id}/terminal`)
  await expect(page.getByText('Connected to instance')).toBeVisible()
  // Where the shell is: it says so at its prompt.
  await page.keyboard.type('mkdir "/workspace/a %ü" && cd "/workspace/a %ü" && echo in-$((40+2))\n')
  await expect(page.locator('.xterm-rows')).toContainText('in-42')
  await expect(page.locator('.xterm-rows')).toContainText('a %ü#')
  const at = (await page.locator('.xterm').boundingBox())!
  // As the system's own file manager does it: a page can't make up a drop of files.
  const devtools = await page.context().newCDPSession(page)
  for (const type of ['dragEnter', 'dragOver', 'drop'] as const)
    await devtools.send('Input.dispatchDragEvent', {
      type,
      x: at.x + 50,
      y: at.y + 50,
      data: { items: [], files: [path], dragOperationsMask: 1 },
    })
  await expect(page.getByText('1 of 1 files')).toBeVisible()
  await expect(page.getByText('/workspace/a %ü/notes.txt')).toBeVisible()
  const { items } = await client.instances.files({ id, path: '/workspace/a %ü' })
  expect(items.map(({ name, bytes }) => [name, bytes])).toContainEqual(['notes.txt', 8])
  await expectReadable(page, 'terminal with uploads')
})

test('a file is imported from an address by a dialog that keeps what was typed, and cancelled in its row', async ({
  page,
  product,
}) => {
  const account = await newAccount(product)
  const client = await product.clientOf(account)
  const { id } = await runningInstance(client, 'importer')
  await signIn(page, account)
  await page.setViewportSize(desk)
  await page.goto(`/console/instances/${id}/files?path=/workspace`)
  const dialog = page.getByRole('dialog')
  const open = () => page.getByRole('button', { name: 'Import from URL' }).click()
  const send = () => dialog.getByRole('button', { name: 'Import', exact: true }).click()
  await open()
  await send()
  await expect(dialog.getByText('Enter an address')).toBeVisible()
  await dialog.getByLabel('URL').fill('https://127.0.0.1/secret')
  await expect(dialog.getByLabel('Name')).toHaveValue('secret')
  await send()
  await expect(dialog.getByText('This address does not lead to the public internet.')).toBeVisible()
  // No name server knows this name: it is asked again for a while.
  await dialog.getByLabel('URL').fill('https://files.invalid/models/weights.bin?key=1')
  await page.keyboard.press('Escape')
  await open()
  await expect(dialog.getByLabel('URL')).toHaveValue('https://files.invalid/models/weights.bin?key=1')
  await expectReadable(page, 'import dialog')
  await send()
  await expect(page.getByText('From https://files.invalid/models/weights.bin', { exact: true })).toBeVisible()
  await expectReadable(page, 'import row')
  await page.getByRole('button', { name: 'Cancel weights.bin' }).click()
  await expect(page.getByText('Cancelled')).toBeVisible()
  await page.getByRole('button', { name: 'Clear what is over' }).click()
  await expect(page.getByRole('heading', { name: 'Imports' })).toBeHidden()
})
