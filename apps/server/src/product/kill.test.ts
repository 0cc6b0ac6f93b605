/**
 * SIGKILL at every stage of an instance's life, on real sandboxes and durable PostgreSQL: after the next start each
 * instance reaches the state that was asked for, nothing is charged twice, and nothing of a deleted one is left.
 */
import { readFileSync } from 'node:fs'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Instance } from '@ingot/contracts/instances'
import type { Client } from '@ingot/sdk/client'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Db, openDatabase } from '../db/database.ts'
import { a40 } from '../instances/test-rows.ts'
import { until } from './test-server.ts'
import { assertLedgerSound } from '../ledger/audit.ts'
import { mountsOf, processesOf, spareIsUp } from './testing/sandboxes.ts'
import { typeInto } from './testing/type-into.ts'
import { embeddedUrl, type Product, signIn, startProduct } from './test-process.ts'

let dir: string
let product: Product
let client: Client
let admin: { email: string; password: string }
const deployed: string[] = []

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'ingot-kill-'))
  await chmod(dir, 0o711)
  product = await startProduct({ dir })
  admin = product.admin!
  client = await signIn(product.url, admin)
  const { walletAddress } = await client.wallet.usdtConfig()
  await client.dev.faucet({ address: walletAddress, amount_usdt: '500' })
  await until(
    () => client.wallet.get(),
    wallet => wallet.balance_usd === '500.000000',
  )
}, 120_000)
afterAll(async () => {
  await product.stop()
  await rm(dir, { recursive: true, force: true })
})

/** Kills the server after `ms` and starts it again on the same data. */
async function killAfter(ms: number): Promise<void> {
  await sleep(ms)
  await product.kill()
  product = await startProduct({ dir })
  client = await signIn(product.url, admin)
}

const firstProcessesOf = (id: string) =>
  processesOf(id).filter(pid =>
    /\nNSpid:\s+\d+(\s+\d+)*\s+1\n/.test(readFileSync(`/proc/${pid}/status`, 'utf8')),
  )

const is = (id: string, status: Instance['status']) =>
  until(
    () => client.instances.get({ id }),
    each => each.status === status,
    30_000,
  )

async function deploy(name: string): Promise<string> {
  const { id } = await client.instances.create(a40({ name }))
  deployed.push(id)
  return id
}

async function charges(id: string): Promise<string[]> {
  const entries = (await client.billing.list({ limit: 100 })).items.filter(entry => entry.instance_id === id)
  return entries.map(entry =>
    entry.description.includes('usage') ? 'usage' : entry.description.includes('setup') ? 'deploy' : 'return',
  )
}

test.each([0, 2, 5, 10, 20, 40])(
  'a deploy that the server dies in after %i ms happens once, when it is asked for again with its key',
  async ms => {
    const name = `deploy-${ms}`
    const idempotencyKey = `key-${ms}`
    const lost = client.instances.create(a40({ name }), { idempotencyKey }).catch(() => null)
    await killAfter(ms)
    await lost
    const { id } = await client.instances.create(a40({ name }), { idempotencyKey })
    deployed.push(id)
    await is(id, 'running')
    expect((await client.instances.list({ search: name })).items).toHaveLength(1)
    expect(await charges(id)).toEqual(['deploy'])
    // Its card is free for those below: the host has 16.
    await client.instances.stop({ id })
  },
)

test.each([0, 15, 40, 80])('killed %i ms into a start, it runs after all, on one sandbox', async ms => {
  const id = await deploy(`starting-${ms}`)
  await killAfter(ms)
  await is(id, 'running')
  expect(await charges(id)).toEqual(['deploy'])
  expect(firstProcessesOf(id)).toHaveLength(1)
})

test.each([2, 8, 15, 25])(
  'killed %i ms into a deploy that takes a spare, it runs on one sandbox',
  async ms => {
    await until(
      async () => spareIsUp(dir),
      isUp => isUp,
    )
    const name = `spare-${ms}`
    const idempotencyKey = `spare-key-${ms}`
    const lost = client.instances.create(a40({ name }), { idempotencyKey }).catch(() => null)
    await killAfter(ms)
    await lost
    const { id } = await client.instances.create(a40({ name }), { idempotencyKey })
    deployed.push(id)
    await is(id, 'running')
    expect(await charges(id)).toEqual(['deploy'])
    await shell(id, 'echo [$HOSTNAME]\r', `[${name}]`)
    expect(firstProcessesOf(id)).toHaveLength(1)
  },
)

test('a running instance and its shell outlive the server', async () => {
  const id = await deploy('running')
  await is(id, 'running')
  await shell(id, 'export KEPT=still-here\r', 'still-here')
  await killAfter(0)
  await is(id, 'running')
  await shell(id, 'echo [$KEPT]\r', '[still-here]')
})

