/**
 * Writes `data-0032.sql`, a database as the last version with migration 0032 leaves it, and `data-0032.json`, what that
 * version answered on it: `node make-data.ts`, in a clone with history. The product of that commit runs as a process
 * and is used through its API; only what operators do by hand is done in SQL. It is killed while machines run.
 *
 * Times are those of the day it was made, so each run writes other ones. Passwords are public and the key of what is
 * sealed is the tests' own. Left out is what a database does without: sessions, signing keys, codes, mail, limits.
 */
import { chmod, mkdtemp, readdir, rm, unlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Client } from '@ingot/sdk/client'
import pg from 'pg'
import { openDatabase } from '../../db/database.ts'
import { newId } from '../../db/ids.ts'
import { a40 } from '../../instances/test-rows.ts'
import { embeddedUrl, type Product, signIn, startProduct } from '../test-process.ts'
import { until } from '../test-server.ts'
import { checkOut, version0032 } from './older-product.ts'

const serviceKey = 'service-key-of-the-test-that-is-long-enough'
const password = 'correct horse'
const [minute, hour, day] = [60_000, 3_600_000, 86_400_000] as const

const folder = await mkdtemp(join(tmpdir(), 'ingot-older-'))
const dir = await mkdtemp(join(tmpdir(), 'ingot-data-'))
await chmod(dir, 0o711)
await checkOut(version0032, folder)
const options = {
  dir,
  main: join(folder, 'apps/server/src/product/main.ts'),
  env: {
    INGOT_SECRET: 'test',
    INGOT_SERVICE_KEY: serviceKey,
    INGOT_REGIONS: 'US-East=simulated,EU-West=simulated',
  },
}

let product: Product = await startProduct(options)
const admin = product.admin!
const operator = new pg.Client({ connectionString: embeddedUrl(dir) })
await operator.connect()

