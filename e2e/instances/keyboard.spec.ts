/**
 * Deploy, connect, stop and delete without a mouse, every dialog of an instance on the way, each readable in both
 * themes; and what the window of SSH offers to copy is true when it is pasted.
 */
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { newAccount, signIn } from '../account.ts'
import { expectReadable } from '../axe.ts'
import { configuration, pay } from '../instances.ts'
import { choose, pressOn, tabTo, typeInto } from '../keyboard.ts'
import { expect, test } from '../product.ts'

const run = promisify(execFile)

test('an instance is deployed, reached, stopped and deleted by the keyboard alone', async ({
  page,
  context,
  product,
}) => {
  test.slow()
  const dir = await mkdtemp(join(tmpdir(), 'ingot-keys-'))
  await run('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', 'ada@laptop', '-f', join(dir, 'key')])
  const publicKey = await readFile(join(dir, 'key.pub'), 'utf8')
  const account = await newAccount(product)
  const client = await product.clientOf(account)
  await pay(client)
  await signIn(page, account)
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  const copied = () => page.evaluate(() => navigator.clipboard.readText())
  const dialog = page.getByRole('dialog')
  const button = (name: string | RegExp) => page.getByRole('button', { name })

  let deployCommand = ''
  await test.step('deploy', async () => {
    await page.goto('/console/instances')
    await expect(button('Deploy your first instance')).toBeVisible()
    await page.keyboard.press('c')
    await expect(dialog.getByRole('radio', { name: /PyTorch 2\.0/ })).toBeVisible()
    await expectReadable(page, 'the choice of a template')
    await page.keyboard.insertText('pytorch')
    await page.keyboard.press('Enter')
    await expect(page).toHaveURL(/\/console\/deploy/)
    await typeInto(page, page.getByLabel('Name', { exact: true }), 'by-keys')
    await pressOn(page, button('Add SSH key'))
    await expectReadable(page, 'adding an SSH key')
    await typeInto(page, dialog.getByLabel('Public key'), publicKey)
    await expect(dialog.getByLabel('Name')).toHaveValue('ada@laptop')
    await pressOn(page, dialog.getByRole('button', { name: 'Copy as curl' }))
    await expect.poll(copied).toContain('"name": "ada@laptop"')
    await pressOn(page, dialog.getByRole('button', { name: 'Add SSH key' }))
    await expect(dialog).toHaveCount(0)
    await pressOn(page, button(/Continue to Payment/))
    await pressOn(page, button('Copy HTTP command'))
    await expect.poll(copied).toContain('"name": "by-keys"')
    deployCommand = await copied()
    await pressOn(page, button(/Deploy Instance for/))
    await expect(page.getByRole('row', { name: /by-keys/ })).toContainText('Running')
  })
  const { id } = (await client.instances.list()).items[0]!
  const menu = (name: string) => button(`Actions for ${name}`)

  await test.step('look at it, edit it, see what a clone would cost', async () => {
    await choose(page, menu('by-keys'), 'View Details')
    await expect(dialog).toContainText('PyTorch 2.0')
    await expectReadable(page, 'the details')
    await page.keyboard.press('Escape')
    await expect(dialog).toHaveCount(0)
    await choose(page, menu('by-keys'), 'Edit Instance')
    await expectReadable(page, 'editing')
    await typeInto(page, dialog.getByLabel('Name'), 'renamed')
    await pressOn(page, dialog.getByRole('button', { name: 'Save changes' }))
    await expect(page.getByRole('row', { name: /renamed/ })).toBeVisible()
    await choose(page, menu('renamed'), 'Clone Instance')
    await expectReadable(page, 'cloning')
    await page.keyboard.press('Escape')
    await expect(dialog).toHaveCount(0)
  })

  await test.step('connect: three ways, and what is copied works when it is pasted', async () => {
    await choose(page, menu('renamed'), 'Connect via SSH')
    const { host, port, user } = await client.instances.ssh({ id })
    const tab = (name: string) => dialog.getByRole('tab', { name })
    await expectReadable(page, 'the way in by a password')
    await pressOn(page, dialog.getByRole('button', { name: 'Copy Command' }))
    await expect.poll(copied).toBe(`ssh -p ${port} ${user}@${host}`)
    await pressOn(page, dialog.getByRole('button', { name: 'Show password' }))
    await expect(dialog.getByLabel('SSH password')).toHaveText(/\S{8,}/)
    await pressOn(page, dialog.getByRole('button', { name: 'Renew password' }))
    await expect(page.getByRole('alertdialog', { name: 'Renew SSH password' })).toBeVisible()
    await expectReadable(page, 'renewing the password')
    await page.keyboard.press('Escape')
    await expect(page.getByRole('alertdialog')).toHaveCount(0)

    await tabTo(page, tab('Password'))
    await page.keyboard.press('ArrowRight')
    await expect(tab('SSH key')).toBeFocused()
    await expect(dialog.getByRole('radio', { name: /Every key of mine/ })).toBeChecked()
    await expectReadable(page, 'the way in by a key')
    await page.keyboard.press('ArrowRight')
    await expect(dialog.getByRole('button', { name: 'Open terminal' })).toBeVisible()
    await expectReadable(page, 'the way in by the browser')

    await tabTo(page, tab('SCP'))
    await pressOn(page, tab('SCP'), 'End')
    await pressOn(page, dialog.getByRole('button', { name: /^Copy .*config command/ }))
    await expect.poll(copied).toContain(`Host renamed\n  HostName ${host}\n  Port ${port}\n  User ${user}`)
    await writeFile(join(dir, 'config'), await copied())
    await pressOn(page, dialog.getByRole('button', { name: 'Copy Known host' }))
    await expect.poll(copied).toContain('ssh-ed25519')
    await writeFile(join(dir, 'known'), `${await copied()}\n`)
    const asPasted = ['-F', join(dir, 'config'), '-i', join(dir, 'key')]
    const strict = ['-o', `UserKnownHostsFile=${join(dir, 'known')}`, '-o', 'StrictHostKeyChecking=yes']
    const { stdout } = await run('ssh', [
      ...asPasted,
      ...strict,
      '-o',
      'BatchMode=yes',
      'renamed',
      'echo in-$((6*7))',
    ])
    expect(stdout).toBe('in-42\n')
    await page.keyboard.press('Escape')
    await expect(dialog).toHaveCount(0)
  })

  await test.step('stop: then there is nothing to connect to, and the window says why', async () => {
    await pressOn(page, button('Stop renamed'))
    await expect(page.getByRole('row', { name: /renamed/ })).toContainText('Stopped')
    await pressOn(page, menu('renamed'))
    const connect = page.getByRole('menuitem', { name: /^Connect via SSH/ })
    await expect(connect).toHaveAttribute('aria-disabled', 'true')
    await expect(connect).toContainText('only while running')
    await page.keyboard.press('Escape')
    await page.goto(`/console/instances?dialog=ssh&instance=${id}`)
    await expect(dialog).toContainText('only while running; this one is stopped.')
    await expectReadable(page, 'no way in while stopped')
    await page.keyboard.press('Escape')
  })

  let deleteCommand = ''
  await test.step('delete', async () => {
    await choose(page, menu('renamed'), 'Delete Instance')
    const question = page.getByRole('alertdialog', { name: 'Delete instance' })
    await expect(question).toContainText('will be gone. This cannot be undone.')
    await expectReadable(page, 'deleting')
    await pressOn(page, question.getByRole('button', { name: 'Copy as curl' }))
    await expect.poll(copied).toContain(`-X DELETE ${product.url}/v1/instances/${id}`)
    deleteCommand = await copied()
    await pressOn(page, question.getByRole('button', { name: 'Delete instance' }))
    await expect(page.getByText('renamed deleted successfully')).toBeVisible()
    await expect(page.getByRole('row', { name: /renamed/ })).toHaveCount(0)
  })

  await test.step('what was copied does the same in a shell', async () => {
    const { key_value } = await client.accounts.generateApiKey({ name: 'pasted' })
    const paste = async (command: string) => {
      const env = { ...process.env, INGOT_API_KEY: key_value }
      const { stdout } = await run('sh', ['-c', command.replace(/^curl /, 'curl -sS -f ')], { env })
      return JSON.parse(stdout) as { id: string }
    }
    const made = await paste(deployCommand)
    expect(made).toMatchObject({ name: 'by-keys', gpu_type: 'A40', status: 'starting' })
    await expect(page.getByRole('row', { name: /by-keys/ })).toBeVisible()
    expect(await paste(deleteCommand.replace(id, made.id))).toMatchObject({ id: made.id })
    await expect(page.getByRole('row', { name: /by-keys/ })).toHaveCount(0)
  })
  await rm(dir, { recursive: true, force: true })
})

