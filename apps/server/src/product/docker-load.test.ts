/**
 * Ten instances on a container engine, used at random for two minutes, with SIGKILL of the server, of PostgreSQL and of
 * one of its backends: each is as was asked for last, what was answered is there once, and no container is left over.
 */
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { openEngine } from '@ingot/compute/docker/engine'
import { noEngineReason, startEngine, testImage } from '@ingot/compute/docker/testing/engine'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { assertPlacesSound } from '../catalog/audit-places.ts'
import { openDatabase } from '../db/database.ts'
import { newId } from '../db/ids.ts'
import { assertLedgerSound } from '../ledger/audit.ts'
import { embeddedUrl, startProduct } from './test-process.ts'
import { until } from './test-server.ts'
import { backends, expectKept, postmaster, serviceKey, settled, signUp } from './testing/after-kills.ts'
import { work } from './testing/load.ts'
import { seeded, seedOfRun } from './testing/random.ts'

const reason =
  process.env['INGOT_LONG_TESTS'] === undefined ? 'only in the long form' : await noEngineReason()
if (reason) console.log(`skipped: a load with kills on docker: ${reason}`)
const users = 2
const most = 5
const forMs = 120_000
const pauseMs = 8_000
const victims = ['server', 'postgres', 'backend'] as const

describe.skipIf(reason)('on a container engine', () => {
  test(
    'two minutes of work on ten instances with kills: nothing stuck, doubled or left over',
    { timeout: 600_000 },
    async () => {
      const seed = seedOfRun()
      const random = seeded(seed)
      const engine = await startEngine()
      const dir = await mkdtemp(join(tmpdir(), 'ingot-docker-load-'))
      await chmod(dir, 0o711)
      const options = {
        dir,
        env: {
          INGOT_SERVICE_KEY: serviceKey,
          INGOT_DRIVERS: `docker=${engine.address}`,
          INGOT_REGIONS: 'US-East=docker,*=simulated',
          INGOT_LOG_LEVEL: 'fatal',
        },
      }
      let product = await startProduct(options)
      const database = openDatabase(embeddedUrl(dir))
      const db = database.kysely
      try {
        // Those that come with the product are written anew at each of its starts.
        const template = newId()
        await sql`insert into gpu_templates (id, name, description, category, docker_image, is_public)
        values (${template}, 'Test', '', 'Base OS', ${testImage}, true)`.execute(db)
        const workers = await Promise.all(
          Array.from({ length: users }, (_, i) => signUp(product.url, i, { template, most })),
        )
        const addresses = await Promise.all(
          workers.map(async ({ client }) => (await client.wallet.usdtConfig()).walletAddress),
        )
        for (const { id } of workers)
          await sql`select credit_wallet(${id}, 200000000, 'funds', ${id}, now())`.execute(db)

        let isOver = false
        const working = Promise.all(
          workers.map((worker, i) => work(worker, seeded(seed + i + 1), addresses[i]!, () => isOver)),
        )
        const end = Date.now() + forMs
        let killed = 0
        while (Date.now() < end) {
          await sleep(random.between(pauseMs / 2, pauseMs))
          const victim = victims[killed++ % victims.length]!
          if (victim === 'backend') {
            process.kill(random.one(await backends(db)), 'SIGKILL')
            continue
          }
          if (victim === 'postgres') process.kill(postmaster(dir), 'SIGKILL')
          await product.kill()
          product = await startProduct(options)
        }
        isOver = true
        await working

        await settled(db, workers, Infinity)
        await Promise.all(workers.map(worker => expectKept(product.url, db, worker)))
        const { rows } = await sql<{ id: string }>`
        select id from gpu_instances where status <> 'terminated' and driver_ref is not null`.execute(db)
        const containers = async () =>
          (await openEngine({ address: engine.address }).calls.listContainers({ all: true })).flatMap(
            ({ Labels }) => Labels['ingot.instance'] ?? [],
          )
        const wanted = JSON.stringify(rows.map(({ id }) => id).toSorted())
        await until(
          async () => JSON.stringify((await containers()).toSorted()),
          held => held === wanted,
          60_000,
        )
        await assertPlacesSound(db)
        await assertLedgerSound(db)
        const made = workers.reduce((sum, { instances }) => sum + instances.size, 0)
        const writes = workers.reduce((sum, worker) => sum + worker.writes.length, 0)
        console.log(`on docker: ${killed} kills, ${made} instances, ${writes} writes`)
        expect(made).toBeGreaterThanOrEqual(users * most)
      } catch (error) {
        throw new Error(`INGOT_SEED=${seed}: ${(error as Error).message}`, { cause: error })
      } finally {
        await product.stop()
        await database.close()
        await engine.discard()
        await rm(dir, { recursive: true, force: true })
      }
    },
  )
})
