/** Debian's Jupyter Notebook in an instance, through the proxy: the long form alone, since it may have to be installed. */
import { missingAfterInstall } from '@ingot/compute/docker/testing/engine'
import { ownDriver } from '../../apps/server/src/product/testing/own-driver.ts'
import { newAccount, signIn } from '../account.ts'
import { runningInstance, typeInto } from '../instances.ts'
import { expect, test } from '../product.ts'

const reason =
  process.env['INGOT_LONG_TESTS'] !== '1'
    ? 'in npm run test:long'
    : ownDriver !== 'sandbox'
      ? 'no machine can run here'
      : missingAfterInstall(['jupyter-notebook'], ['jupyter-notebook'])

test.skip(reason !== null, reason ?? '')
test.setTimeout(180_000)
test('a notebook opens from the console, and a cell runs through the proxy’s WebSocket', async ({
  page,
  context,
  product,
}) => {
  const account = await newAccount(product)
  const client = await product.clientOf(account)
  const { id } = await runningInstance(client, 'notebook')
  await client.instances.addPort({ id, port: 8888, name: 'Notebook', path: '/tree' })
  const start = `jupyter-notebook --no-browser --allow-root --ip=127.0.0.1 --port=8888 --NotebookApp.token='' &`
  await typeInto(client, product.url, id, start, 'is running at', 60_000)

  await signIn(page, account)
  await page.goto(`/console/instances/${id}/ports`)
  const opening = context.waitForEvent('page')
  await page.getByRole('button', { name: 'Open Notebook' }).click()
  const tree = await opening
  await expect(tree).toHaveURL(/\.apps\.localhost:\d+\/tree$/)
  await tree.getByRole('button', { name: 'New' }).click()
  const sockets: string[] = []
  context.on('page', made => made.on('websocket', socket => sockets.push(socket.url())))
  const making = context.waitForEvent('page')
  await tree.locator('#kernel-python3 a').click()
  const notebook = await making
  await expect(notebook.getByTitle('Kernel Idle')).toBeVisible({ timeout: 60_000 })
  await notebook.locator('.CodeMirror').first().click()
  await notebook.keyboard.type('6 * 7')
  await notebook.keyboard.press('Shift+Enter')
  await expect(notebook.locator('.output_result')).toHaveText(/42/, { timeout: 30_000 })
  expect(sockets.some(url => url.includes('.apps.localhost') && url.includes('/channels'))).toBe(true)
  await client.instances.delete({ id })
})
