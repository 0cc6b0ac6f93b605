/**
 * Several servers of one database: two that answer requests and two that work, each a process of its own with a folder
 * of its own, on a PostgreSQL and a container engine that they reach by address. What one began another ends, whichever
 * is asked; a worker that is killed is replaced by the other, and nothing happens twice.
 */
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openEngine } from '@ingot/compute/docker/engine'
import { noEngineReason, startEngine, type TestEngine, testImage } from '@ingot/compute/docker/testing/engine'
import { keeperPid } from '@ingot/compute/docker/testing/machines'
import { builtInTemplates } from '@ingot/contracts/templates'
import { developmentKey } from '@ingot/tron/devnet/accounts'
import { createDevnet, type Devnet } from '@ingot/tron/devnet/devnet'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openInstanceShell } from '../../../../bench/shell.ts'
import { newId } from '../db/ids.ts'
import { createTestDatabase, type TestDatabase } from '../db/test-database.ts'
import { a40 } from '../instances/test-rows.ts'
import { assertLedgerSound } from '../ledger/audit.ts'
import { type Product, signIn, startProduct } from './test-process.ts'

const reason = await noEngineReason()
if (reason) console.log(`skipped: servers that share the work: ${reason}`)

describe.skipIf(reason)('servers that share the work', { timeout: 240_000 }, () => {
  let engine: TestEngine
  let database: TestDatabase
  let devnet: Devnet
  let base: string
  let env: Record<string, string>
  beforeAll(async () => {
    engine = await startEngine()
    database = await createTestDatabase({ as: 'owner' })
    devnet = createDevnet({ blockMs: 20 })
    base = await mkdtemp(join(tmpdir(), 'ingot-roles-'))
    await chmod(base, 0o711)
    const xpub = developmentKey("m/44'/195'/7'").publicExtendedKey
    env = {
      DATABASE_URL: database.url,
      INGOT_SECRET: 'one secret for all servers',
      INGOT_DRIVERS: `docker:here=${engine.address}`,
      INGOT_REGIONS: '*=docker:here',
      INGOT_SELL_SIMULATED: 'I sell simulated GPUs for real money',
      INGOT_TRON_ENDPOINT: (await devnet.start()).url,
      INGOT_TRON_XPUB: xpub,
      INGOT_TRON_CONTRACT: devnet.usdtContract,
    }
  }, 180_000)
  afterAll(async () => {
    await engine.discard()
    await devnet.close()
    await rm(base, { recursive: true, force: true })
    await database.close()
  }, 60_000)

  const start = (name: string, role: 'http' | 'worker') =>
    startProduct({ dir: join(base, name), env: { ...env, INGOT_ROLE: role } })

  test('deploys and terminals work through each, a worker that dies is replaced, and nothing is done twice', async () => {
    const first = await start('http-1', 'http')
    const [second, ...workers] = await Promise.all([
      start('http-2', 'http'),
      ...['worker-1', 'worker-2'].map(name => start(name, 'worker')),
    ])
    const servers: Product[] = [first, second]
    const clients = await Promise.all(servers.map(({ url }) => signIn(url, first.admin!)))
    const [one, two] = clients as [(typeof clients)[0], (typeof clients)[0]]
    expect((await one.catalog.regions({})).items.map(({ driver }) => driver)).toEqual(
      Array(5).fill('docker:here'),
    )
    // A session that one of them began is the other's too.
    const { user_id } = await two.wallet.get()
    await sql`select credit_wallet(${user_id}, 50000000, 'test funds', ${newId()}, now())`.execute(
      database.kysely,
    )
    expect(await one.wallet.get()).toMatchObject({ balance_usd: '50.000000' })
    await sql`update gpu_templates set docker_image = ${testImage}, command = null where id = ${builtInTemplates[0]!.id}`.execute(
      database.kysely,
    )

    const statusOf = async (id: string) => (await one.instances.get({ id })).status
    const becomes = async (ids: readonly string[], status: string) => {
      await expect
        .poll(() => Promise.all(ids.map(statusOf)), { timeout: 60_000, interval: 100 })
        .toEqual(ids.map(() => status))
    }
    const ids = (await Promise.all([0, 1, 2, 3].map(n => clients[n % 2]!.instances.create(a40())))).map(
      ({ id }) => id,
    )
    await becomes(ids, 'running')

    // A terminal that was opened through one is on with its screen through the other.
    const [here] = ids as [string]
    const shell = await openInstanceShell(one, servers[0]!.url, here, 'main')
    shell.type('echo "se""en"; sleep 1000\n')
    await shell.waitFor('seen')
    shell.close()
    const again = await openInstanceShell(two, servers[1]!.url, here, 'main')
    await again.waitFor('seen')
    again.type('\u0003echo "an""swered"\n')
    await again.waitFor('answered')
    const keepers = () => ['worker-1', 'worker-2'].map(name => keeperPid(join(base, name, 'docker.here')))
    expect(keepers().filter(Boolean)).toHaveLength(1)

    // One worker dies with work in hand; what it kept open stays open.
    const late = await Promise.all([0, 1, 2, 3].map(n => clients[n % 2]!.instances.create(a40())))
    const [lost, left] = keepers()[0] ? workers : workers.toReversed()
    await lost!.kill()
    await becomes([...ids, ...late.map(({ id }) => id)], 'running')
    again.type('echo "st""ill"\n')
    await again.waitFor('still')
    // Its keeper dies too: another one comes up beside the worker that is left.
    process.kill(keepers().find(Boolean)!, 'SIGKILL')
    await expect
      .poll(
        async () => {
          const next = await openInstanceShell(two, servers[1]!.url, here, 'main')
          next.type('echo "a""new"\n')
          return next
            .waitFor('anew', 8_000)
            .then(() => true)
            .catch(() => false)
            .finally(() => next.close())
        },
        { timeout: 40_000 },
      )
      .toBe(true)
    again.close()

    const { calls } = openEngine({ address: engine.address })
    const containers = async () =>
      (await calls.listContainers({ all: true })).filter(({ Labels }) => Labels['ingot.instance'])
    expect(await containers()).toHaveLength(8)
    await servers[0]!.kill()
    const all = [...ids, ...late.map(({ id }) => id)]
    for (const id of all) await two.instances.delete({ id })
    await expect.poll(async () => (await containers()).length, { timeout: 60_000 }).toBe(0)
    const counted = sql<{ type: string; n: number }>`
      select type, count(*)::int as n from event where type in ('instance.started', 'instance.terminated')
      group by type order by type`
    await expect
      .poll(async () => (await counted.execute(database.kysely)).rows, { timeout: 30_000 })
      .toEqual([
        { type: 'instance.started', n: 8 },
        { type: 'instance.terminated', n: 8 },
      ])
    await assertLedgerSound(database.kysely)
    // Of eight hours that were paid in advance all but minutes has come back.
    expect(Number((await two.wallet.get()).balance_usd)).toBeGreaterThan(49.5)
    expect(Number((await two.wallet.get()).balance_usd)).toBeLessThan(50)
    expect(await left!.stop()).toBe(0)
    expect(await servers[1]!.stop()).toBe(0)
  })
})
