/**
 * SIGKILL of the server, of the keeper of terminals and of the engine at every stage of an instance's life on a real
 * container engine: each instance reaches its state, what it ran is charged once and not beyond its end, and nothing of
 * a deleted one is left.
 */
import { readFileSync } from 'node:fs'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { openEngine } from '@ingot/compute/docker/engine'
import { noEngineReason, startEngine, type TestEngine, testImage } from '@ingot/compute/docker/testing/engine'
import type { Instance } from '@ingot/contracts/instances'
import type { Client } from '@ingot/sdk/client'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { openInstanceShell } from '../../../../bench/shell.ts'
import { openDatabase } from '../db/database.ts'
import { newId } from '../db/ids.ts'
import { a40 } from '../instances/test-rows.ts'
import { assertLedgerSound } from '../ledger/audit.ts'
import { until } from './test-server.ts'
import { embeddedUrl, type Product, signIn, startProduct } from './test-process.ts'

const isLong = process.env['INGOT_LONG_TESTS'] !== undefined
const reason = isLong ? await noEngineReason() : 'only in the long form'
if (reason) console.log(`skipped: kills on docker: ${reason}`)

describe.skipIf(reason)('on a container engine', { timeout: 180_000 }, () => {
  let engine: TestEngine
  let dir: string
  let product: Product
  let client: Client
  let admin: { email: string; password: string }
  const template_id = newId()
  const env = () => ({
    INGOT_DRIVERS: `docker=${engine.address}`,
    INGOT_REGIONS:
      'US-East=docker,US-West=simulated,EU-West=simulated,Asia-Pacific=simulated,Middle-East=simulated',
  })

  beforeAll(async () => {
    if (reason) return
    engine = await startEngine()
    dir = await mkdtemp(join(tmpdir(), 'ingot-docker-kills-'))
    await chmod(dir, 0o711)
    product = await startProduct({ dir, env: env() })
    admin = product.admin!
    client = await signIn(product.url, admin)
    const { walletAddress } = await client.wallet.usdtConfig()
    await client.dev.faucet({ address: walletAddress, amount_usdt: '500' })
    await until(
      () => client.wallet.get(),
      wallet => wallet.balance_usd === '500.000000',
      60_000,
    )
    const database = new pg.Client({ connectionString: embeddedUrl(dir) })
    await database.connect()
    // Those that come with the product are written anew at each of its starts.
    await database.query(
      "insert into gpu_templates (id, name, description, category, docker_image, is_public) values ($1, 'Test', '', 'Base OS', $2, true)",
      [template_id, testImage],
    )
    await database.end()
  }, 240_000)
  afterAll(async () => {
    await product?.stop()
    await engine?.discard()
    if (dir) await rm(dir, { recursive: true, force: true })
  }, 90_000)

  const victims = {
    async server() {
      await product.kill()
      product = await startProduct({ dir, env: env() })
      client = await signIn(product.url, admin)
    },
    async keeper() {
      try {
        process.kill(Number(readFileSync(join(dir, 'docker/keeper.pid'), 'utf8')), 'SIGKILL')
      } catch {
        // There was no terminal yet.
      }
    },
    async engine() {
      await engine.kill()
      await engine.start()
    },
  }

  afterEach(context => {
    // What the server said of it is gone with the server otherwise.
    if (context.task.result?.state === 'fail') console.log(product.output().slice(-8_000))
  })

  const is = (id: string, ...statuses: Instance['status'][]) =>
    until(
      () => client.instances.get({ id }),
      ({ status }) => statuses.includes(status),
      90_000,
    )

  const containers = async () =>
    (await openEngine({ address: engine.address }).calls.listContainers({ all: true })).filter(
      ({ Labels }) => Labels['ingot.instance'],
    )

  /** It can be typed into. */
  async function used(id: string): Promise<void> {
    const shell = await openInstanceShell(client, product.url, id, 'main')
    shell.type('echo "us""able"\n')
    await shell.waitFor('usable')
    shell.close()
  }

  /** What it has used of its prepaid hour is the time that it ran, and nothing else was charged. */
  async function assertPaid(id: string, ranMs: number | null): Promise<void> {
    const { started_at, stopped_at, prepaid_remaining } = await client.instances.get({ id })
    const charged = 750_000n - BigInt(prepaid_remaining.replace('.', ''))
    if (ranMs !== null) {
      const ran = Date.parse(stopped_at!) - Date.parse(started_at!)
      expect(ran).toBeLessThanOrEqual(ranMs)
      expect(charged).toBe((750_000n * BigInt(ran)) / 3_600_000n)
    }
    const entries = (await client.billing.list({ limit: 100 })).items.filter(
      entry => entry.instance_id === id,
    )
    expect(entries.filter(({ description }) => description.includes('setup'))).toHaveLength(1)
  }

  async function deleted(id: string): Promise<void> {
    await client.instances.delete({ id }).catch(() => {})
    await expect
      .poll(async () => (await containers()).filter(({ Labels }) => Labels['ingot.instance'] === id), {
        timeout: 60_000,
      })
      .toEqual([])
  }

  const cases = (['server', 'keeper', 'engine'] as const).flatMap(victim =>
    [0, 60].map(ms => [victim, ms] as const),
  )

  test.each(cases)('the %s is killed %i ms into a deploy', async (victim, ms) => {
    const idempotencyKey = `deploy-${victim}-${ms}`
    const ask = () => client.instances.create(a40({ template_id, name: idempotencyKey }), { idempotencyKey })
    const lost = ask().catch(() => null)
    await sleep(ms)
    await victims[victim]()
    await lost
    const { id } = await ask()
    await is(id, 'running', ...(victim === 'engine' ? (['stopped'] as const) : []))
    if ((await client.instances.get({ id })).status === 'stopped') {
      // An engine that was away for too long: it says so, and the next start is as good as any.
      await client.instances.start({ id })
      await is(id, 'running')
    }
    await used(id)
    expect((await containers()).filter(({ Labels }) => Labels['ingot.instance'] === id)).toHaveLength(1)
    await assertPaid(id, null)
    await deleted(id)
  })

  test.each(['server', 'keeper', 'engine'] as const)('the %s is killed while it runs', async victim => {
    const { id } = await client.instances.create(a40({ template_id, name: `runs-${victim}` }))
    await is(id, 'running')
    await used(id)
    const began = Date.parse((await client.instances.get({ id })).started_at!)
    const killedAt = Date.now()
    await victims[victim]()
    if (victim === 'engine') {
      await is(id, 'stopped')
      expect(await client.instances.get({ id })).toMatchObject({ status_reason: 'lost' })
      // The engine noted when it had come up again, which is the latest that it can have ended.
      await assertPaid(id, Date.now() - began)
      await client.instances.start({ id })
      await is(id, 'running')
    } else {
      await is(id, 'running')
      expect(Date.now()).toBeGreaterThan(killedAt)
    }
    await used(id)
    await deleted(id)
  })

  test.each(cases)('the %s is killed %i ms into a stop', async (victim, ms) => {
    const { id } = await client.instances.create(a40({ template_id, name: `stops-${victim}-${ms}` }))
    await is(id, 'running')
    await used(id)
    const began = Date.parse((await client.instances.get({ id })).started_at!)
    await client.instances.stop({ id })
    const asked = Date.now()
    await sleep(ms)
    await victims[victim]()
    await is(id, 'stopped')
    // A second for what lies between the clocks of the two.
    await assertPaid(id, asked - began + 1_000)
    await client.instances.start({ id })
    await is(id, 'running')
    await deleted(id)
  })

  test.each(cases)('the %s is killed %i ms into a delete', async (victim, ms) => {
    const { id } = await client.instances.create(a40({ template_id, name: `goes-${victim}-${ms}` }))
    await is(id, 'running')
    await client.instances.delete({ id })
    await sleep(ms)
    await victims[victim]()
    await deleted(id)
  })

  test('the host loses its power while instances run: they end, are paid up to when they were seen, and start again', async () => {
    const { id } = await client.instances.create(a40({ template_id, name: 'power' }))
    await is(id, 'running')
    const shell = await openInstanceShell(client, product.url, id, 'main')
    shell.type('echo kept >/root/kept; sync; echo "wri""tten"\n')
    await shell.waitFor('written')
    shell.close()
    const began = Date.parse((await client.instances.get({ id })).started_at!)
    const cut = Date.now()
    await engine.cutPower()
    await sleep(3_000)
    await engine.start()
    await is(id, 'stopped')
    await assertPaid(id, cut - began + 1_000)
    await client.instances.start({ id })
    await is(id, 'running')
    const again = await openInstanceShell(client, product.url, id, 'main')
    again.type('cat /root/kept\n')
    await again.waitFor('kept\r\n')
    again.close()
    await deleted(id)
  })

  test('after all of it nothing is left on the engine, and the books are right', async () => {
    expect(await containers()).toEqual([])
    const database = openDatabase(embeddedUrl(dir))
    await assertLedgerSound(database.kysely)
    await database.close()
  })
})
