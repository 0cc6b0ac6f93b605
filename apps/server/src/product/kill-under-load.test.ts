/**
 * SIGKILL at random moments while 20 users work: of the server, of PostgreSQL, and of one of its backends (PostgreSQL
 * then recovers while the server goes on). Afterwards whatever was answered is there, once, each instance is as was
 * asked for last, and no machine is without its instance.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createClient } from '@ingot/sdk/client'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { type Db, openDatabase } from '../db/database.ts'
import { assertPlacesSound } from '../catalog/audit-places.ts'
import { assertLedgerSound } from '../ledger/audit.ts'
import { embeddedUrl, type Product, startProduct } from './test-process.ts'
import { until } from './test-server.ts'
import { createWorker, type Worker, work } from './testing/load.ts'
import { ownDriver } from './testing/own-driver.ts'
import { seeded, seedOfRun } from './testing/random.ts'

const users = 20
const isLong = process.env['INGOT_LONG_TESTS'] !== undefined
const kills = isLong ? 12 : 3
/** The long form goes on for ten minutes. */
const leastMs = isLong ? 600_000 : 0
/** So few run at once that others wait. */
const machines = isLong ? 60 : 8
const victims = ['server', 'postgres', 'backend'] as const
const serviceKey = 'service-key-of-the-test-that-is-long-enough'
const password = 'correct horse'

test(
  `${kills} kills of server and PostgreSQL under a load of ${users} users: nothing wrong, nothing doubled, nothing left over, nothing that was acknowledged lost`,
  { timeout: 60_000 + kills * 30_000 + 2 * leastMs },
  async () => {
    const seed = seedOfRun()
    const dir = await mkdtemp(join(tmpdir(), 'ingot-load-'))
    await chmod(dir, 0o711)
    const options = {
      dir,
      env: {
        INGOT_SERVICE_KEY: serviceKey,
        INGOT_REGIONS: `US-East=simulated,*=${ownDriver}`,
        INGOT_MAX_SIMULATED: String(machines),
        INGOT_LOG_LEVEL: 'fatal',
      },
    }
    let product: Product = await startProduct(options)
    const database = openDatabase(embeddedUrl(dir))
    const db = database.kysely
    try {
      const random = seeded(seed)
      const workers = await Promise.all(Array.from({ length: users }, (_, i) => signUp(product.url, i)))
      const addresses = await Promise.all(
        workers.map(async ({ client }) => (await client.wallet.usdtConfig()).walletAddress),
      )
      for (const { id } of workers)
        await sql`select credit_wallet(${id}, 200000000, 'funds', ${id}, now())`.execute(db)

      let isOver = false
      const working = Promise.all(
        workers.map((worker, i) => work(worker, seeded(seed + i + 1), addresses[i]!, () => isOver)),
      )
      const written = () => workers.reduce((sum, { writes }) => sum + writes.length, 0)
      const works = (writes: number) => {
        const before = written()
        return until(
          async () => written(),
          now => now >= before + writes,
          30_000,
        )
      }
      const notBefore = Date.now() + leastMs
      let killed = 0
      for (let i = 0; i < kills || Date.now() < notBefore; i++) {
        await works(random.between(5, 2 * users))
        await sleep(random.between(0, 30))
        killed++
        const victim = i < victims.length ? victims[(i + seed) % victims.length]! : random.one(victims)
        if (victim === 'backend') {
          const pid = random.one(await backends(db))
          process.kill(pid, 'SIGKILL')
          continue
        }
        if (victim === 'postgres') process.kill(postmaster(dir), 'SIGKILL')
        await product.kill()
        product = await startProduct(options)
      }
      await works(users)
      isOver = true
      await working

      await settled(db, workers)
      await Promise.all(workers.map(worker => expectKept(product.url, db, worker)))
      await expectNoOrphans(db, dir)
      await assertPlacesSound(db)
      const { rows } = await sql`select from event where type = 'instance.queued' limit 1`.execute(db)
      expect(rows, 'somebody waited').toHaveLength(1)
      const made = workers.reduce((sum, { instances }) => sum + instances.size, 0)
      if (isLong) console.log(`${killed} kills, ${made} instances, ${written()} writes`)
      expect(made, 'instances').toBeGreaterThanOrEqual(isLong ? 200 : users)
      await assertLedgerSound(db)
    } catch (error) {
      throw new Error(`INGOT_SEED=${seed}: ${(error as Error).message}`, { cause: error })
    } finally {
      await product.stop()
      await database.close()
      await rm(dir, { recursive: true, force: true })
    }
  },
)