test('the log of an instance is followed, searched and saved', async ({ page, product }) => {
  const account = await newAccount(product)
  const client = await product.clientOf(account)
  await pay(client)
  const template = await client.templates.create({
    name: 'talks',
    description: '',
    category: 'Base OS',
    docker_image: 'debian:12',
    start_command:
      'n=0; while true; do n=$((n+1)); echo "step $n of many"; echo "loss $n" >&2; sleep 1; done',
  })
  const made = await client.instances.create({ ...configuration, template_id: template.id, name: 'talks' })
  await expect.poll(async () => (await client.instances.get({ id: made.id })).status).toBe('running')
  await signIn(page, account)
  await page.goto(`/console/instances/${made.id}`)
  await page.getByRole('tab', { name: 'Logs' }).click()
  const log = page.getByRole('region', { name: 'Log' })
  await expect(log).toContainText('step 1 of many')
  await expect(page.getByText(/Following\.$/)).toBeVisible()
  await expect(log).toContainText('step 4 of many')
  await expectReadable(page, 'a log that is followed')

  await page.keyboard.press('/')
  await page.keyboard.type('loss')
  await expect(page).toHaveURL(/search=loss/)
  await expect(log).toContainText('loss 1')
  await expect(log).not.toContainText('of many')
  await page.getByLabel('Follow').press('Space')
  await expect(page.getByText(/Following\.$/)).toHaveCount(0)
  const saving = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Download' }).press('Enter')
  const text = await readFile((await (await saving).path())!, 'utf8')
  expect(text).toMatch(/loss 1\b/)
  expect(text).not.toContain('of many')
  await page.getByRole('button', { name: 'Clear the search' }).click()
  await expect(log).toContainText('of many')
  await client.instances.delete({ id: made.id })
})