async function authCall(method: string, path: string, token: string, body: object): Promise<{ id: string }> {
  const response = await fetch(`${product.url}/auth/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, apikey: token, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  if (!response.ok) throw new Error(`${path}: ${await response.text()}`)
  return (await response.json()) as { id: string }
}

interface Person {
  readonly id: string
  readonly email: string
  client: Client
}
const people: Person[] = []

async function person(name: string, usdt: string | null): Promise<Person> {
  const email = `${name}@example.com`
  const { id } = await authCall('POST', '/admin/users', serviceKey, {
    email,
    password,
    email_confirm: true,
    user_metadata: { first_name: name },
  })
  const made = { id, email, client: await signIn(product.url, { email, password }) }
  people.push(made)
  if (usdt) await pay(made, usdt)
  return made
}

async function pay({ client }: Person, usdt: string): Promise<void> {
  const { walletAddress } = await client.wallet.usdtConfig()
  const before = (await client.wallet.deposits()).items.length
  await client.dev.faucet({ address: walletAddress, amount_usdt: usdt })
  await until(
    () => client.wallet.deposits(),
    ({ items }) => items.length > before && items[0]!.status !== 'pending',
    60_000,
  )
}

const reaches = ({ client }: Person, id: string, status: string) =>
  until(
    () => client.instances.get({ id }),
    each => each.status === status,
    30_000,
  )

async function running(owner: Person, changes: Parameters<typeof a40>[0] = {}): Promise<string> {
  const { id } = await owner.client.instances.create(a40(changes))
  await reaches(owner, id, 'running')
  return id
}

/** Moves the clock on, and waits until what runs was looked at and charged. */
async function pass(ms: number): Promise<void> {
  const { now } = await people[0]!.client.dev.clock({ advance_ms: ms })
  await until(
    async () =>
      (
        await operator.query(
          'select count(*)::int as n from meter where metered_to is not null and seen_at < $1',
          [now],
        )
      ).rows[0].n as number,
    n => n === 0,
    60_000,
  )
}

/** Serves the data, while the product is away, by an app of that version without a worker: nothing moves by itself. */
async function atRest<T>(work: () => Promise<T>): Promise<T> {
  const load = async (path: string) => import(pathToFileURL(join(folder, 'apps/server/src', path)).href)
  const { readConfig } = (await load('config.ts')) as typeof import('../../config.ts')
  const { openServices } = (await load('product/services.ts')) as typeof import('../services.ts')
  const { createApp } = (await load('product/app.ts')) as typeof import('../app.ts')
  const PORT = new URL(product.url).port
  const config = readConfig({ ...options.env, PORT, INGOT_DATA_DIR: dir, INGOT_LOG_LEVEL: 'error' })
  const services = await openServices({ config, databaseUrl: embeddedUrl(dir) })
  const app = await createApp(services)
  await app.listen({ host: config.host, port: config.port })
  try {
    return await work()
  } finally {
    await app.close()
    await services.close()
  }
}

async function live(): Promise<void> {
  const anna = await person('anna', '250')
  const train = await running(anna, {
    name: 'train',
    auto_shutdown_enabled: true,
    auto_shutdown_minutes: 480,
  })
  const notebook = await running(anna, { name: 'notebook', auto_shutdown_enabled: false })
  await anna.client.instances.create(a40({ name: 'later', start: false }))
  const bert = await person('bert', '3000')
  const year = await running(bert, { name: 'year', billing_period: '1year', auto_shutdown_enabled: false })
  const term = await running(bert, { name: 'term', billing_period: '3month', auto_shutdown_enabled: false })
  const cleo = await person('cleo', '4.5')
  const dora = await person('dora', '10')
  const empties = await running(dora, { name: 'empties', auto_shutdown_enabled: false })
  const emil = await person('emil', '40')
  await running(emil, { name: 'emils', auto_shutdown_enabled: false })
  const fred = await person('fred', '12')

  await pass(90 * minute)
  await anna.client.instances.stop({ id: notebook })
  await reaches(anna, notebook, 'stopped')
  await anna.client.instances.update({ id: notebook, data_storage_gb: 500, name: 'notebook two' })
  await anna.client.instances.start({ id: notebook })
  await reaches(anna, notebook, 'running')
  const clone = await anna.client.instances.clone({ id: notebook })
  await reaches(anna, clone.id, 'running')
  await pass(40 * minute)
  await anna.client.instances.delete({ id: clone.id })
  await anna.client.instances.restart({ id: train })
  await reaches(anna, train, 'running')
  await pay(cleo, '4.5')
  await bert.client.instances.delete({ id: term })
  await pass(12 * hour)
  await reaches(dora, empties, 'stopped')

  await emil.client.accounts.deleteAccount({ confirmation: 'DELETE', password, balance: 'refund' })
  await fred.client.accounts.deleteAccount({
    confirmation: 'DELETE',
    password,
    balance: 'forfeit',
    forfeit_confirmation: 'FORFEIT',
  })
  people.splice(people.indexOf(emil), 1)
  people.splice(people.indexOf(fred), 1)
  const { rows } = await operator.query('select base58 from deposit_address where user_id = $1', [emil.id])
  await anna.client.dev.faucet({ address: rows[0].base58 as string, amount_usdt: '15' })
  await until(
    async () => (await operator.query(`select from refund_request where user_id = $1`, [emil.id])).rowCount,
    n => n === 2,
    60_000,
  )

  await operator.query(`select debit_wallet($1, 1500000, 'Correction', $2, now())`, [bert.id, newId()])
  await pass(3 * day)
  await anna.client.instances.stop({ id: train })
  await anna.client.instances.stop({ id: notebook })
  await reaches(anna, notebook, 'stopped')
  const oldest = await running(bert, { name: 'oldest', auto_shutdown_enabled: false })
  // Two months end meanwhile, and each machine that runs is charged for all of it in one line.
  await pass(45 * day)

  const hold = `select hold_funds($1, $2, $3, $4, $5, $6)`
  const { now } = await anna.client.dev.time()
  await operator.query(hold, [anna.id, 'hold', 2_000_000, 'Disputed', newId(), now])
  await operator.query(hold, [bert.id, 'withdrawal', 5_000_000, 'Withdrawal', newId(), now])
  await operator.query('select release_funds($1, $2, $3, $4, $5, $6)', [
    bert.id,
    'withdrawal',
    1_000_000,
    'Refused',
    newId(),
    now,
  ])
  await operator.query(`select credit_wallet($1, 7000000, 'Goodwill', $2, $3)`, [cleo.id, newId(), now])
  await operator.query(
    `insert into user_roles (user_id, role) values ($1, 'moderator'), ($2, 'moderator'), ($2, 'admin')`,
    [cleo.id, dora.id],
  )
  await anna.client.accounts.generateApiKey({ name: 'first' })
  await anna.client.accounts.generateApiKey({ name: 'second' })
  await bert.client.accounts.updateSettings({ sms_notifications: true, auto_shutdown_minutes: 30 })
  await bert.client.accounts.update({ company: 'Bert & Co', role: 'researcher', use_case: 'training' })

  // A machine that vanishes, and is stopped before anybody has looked: what ran beyond the last look returns.
  const lost = await running(bert, { name: 'lost', auto_shutdown_enabled: false })
  await product.kill()
  const machines = join(dir, 'simulated/machines')
  const { rows: refs } = await operator.query('select driver_ref from gpu_instances where id = $1', [lost])
  for (const file of await readdir(machines))
    if (file.startsWith(refs[0].driver_ref as string)) await unlink(join(machines, file))
  await atRest(() => bert.client.instances.stop({ id: lost }))
  product = await startProduct(options)
  await reaches(bert, lost, 'stopped')
  const { rows: returns } = await operator.query('select from usage_return where meter_id = $1', [lost])
  if (returns.length === 0) throw new Error('nothing was returned for the machine that vanished')
  for (const id of [year, oldest]) await reaches(bert, id, 'running')
}

interface Answers {
  [email: string]: { id: string } & Record<string, unknown>
}

/** What the version answers once no look moves a horizon any more. */
async function answers(): Promise<Answers> {
  const found: Answers = {}
  for (const { id, email } of people) {
    const client = await signIn(product.url, { email, password })
    found[email] = {
      id,
      balance: (await client.wallet.get()).balance_usd,
      deposits: (await client.wallet.deposits()).items,
      instances: (await client.instances.list()).items,
      billing: (await client.billing.list({ limit: 100 })).items,
      usage: (await client.activity.usageLogs({ limit: 100 })).items,
      settings: await client.accounts.settings(),
      profile: await client.accounts.profile(),
      key: (await client.accounts.apiKey()).key,
      role: await client.accounts.userRole(),
    }
  }
  return found
}

const leftOut =
  `schema_migration auth_session auth_signing_key auth_otp auth_code auth_bucket auth_failure auth_sending
  auth_place auth_device terminal_ticket port_ticket mail site_status site_status_day`.split(/\s+/)

/** The rows of all tables as SQL, in an order and with times that a reader can follow. */
async function dump(): Promise<string> {
  const database = openDatabase(embeddedUrl(dir))
  const ask = async <Row extends pg.QueryResultRow>(text: string, values: unknown[] = []) =>
    (await database.pool.query<Row>(text, values)).rows
  const tables = await ask<{ name: string; columns: string[]; key: string[] }>(
    `select c.relname as name,
      array_agg(a.attname::text order by a.attnum) filter (where a.attgenerated = '' and coalesce(pg_get_expr(d.adbin, d.adrelid), '') <> 'pg_current_xact_id()') as columns,
      (select array_agg(k.attname::text order by array_position(i.indkey::int2[], k.attnum)) from pg_index i
        join pg_attribute k on k.attrelid = c.oid and k.attnum = any(i.indkey) where i.indrelid = c.oid and i.indisprimary) as key
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
      left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
    where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace and c.relname <> all($1)
    group by c.oid, c.relname order by c.oid`,
    [leftOut],
  )
  const names = tables.map(({ name }) => name)
  const lines = [
    '-- Written by make-data.ts. A database with migration 0032 and nothing else becomes one that was used.',
    'begin;',
    ...names.map(name => `alter table ${name} disable trigger user;`),
    `truncate ${names.join(', ')} cascade;`,
  ]
  for (const { name, columns, key } of tables) {
    const rows = await ask<{ row: string }>(
      `select '(' || concat_ws(', ', ${columns.map(column => `quote_nullable(${column}::text)`).join(', ')}) || ')' as row
      from ${name} order by ${key.join(', ')}`,
    )
    if (rows.length === 0) continue
    lines.push(
      `insert into ${name} (${columns.join(', ')}) overriding system value values`,
      `${rows.map(({ row }) => row).join(',\n')};`,
    )
  }
  const sequences = await ask<{ name: string; value: string }>(
    `select sequencename as name, last_value::text as value from pg_sequences where last_value is not null order by 1`,
  )
  lines.push(
    ...sequences.map(({ name, value }) => `select setval('${name}', ${value});`),
    ...names.map(name => `alter table ${name} enable trigger user;`),
    'commit;',
  )
  await database.close()
  return `${lines.join('\n')}\n`
}

try {
  const { email } = admin
  const session = await fetch(`${product.url}/auth/v1/token?grant_type=password`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(admin),
  })
  const { access_token } = (await session.json()) as { access_token: string }
  await authCall('PUT', '/user', access_token, { password })
  people.push({ id: '', email, client: await signIn(product.url, { email, password }) })
  await live()
  await product.kill()
  await operator.query('update business_clock set offset_ms = offset_ms + $1', [hour])
  people.shift()
  await writeFile(
    new URL('data-0032.json', import.meta.url),
    `${JSON.stringify(await atRest(answers), null, 2)}\n`,
  )
  await writeFile(new URL('data-0032.sql', import.meta.url), await dump())
} finally {
  await operator.end()
  await (await startProduct(options).catch(() => null))?.stop()
  await rm(dir, { recursive: true, force: true })
  await rm(folder, { recursive: true, force: true })
}