async function signUp(url: string, i: number): Promise<Worker> {
  const call = async <T>(path: string, body: object): Promise<T> => {
    const response = await fetch(`${url}/auth/v1${path}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${serviceKey}`,
        apikey: serviceKey,
        'content-type': 'application/json',
      },
      body: JSON.stringify(body),
    })
    if (!response.ok) throw new Error(`${path}: ${await response.text()}`)
    return (await response.json()) as T
  }
  const email = `user-${i}@example.com`
  const { id } = await call<{ id: string }>('/admin/users', { email, password, email_confirm: true })
  const { access_token } = await call<{ access_token: string }>('/token?grant_type=password', {
    email,
    password,
  })
  return createWorker(url, id, access_token)
}

const postmaster = (dir: string) =>
  Number(readFileSync(join(dir, 'postgres/postmaster.pid'), 'utf8').split('\n')[0])

async function backends(db: Db): Promise<number[]> {
  const { rows } = await sql<{ pid: number }>`
    select pid from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()`.execute(
    db,
  )
  return rows.map(({ pid }) => pid)
}

/** Until no instance is on its way, nobody waits while a machine is free, and each payment that was made has arrived. */
async function settled(db: Db, workers: readonly Worker[]): Promise<void> {
  const paid = workers.flatMap(worker => worker.paid)
  await until(
    async () =>
      (
        await sql<{ moving: number; queued: number; waiting: number }>`
          select (select count(*)::int from gpu_instances where status in ('starting', 'stopping')) as moving,
            (select count(*)::int from instance_queue where blocked is null and (select count(*) from allocation) < ${machines}) as queued,
            ${paid.length} - (select count(*)::int from chain_deposit
              where encode(txid, 'hex') = any(${paid}) and state = 'credited') as waiting`.execute(db)
      ).rows[0]!,
    ({ moving, queued, waiting }) => moving === 0 && queued === 0 && waiting === 0,
    60_000,
  )
}

async function expectKept(url: string, db: Db, worker: Worker): Promise<void> {
  const { id, client, writes, instances, paid, paidInDoubt } = worker
  const read = async () =>
    (
      await sql<{ id: string; name: string; status: string; waits: boolean; deployed: boolean }>`
        select id, name, status, exists (select from instance_queue where instance_id = i.id) as waits,
          exists (select from meter where id = i.id) as deployed
        from gpu_instances i where user_id = ${id} order by id`.execute(db)
    ).rows
  const rows = await read()
  const wantedOf = ({ status, waits }: (typeof rows)[number]) => (waits ? 'running' : status)
  expect(Object.fromEntries(rows.map(row => [row.id, { name: row.name, wanted: wantedOf(row) }]))).toEqual(
    Object.fromEntries(instances),
  )
  // What left the queue without a deploy was charged nothing.
  const never = rows.filter(({ deployed }) => !deployed)
  expect(never.every(({ status, waits }) => waits || status === 'terminated')).toBe(true)
  const counted = await sql<{ code: string; count: number }>`
    select code::text, count(*)::int from ledger_transfer where user_id = ${id} and code in ('deploy', 'return')
    group by code`.execute(db)
  const deployed = counted.rows.find(({ code }) => code === 'deploy')?.count ?? 0
  expect(deployed).toBe(instances.size - never.length)

  // Each write again with its key: the answer of then, and nothing is done.
  for (const { send, key, answer } of writes) expect(await send({ idempotencyKey: key })).toEqual(answer)
  const again = await read()
  expect(again).toEqual(rows)

  const { items } = await client.wallet.deposits({ limit: 100 })
  expect(items.filter(({ tx_hash }) => paid.includes(tx_hash))).toHaveLength(paid.length)
  expect(items.length - paid.length).toBeGreaterThanOrEqual(0)
  expect(items.length - paid.length).toBeLessThanOrEqual(paidInDoubt)
  if (worker.minutes !== null)
    expect(await client.accounts.settings()).toMatchObject({ auto_shutdown_minutes: worker.minutes })
  if (worker.apiKey !== null) {
    const byKey = createClient({ baseUrl: url, token: () => worker.apiKey })
    expect((await byKey.wallet.get()).user_id).toBe(id)
  }
}

/** The simulated driver keeps a file for each machine. */
async function expectNoOrphans(db: Db, dir: string): Promise<void> {
  const folder = join(dir, 'simulated/machines')
  const machines = readdirSync(folder).map(
    name =>
      (JSON.parse(readFileSync(join(folder, name), 'utf8')) as { spec: { instanceId: string } }).spec
        .instanceId,
  )
  const rows = await db
    .selectFrom('gpu_instances')
    .select(['id', 'driver_ref'])
    .where('status', '<>', 'terminated')
    .execute()
  expect(machines.toSorted()).toEqual(
    rows
      .filter(({ driver_ref }) => driver_ref !== null)
      .map(({ id }) => id)
      .toSorted(),
  )
}
