/**
 * Data outlives machines: what one instance wrote, another reads byte for byte, whatever becomes of the first one and of
 * the server between. And SIGKILL in all that is done with volumes and snapshots, on real disks and durable PostgreSQL:
 * each is whole or gone, charged once for what it is, and nothing is left mounted or stored.
 */
import { createHash, randomBytes } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Instance } from '@ingot/contracts/instances'
import { growthMicro, volumeMonthMicro } from '@ingot/contracts/volume/prices'
import type { Volume } from '@ingot/contracts/volumes'
import type { Client } from '@ingot/sdk/client'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openDatabase } from '../db/database.ts'
import { a40 } from '../instances/test-rows.ts'
import { assertLedgerSound } from '../ledger/audit.ts'
import { embeddedUrl, type Product, signIn, startProduct } from './test-process.ts'
import { until } from './test-server.ts'
import { ownDriver } from './testing/own-driver.ts'
import { typeInto } from './testing/type-into.ts'

const isLong = process.env['INGOT_LONG_TESTS'] !== undefined
const noDisks = ownDriver !== 'sandbox'
if (noDisks) console.log('skipped: volumes and kills: no machine can run here')

describe.skipIf(noDisks)('volumes and kills', { timeout: 120_000 }, () => {
  let dir: string
  let product: Product
  let client: Client
  let admin: { email: string; password: string }

  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'ingot-volume-kill-'))
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
    await product?.stop()
    await rm(dir, { recursive: true, force: true })
  })

  async function killAfter(ms: number): Promise<void> {
    await sleep(ms)
    await product.kill()
    product = await startProduct({ dir })
    client = await signIn(product.url, admin)
  }
  const reach = (id: string, status: Volume['status']) =>
    until(
      () => client.volumes.get({ id }),
      each => each.status === status && !each.growing,
      60_000,
    )
  const runs = (id: string, status: Instance['status']) =>
    until(
      () => client.instances.get({ id }),
      each => each.status === status,
      60_000,
    )
  const make = async (name: string) =>
    reach((await client.volumes.create({ name, size_gb: 10, region: 'US-East' })).id, 'available')
  const takenOf = (id: string) =>
    until(
      () => client.volumes.snapshot({ id }),
      each => each.status === 'available',
      60_000,
    )
  const isGone = (id: string) =>
    until(
      async () => (await client.volumes.list({ limit: 100 })).items.filter(each => each.id === id),
      left => left.length === 0,
      60_000,
    )
  async function upload(id: string, path: string, body: Buffer<ArrayBuffer>): Promise<void> {
    const { id: upload } = await client.volumes.beginUpload({ id, path, bytes: body.length })
    const sum = createHash('sha256').update(body).digest('hex')
    await client.files.putPiece({ id: upload, offset: 0, sha256: sum }, { body })
    await client.files.finishUpload({ id: upload, sha256: sum })
  }
  async function download(id: string, path: string): Promise<Buffer> {
    const { url } = await client.volumes.download({ id, path })
    return Buffer.from(await (await fetch(product.url + url)).arrayBuffer())
  }
  /** What the wallet paid for it, less what came back. */
  async function net(id: string): Promise<bigint> {
    const database = openDatabase(embeddedUrl(dir))
    try {
      const { rows } = await sql<{ micro: bigint }>`
        select coalesce(sum(case when t.from_account = w.account_id then t.amount_micro else -t.amount_micro end), 0)::bigint as micro
        from ledger_transfer t join wallets w on w.user_id = t.user_id
        where t.ref = ${id} and w.account_id in (t.from_account, t.to_account)`.execute(database.kysely)
      await assertLedgerSound(database.kysely)
      return rows[0]!.micro
    } finally {
      await database.close()
    }
  }
  const mounts = () =>
    readFileSync('/proc/mounts', 'utf8')
      .split('\n')
      .filter(line => line.includes(`${dir}/sandbox/volumes/`))
  const isUnmounted = () =>
    until(
      async () => mounts(),
      left => left.length === 0,
      60_000,
    )
  /** What stands on the host's disk, scraps too. */
  const kept = (kind: 'volumes' | 'snapshots') => {
    const folder = join(dir, 'sandbox', kind)
    return existsSync(folder) ? readdirSync(folder).length : 0
  }

  test('what one instance wrote, another reads byte for byte, after the first is deleted and the server was killed', async () => {
    const volume = await make('data')
    const first = await client.instances.create(a40({ name: 'first', start: false }))
    await client.volumes.attach({ id: volume.id, instance_id: first.id })
    await client.instances.start({ id: first.id })
    await runs(first.id, 'running')
    const wrote = await typeInto(
      client,
      product.url,
      first.id,
      'head -c 20000000 /dev/urandom > /volumes/data/file && sync && echo SUM-$(sha256sum < /volumes/data/file | head -c 64)-\r',
      /SUM-[0-9a-f]{64}-/,
      30_000,
    )
    const sum = /SUM-([0-9a-f]{64})-/.exec(wrote)![1]!
    await client.volumes.detach({ id: volume.id })
    await killAfter(0)
    await client.instances.delete({ id: first.id })
    await killAfter(20)
    await reach(volume.id, 'available')
    await isUnmounted()
    const second = await client.instances.create(a40({ name: 'second' }))
    await runs(second.id, 'running')
    await client.volumes.attach({ id: volume.id, instance_id: second.id })
    const read = await typeInto(
      client,
      product.url,
      second.id,
      'echo SUM-$(sha256sum < /workspace/data/file | head -c 64)-\r',
      /SUM-[0-9a-f]{64}-/,
      30_000,
    )
    expect(/SUM-([0-9a-f]{64})-/.exec(read)![1]).toBe(sum)
    expect(
      createHash('sha256')
        .update(await download(volume.id, '/file'))
        .digest('hex'),
    ).toBe(sum)
    await client.instances.delete({ id: second.id })
    await reach(volume.id, 'available')
    await client.volumes.delete({ id: volume.id })
    await isGone(volume.id)
    await isUnmounted()
    expect(kept('volumes')).toBe(0)
  })

  const moments = isLong ? [0, 10, 40, 150, 400] : []
  const month = volumeMonthMicro(10)

  test.each(isLong ? moments : [30])(
    'killed %i ms into a create it is there once, and paid once',
    async ms => {
      const idempotencyKey = `create-${ms}`
      const input = { name: `made-${ms}`, size_gb: 10, region: 'US-East' } as const
      const lost = client.volumes.create(input, { idempotencyKey }).catch(() => null)
      await killAfter(ms)
      await lost
      const { id } = await client.volumes.create(input, { idempotencyKey })
      await reach(id, 'available')
      expect(await net(id)).toBe(month)
      expect((await client.volumes.list({ search: input.name })).items).toHaveLength(1)
      expect(kept('volumes')).toBe(1)
      await client.volumes.delete({ id })
      await isGone(id)
    },
  )

  test.each(isLong ? moments : [60])(
    'killed %i ms into a snapshot, and into its restore, each is whole and paid once',
    async ms => {
      const body = randomBytes(3_000_000)
      const volume = await make(`kept-${ms}`)
      await upload(volume.id, '/file', body)
      const key = { idempotencyKey: `snapshot-${ms}` }
      const lost = client.volumes.takeSnapshot({ id: volume.id }, key).catch(() => null)
      await killAfter(ms)
      await lost
      const { id } = await client.volumes.takeSnapshot({ id: volume.id }, key)
      const { monthly_cost } = await takenOf(id)
      expect(await net(id)).toBe(BigInt(monthly_cost.replace('.', '')))
      expect((await client.volumes.snapshots({ id: volume.id })).items).toHaveLength(1)

      const again = { id, name: `again-${ms}` }
      const restoring = { idempotencyKey: `restore-${ms}` }
      const cut = client.volumes.restore(again, restoring).catch(() => null)
      await killAfter(ms)
      await cut
      const restored = await client.volumes.restore(again, restoring)
      await reach(restored.id, 'available')
      expect(await net(restored.id)).toBe(month)
      expect((await download(restored.id, '/file')).equals(body)).toBe(true)
      for (const each of [volume.id, restored.id]) await client.volumes.delete({ id: each })
      await client.volumes.deleteSnapshot({ id })
      await killAfter(ms)
      for (const each of [volume.id, restored.id]) await isGone(each)
      await until(
        async () => kept('snapshots') + kept('volumes'),
        count => count === 0,
        60_000,
      )
      await isUnmounted()
    },
  )

  test.runIf(isLong).each(moments)('killed %i ms into a growth it is as large as was paid for', async ms => {
    const { id, renews_at } = await make(`grows-${ms}`)
    const key = { idempotencyKey: `grow-${ms}` }
    const cost = growthMicro(10, 20, Date.parse(renews_at!) - Date.now())
    const lost = client.volumes.grow({ id, size_gb: 20 }, key).catch(() => null)
    await killAfter(ms)
    await lost
    await client.volumes.grow({ id, size_gb: 20 }, key)
    await until(
      () => client.volumes.get({ id }),
      each => each.size_gb === 20 && !each.growing,
      60_000,
    )
    expect(await net(id)).toBe(month + cost)
    await client.volumes.delete({ id })
    await killAfter(ms)
    await isGone(id)
  })

  test.runIf(isLong).each(moments)(
    'killed %i ms into an attach and a detach it is where it was asked to be, and reads the same',
    async ms => {
      const body = randomBytes(1_000_000)
      const sum = createHash('sha256').update(body).digest('hex')
      const { id } = await make(`attached-${ms}`)
      await upload(id, '/file', body)
      const box = await client.instances.create(a40({ name: `box-${ms}` }))
      await runs(box.id, 'running')
      const attach = () => client.volumes.attach({ id, instance_id: box.id })
      const lost = attach().catch(() => null)
      await killAfter(ms)
      await lost
      await attach()
      await until(
        () =>
          typeInto(
            client,
            product.url,
            box.id,
            `echo SUM-$(sha256sum < /volumes/attached-${ms}/file | head -c 64)-\r`,
            /SUM-[0-9a-f]{0,64}-/,
            10_000,
          ),
        text => text.includes(`SUM-${sum}-`),
        60_000,
      )
      const off = client.volumes.detach({ id }).catch(() => null)
      await killAfter(ms)
      await off
      if ((await client.volumes.get({ id })).instance) await client.volumes.detach({ id })
      await isUnmounted()
      await client.instances.delete({ id: box.id })
      await client.volumes.delete({ id })
      await isGone(id)
    },
  )
})
