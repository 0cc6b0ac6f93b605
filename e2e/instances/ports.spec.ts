/** Programs of two customers in one browser, beside the console: each has an origin, and none has another's. */
import type { Page } from '@playwright/test'
import { newAccount, signIn } from '../account.ts'
import { expectReadable } from '../axe.ts'
import { runningInstance, typeInto } from '../instances.ts'
import { expect, type Product, test } from '../product.ts'

/** Answers each request with a page that names it and the cookies that came; `/set` sets one for all of the host. */
const program = (name: string) =>
  `perl -MIO::Socket::INET -e '
$SIG{CHLD} = "IGNORE"; $| = 1;
$l = IO::Socket::INET->new(Listen => 20, LocalAddr => "127.0.0.1", LocalPort => 8000, ReuseAddr => 1); print "up-", "now\\n";
while ($c = $l->accept) { next if fork; ($path) = <$c> =~ / (\\S+) /; $k = "";
while (<$c>) { s/\\r?\\n//; last if $_ eq ""; $k = $1 if /^cookie: (.*)/i }
$h = $path eq "/set" ? "Set-Cookie: wide=1; Domain=apps.localhost\\r\\nSet-Cookie: own=1\\r\\n" : "";
$b = "<title>${name}</title><h1>${name}</h1><p id=k>$k</p>";
print $c "HTTP/1.1 200 OK\\r\\nContent-Type: text/html\\r\\nAccess-Control-Allow-Origin: *\\r\\n\${h}Content-Length: ", length $b, "\\r\\nConnection: close\\r\\n\\r\\n$b"; exit }' &`.replaceAll(
    '\n',
    ' ',
  )

async function tenant(product: Product, name: string) {
  const account = await newAccount(product)
  const client = await product.clientOf(account)
  const { id } = await runningInstance(client, name)
  await client.instances.addPort({ id, port: 8000, name: 'Web' })
  await typeInto(client, product.url, id, program(name), 'up-now')
  const [port] = (await client.instances.ports({ id })).items
  return { account, client, id, origin: new URL(port!.url).origin }
}

const said = (page: Page) => page.locator('#k').textContent()

test('two customers’ programs in one browser neither read, frame nor fixate one another or the console', async ({
  page,
  context,
  product,
}) => {
  const [hers, evil] = [await tenant(product, 'hers'), await tenant(product, 'evil')]
  await signIn(page, hers.account)
  await page.goto(`/console/instances/${hers.id}/ports`)
  const opened = context.waitForEvent('page')
  await page.getByRole('button', { name: 'Open Web' }).click()
  const own = await opened
  await expect(own.getByRole('heading', { name: 'hers' })).toBeVisible()
  expect(own.url()).toBe(`${hers.origin}/`)
  await own.goto(`${hers.origin}/set`)
  await own.reload()
  expect(await said(own)).toBe('own=1')

  const link = await evil.client.instances.sharePort({ id: evil.id, port: 8000 })
  const other = await context.newPage()
  await other.goto(link.url)
  await expect(other.getByRole('heading', { name: 'evil' })).toBeVisible()
  expect(other.url()).toBe(`${evil.origin}/`)
  expect(await other.evaluate(() => window.opener === null)).toBe(true)

  for (const target of [`${hers.origin}/`, `${product.url}/console`, `${product.url}/v1/wallet`]) {
    const got = await other.evaluate(async address => {
      const read = (init: RequestInit) =>
        fetch(address, init).then(
          answer => answer.text(),
          () => null,
        )
      const script = document.createElement('script')
      script.src = address
      const ran = new Promise(resolve => {
        script.addEventListener('load', () => resolve('ran'))
        script.addEventListener('error', () => resolve('refused'))
      })
      document.body.append(script)
      const frame = document.createElement('iframe')
      frame.src = address
      const shown = new Promise(resolve => frame.addEventListener('load', resolve))
      document.body.append(frame)
      await shown
      return {
        cors: await read({ credentials: 'include' }),
        post: await read({ method: 'POST', credentials: 'include', body: 'x' }),
        ran: await ran,
        inside: frame.contentDocument?.body.textContent ?? null,
      }
    }, target)
    expect(got, target).toMatchObject({ cors: null, post: null, ran: 'refused', inside: null })
  }
  for (const frame of other.frames().slice(1)) expect(await frame.locator('#k, #root').count()).toBe(0)
  const socket = await other.evaluate(
    address =>
      new Promise(resolve => {
        const tried = new WebSocket(address)
        tried.addEventListener('open', () => resolve('open'))
        tried.addEventListener('error', () => resolve('refused'))
      }),
    `${hers.origin.replace('http', 'ws')}/`,
  )
  expect(socket).toBe('refused')

  // What it plants for names beside its own keeps nobody out and lets nobody in.
  await other.evaluate(() => {
    for (const domain of ['apps.localhost', 'localhost'])
      for (const name of ['ingot-port', '__Host-ingot-port', 'own', 'planted'])
        document.cookie = `${name}=evil; path=/; domain=${domain}`
  })
  await own.goto(`${hers.origin}/`)
  await expect(own.getByRole('heading', { name: 'hers' })).toBeVisible()
  expect(await said(own)).toBe('own=1')
  await page.reload()
  await expect(page.getByRole('button', { name: 'Open Web' })).toBeVisible()
  expect(await page.evaluate(() => document.cookie)).not.toContain('evil')
})