test.each([0, 10, 30])(
  'killed %i ms into a stop, it stops, and the time it ran is charged once',
  async ms => {
    const id = await deploy(`stopping-${ms}`)
    await is(id, 'running')
    await client.instances.stop({ id })
    await killAfter(ms)
    const { started_at, stopped_at, prepaid_remaining } = await is(id, 'stopped')
    const used = (750_000n * BigInt(Date.parse(stopped_at!) - Date.parse(started_at!))) / 3_600_000n
    expect(750_000n - BigInt(prepaid_remaining.replace('.', ''))).toBe(used)
    expect(await charges(id)).toEqual(['deploy'])
    await until(
      async () => processesOf(id),
      pids => pids.length === 0,
    )
  },
)

test.each([0, 20])('killed %i ms into a restart, it runs again', async ms => {
  const id = await deploy(`restart-${ms}`)
  await is(id, 'running')
  await client.instances.restart({ id })
  await killAfter(ms)
  await is(id, 'running')
})

test.each([0, 10, 30])('killed %i ms after a schedule fell due, it starts the instance once', async ms => {
  const { id } = await client.instances.create(a40({ name: `scheduled-${ms}`, start: false }))
  deployed.push(id)
  const { id: schedule } = await client.instances.createSchedule({
    id,
    action: 'start',
    time: '08:00',
    weekdays: [1, 2, 3, 4, 5, 6, 7],
    time_zone: 'UTC',
  })
  await withDatabase(db =>
    sql`update instance_schedule set due_at = ${new Date(Date.now() - 5_000).toISOString()} where id = ${schedule}`.execute(
      db,
    ),
  )
  // A change of another wakes the loop at once.
  await client.instances.createSchedule({
    id,
    action: 'stop',
    time: '08:00',
    weekdays: [1],
    time_zone: 'UTC',
    enabled: false,
  })
  await killAfter(ms)
  await is(id, 'running')
  const { items } = await client.instances.instanceEvents({ id })
  expect(items.filter(({ action }) => action === 'instance_starting')).toMatchObject([{ actor: 'schedule' }])
  expect(firstProcessesOf(id)).toHaveLength(1)
})

test('how long instances have been idle outlives the server, and only the one that does nothing is stopped', async () => {
  const [idle, busy] = [await deploy('idle'), await deploy('busy')]
  for (const id of [idle, busy]) await is(id, 'running')
  await shell(busy, '(while :; do :; done) & echo begun-$?\r', 'begun-0')
  await sleep(2_000)
  // As the last look left them, after 59 minutes without activity and two that nobody looked.
  const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString()
  await withDatabase(db =>
    sql`update gpu_instances set looked_at = ${ago(2)}, busy_at = ${ago(61)}, seen_cpu_ms = 0,
      seen_input_at = last_activity_at where id in (${idle}, ${busy})`.execute(db),
  )
  await killAfter(0)
  expect(await is(idle, 'stopped')).toMatchObject({ status_reason: 'idle' })
  const { items } = await client.activity.usageLogs({ instance_id: idle })
  expect(items.filter(log => log.action === 'instance_auto_stopped')).toHaveLength(1)
  const kept = await until(
    () => client.instances.get({ id: busy }),
    each => each.auto_shutdown_at === null,
  )
  expect(kept.status).toBe('running')
})

test('killed while a failing start command is started again, it ends five times, and each is charged and told once', async () => {
  const { id: template_id } = await client.templates.create({
    name: 'fails',
    category: 'Base OS',
    docker_image: 'none',
    start_command: 'echo no such model; exit 3',
  })
  const { id } = await client.instances.create(a40({ name: 'fails', template_id }))
  deployed.push(id)
  const look = () =>
    withDatabase(db =>
      sql`update driver_round set due_at = business_now() where lock_token is null`.execute(db),
    )
  const ends = async () =>
    (await client.instances.instanceEvents({ id, limit: 100 })).items.filter(
      ({ action }) => action === 'instance_command_ended',
    )
  await is(id, 'running')
  // It is up for a second at least.
  await sleep(1_200)
  await look()
  await killAfter(60)
  await until(
    async () => {
      const { status } = await client.instances.get({ id })
      if (status !== 'stopped') await look()
      return status
    },
    status => status === 'stopped',
    60_000,
  )
  expect(await client.instances.get({ id })).toMatchObject({
    status_reason: 'crash_loop',
    status_message: expect.stringMatching(/with exit code 3.*5 times[^]*\nno such model$/),
  })
  expect(await ends()).toHaveLength(4)
  const micros = await charged(id)
  expect(micros).toBeGreaterThanOrEqual(costOf(5 * 500))
  expect(micros).toBeLessThanOrEqual(costOf(5 * 5_000))
  await withDatabase(assertLedgerSound)
}, 120_000)

