import { utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { api } from '@ingot/contracts/api'
import { setupItems } from '@ingot/contracts/site/setup'
import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import { useTestServer } from '../../product/test-server.ts'
import { backupMark, readChecklist } from './checklist.ts'

const server = useTestServer({ worker: false })
const db = () => server.services.database.kysely
const here = { protocol: 'http', hostname: 'localhost' }
type Needs = Parameters<typeof readChecklist>[1]
const look = async (needs: Partial<Needs> = {}, asking = here) => {
  const { items } = await readChecklist(db(), { ...server.services, ...needs }, asking)
  return Object.fromEntries(items.map(item => [item.name, item]))
}
const at = (publicUrl: string) => ({ config: { ...server.services.config, publicUrl } })
let token: string
beforeAll(async () => {
  const user = await server.user()
  await sql`insert into user_roles (user_id, role) values (${user.id}, 'admin')`.execute(db())
  token = user.token
})

test('a first start has everything open but TLS, says so through the API, and leads to what to do', async () => {
  const response = await server.fetch(api.site.checklist.path, { token })
  const answer = api.site.checklist.output.parse(await response.json())
  expect(answer.items.map(({ name }) => name)).toEqual([...setupItems])
  expect(answer.items.filter(({ state }) => state === 'not_applicable').map(({ name }) => name)).toEqual([
    'tls',
  ])
  expect(answer.open).toBe(setupItems.length - 1)
  for (const { state, seen, todo, guide } of answer.items) {
    expect(seen).toMatch(/^\S.*\.$/)
    expect(todo === '').toBe(state !== 'open')
    expect(guide).toMatch(/^\/docs\/self-hosting\//)
  }
})

test('domain and TLS are judged by the public URL and by the very request that asks', async () => {
  const secure = { protocol: 'https', hostname: 'gpu.example' }
  const ask = async (url: string, asking: typeof here) => {
    const { domain, tls } = await look(at(url), asking)
    return [domain!.state, tls!.state]
  }
  expect(await ask('https://gpu.example', secure)).toEqual(['done', 'done'])
  expect(await ask('https://gpu.example', { ...secure, protocol: 'http' })).toEqual(['done', 'open'])
  expect(await ask('https://gpu.example', { ...secure, hostname: '10.0.0.5:8080' })).toEqual(['open', 'done'])
  expect(await ask('http://gpu.example', { protocol: 'http', hostname: 'gpu.example' })).toEqual([
    'done',
    'open',
  ])
  expect(await ask('https://203.0.113.7', { protocol: 'https', hostname: '203.0.113.7' })).toEqual([
    'open',
    'done',
  ])
})

test('mail is done once one was accepted, and open again while one is refused', async () => {
  const smtp = { url: 'smtp://user:geheim@mail.example', from: 'Ingot <a@b.example>' }
  const state = async () => (await look({ config: { ...server.services.config, smtp } })).mail!
  await sql`delete from mail`.execute(db())
  expect(await state()).toMatchObject({
    state: 'open',
    seen: expect.stringContaining('no mail was accepted yet'),
  })
  await sql`insert into mail (id, recipient, subject, sent_at, due_at) values (gen_random_uuid(), 'a@b.example', 'x', '2026-11-26T10:00:00Z', null)`.execute(
    db(),
  )
  const done = await state()
  expect(done.state).toBe('done')
  expect(done.seen).toContain('accepted at 2026-11-26T10:00:00')
  await sql`insert into mail (id, recipient, subject, attempts, last_error) values (gen_random_uuid(), 'a@b.example', 'x', 1, 'geheim')`.execute(
    db(),
  )
  const again = await state()
  expect(again.state).toBe('open')
  expect(JSON.stringify(again)).not.toContain('geheim')
})

test('the chain is done while its blocks are read', async () => {
  const chain = { name: 'tron-test', networkName: 'TRON (TRC20)', isTestNetwork: false }
  const state = async () => (await look({ chain })).chain!
  expect((await look()).chain!.seen).toContain('play money')
  expect((await state()).seen).toContain('no block of it was read yet')
  await sql`insert into chain_cursor (chain, height, block_id, scanned_at, block_at) values ('tron-test', 1, 'a', now(), now())`.execute(
    server.owner,
  )
  expect((await state()).state).toBe('done')
  await sql`update chain_cursor set block_at = now() - interval '2 hours', scanned_at = now() where chain = 'tron-test'`.execute(
    server.owner,
  )
  expect((await state()).seen).toContain('120 minutes ago')
})

test('drivers, prices, legal words and samples are seen', async () => {
  const real = server.services.regions.map(region => ({
    ...region,
    available: true,
    hardware: 'real' as const,
  }))
  expect((await look({ regions: real })).driver!.state).toBe('done')
  expect(
    (await look({ regions: [{ ...real[0]!, available: false, reason: 'None' }] })).driver!,
  ).toMatchObject({ state: 'open', todo: 'None' })
  expect((await look()).driver!.seen).toContain('simulated GPUs')
  expect((await look()).prices!.seen).toContain('at the price that comes with the product')
  await sql`select set_gpu_price('T4', null, 0.33, 600, 1500)`.execute(server.owner)
  expect((await look()).prices!.state).toBe('done')
  const siteFile = {
    legal_name: 'Acme Ltd',
    postal_address: '1 Main Street',
    privacy_email: 'p@acme.example',
  }
  expect((await look({ siteFile })).legal!.todo).toContain('INGOT_INVOICE_NAME')
  const { config } = server.services
  const invoices = { ...config.invoices, seller: { ...config.invoices.seller, name: 'Acme Ltd' } }
  expect((await look({ siteFile, config: { ...config, invoices } })).legal!.state).toBe('done')
  expect((await look()).content!.seen).toContain('16 parts of the public pages are samples')
  expect((await look({ siteFile: { ...siteFile, team: null, logos: ['A'] } })).content!.seen).toContain(
    '14 parts',
  )
})

test('a backup is what PostgreSQL archived or a file marks, until it is two days old', async () => {
  const mark = join(server.services.config.dataDir, backupMark)
  const state = async () => (await look()).backup!
  expect((await state()).seen).toContain('No backup was seen')
  await writeFile(mark, '')
  expect((await state()).state).toBe('done')
  const old = new Date(Date.now() - 3 * 86_400_000)
  await utimes(mark, old, old)
  expect(await state()).toMatchObject({ state: 'open', seen: 'A backup was marked 3 days ago.' })
})

test('parts of the public pages say where they come from', async () => {
  const { client } = await server.user().then(async user => {
    await sql`insert into user_roles (user_id, role) values (${user.id}, 'admin')`.execute(db())
    return user
  })
  Object.assign(server.services, { siteFile: { logos: ['Acme'], team: null, offices: [] } })
  // The routes were bound with the services themselves.
  const { parts, file } = await client.site.siteContent({})
  const of = (name: string) => parts.find(part => part.name === name)!.source
  expect(['logos', 'team', 'offices', 'claims', 'support_center', 'legal_name'].map(of)).toEqual([
    'own',
    'hidden',
    'hidden',
    'sample',
    'standard',
    'none',
  ])
  expect(file).toBe(join(server.services.config.dataDir, 'site.json'))
  Object.assign(server.services, { siteFile: {} })
})
