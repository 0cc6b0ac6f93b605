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
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { type Db, openDatabase } from '../db/database.ts'
import { assertPlacesSound } from '../catalog/audit-places.ts'
import { assertLedgerSound } from '../ledger/audit.ts'
import { embeddedUrl, type Product, startProduct } from './test-process.ts'
import { until } from './test-server.ts'
import { backends, expectKept, postmaster, serviceKey, settled, signUp } from './testing/after-kills.ts'
import { work } from './testing/load.ts'
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

      await settled(db, workers, machines)
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