test('killed while all of them are being deleted, nothing of any is left, and the books balance', async () => {
  for (const id of deployed) await client.instances.delete({ id })
  await killAfter(20)
  await until(
    () => client.instances.list(),
    list => list.items.length === 0,
    60_000,
  )
  for (const id of deployed) {
    expect(processesOf(id)).toEqual([])
    expect(mountsOf(id)).toEqual([])
  }
  const returns = await Promise.all(
    deployed.map(async id => (await charges(id)).filter(kind => kind === 'return').length),
  )
  expect(returns.every(count => count === 1)).toBe(true)
  await withDatabase(assertLedgerSound)
})

/** In micro-dollars, with what was returned taken off. */
async function charged(id: string): Promise<bigint> {
  let micros = 0n
  await withDatabase(async db => {
    const { rows } = await sql<{ micros: bigint }>`
      select ((select coalesce(sum(amount_micro), 0) from usage_line where meter_id = ${id})
        - (select coalesce(sum(amount_micro), 0) from usage_return where meter_id = ${id}))::bigint as micros`.execute(
      db,
    )
    micros = rows[0]!.micros
  })
  return micros
}
const costOf = (ms: number) => (750_000n * BigInt(ms)) / 3_600_000n
const ran = ({ started_at, stopped_at }: Instance) => Date.parse(stopped_at!) - Date.parse(started_at!)
const hour = 3_600_000

/** Kills the server, does `meanwhile`, moves the business clock on by ten hours and starts the server again. */
async function awayForHours(meanwhile: () => void): Promise<void> {
  await product.kill()
  meanwhile()
  await withDatabase(db => sql`update business_clock set offset_ms = offset_ms + ${10 * hour}`.execute(db))
  product = await startProduct({ dir })
  client = await signIn(product.url, admin)
}

test('machines killed together with the server are paid up to the last look, those that ran on for all of it', async () => {
  const [dead, alive] = [await deploy('dead'), await deploy('alive')]
  for (const id of [dead, alive]) await is(id, 'running')
  await awayForHours(() => {
    for (const pid of processesOf(dead)) process.kill(Number(pid), 'SIGKILL')
  })
  const lost = await is(dead, 'stopped')
  expect(lost).toMatchObject({ status_reason: 'lost' })
  expect(lost.status_message).toMatch(/^The machine was ended by its host\. You pay up to/)
  expect(ran(lost)).toBeLessThan(60_000)
  expect(await charged(dead)).toBe(costOf(ran(lost)))
  await until(
    () => charged(alive),
    micros => micros >= costOf(10 * hour),
  )
  await client.instances.stop({ id: alive })
  expect(await charged(alive)).toBe(costOf(ran(await is(alive, 'stopped'))))
  await withDatabase(assertLedgerSound)
})

test(
  'who works, kills all that may be killed and starts again pays for all that ran, whoever is away meanwhile',
  { timeout: 90_000 },
  async () => {
    const id = await deploy('attack')
    let least = 0
    for (const isAway of [false, true, false]) {
      await is(id, 'running')
      const since = Date.now()
      const before = await charged(id)
      await shell(id, 'echo work-$((1+1))\r', 'work-2')
      await sleep(1_500)
      await shell(id, 'sleep 0.3; kill -9 -1\r', 'kill -9 -1')
      await until(
        async () => processesOf(id),
        pids => pids.length === 0,
      )
      const workedMs = Date.now() - since
      if (isAway) await awayForHours(() => {})
      else await withDatabase(db => sql`update driver_round set due_at = now()`.execute(db))
      const stopped = await is(id, 'stopped')
      expect(stopped).toMatchObject({ status_reason: 'ended' })
      expect(stopped.status_message).toMatch(/^The machine was ended from inside/)
      expect(ran(stopped)).toBeGreaterThanOrEqual(1_500)
      expect(ran(stopped)).toBeLessThanOrEqual(workedMs + 2_000)
      least += ran(stopped)
      expect(Number((await charged(id)) - before)).toBeGreaterThanOrEqual(Number(costOf(ran(stopped))) - 1)
      await client.instances.start({ id })
    }
    await is(id, 'running')
    await client.instances.delete({ id })
    expect(await charged(id)).toBeGreaterThanOrEqual(costOf(least) - 1n)
    await withDatabase(assertLedgerSound)
  },
)

async function withDatabase(work: (db: Db) => Promise<unknown>): Promise<void> {
  const database = openDatabase(embeddedUrl(dir))
  await work(database.kysely)
  await database.close()
}

/** Types into the instance's terminal and waits for an answer. */
const shell = (id: string, line: string, answer: string) =>
  typeInto(client, product.url, id, line, new RegExp(answer.replace(/[[\]$]/g, '\\$&')))