test('ports are added, shared, made public and removed by the keyboard, and each says its call', async ({
  page,
  product,
}) => {
  const account = await newAccount(product)
  const client = await product.clientOf(account)
  const { id } = await runningInstance(client, 'ported')
  await signIn(page, account)
  await page.goto(`/console/instances/${id}`)
  await page.getByRole('tab', { name: 'Ports' }).click()
  await expect(page).toHaveURL(`${product.url}/console/instances/${id}/ports`)
  await expect(page.getByText('No ports')).toBeVisible()
  await expectReadable(page, 'ports')

  await page.getByRole('button', { name: 'Add port' }).press('Enter')
  await page.getByLabel('Port', { exact: true }).fill('8888')
  await page.getByLabel('Name').fill('Notebook')
  await page.getByLabel('Opens at').fill('/lab')
  await expect(page.getByRole('dialog')).toContainText(`/v1/instances/${id}/ports`)
  await expectReadable(page, 'ports')
  await page.getByLabel('Opens at').press('Enter')
  const row = page.getByRole('listitem', { name: 'Notebook' })
  await expect(row).toContainText('Private')

  await row.getByRole('button', { name: 'Share Notebook' }).press('Enter')
  await page.getByRole('button', { name: 'Make link' }).press('Enter')
  await expect(page.getByRole('dialog')).toContainText('.apps.localhost')
  await expect(page.getByRole('dialog')).toContainText('It is shown once')
  await expectReadable(page, 'ports')
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().press('Enter')
  await row.getByRole('button', { name: 'End link' }).press('Enter')
  await page.getByRole('alertdialog').getByRole('button', { name: 'End link' }).press('Enter')
  await expect(row.getByRole('button', { name: 'End link' })).toHaveCount(0)

  await row.getByRole('button', { name: 'Make Notebook public' }).press('Enter')
  await expect(page.getByRole('alertdialog')).toContainText('without signing in')
  await page.getByRole('alertdialog').getByRole('button', { name: 'Make port public' }).press('Enter')
  await expect(row).toContainText('Whoever knows this address can use the port.')
  await row.getByRole('button', { name: 'Remove Notebook' }).press('Enter')
  await page.getByRole('alertdialog').getByRole('button', { name: 'Remove port' }).press('Enter')
  await expect(page.getByText('No ports')).toBeVisible()
  await client.instances.delete({ id })
})
