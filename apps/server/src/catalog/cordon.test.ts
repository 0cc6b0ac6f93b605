/** A host that is cordoned gets nothing new, on real PostgreSQL: whoever was first has their place, whoever comes after is refused. */
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { inTransaction } from '../db/database.ts'
import { newId } from '../db/ids.ts'
import { type Box, gibibyte, now, usePlaces } from './test-hosts.ts'

const places = usePlaces()
const { cardsOf, db, deploy, hostOf, hosts, set, start, stock, tell, why } = places

/** As `machines/change-host.ts` writes it. */
const cordon = (id: string | bigint, changes: string) =>
  inTransaction(db(), async tx => {
    await sql`select * from lock_host(${id})`.execute(tx)
    await sql`update host set ${sql.raw(changes)} where id = ${id}`.execute(tx)
    await sql`select find_free_cards(${id})`.execute(tx)
  })
const close = (id: string | bigint) => cordon(id, `cordoned_at = now(), cordon_reason = 'a fan'`)
const drain = (id: string | bigint) =>
  cordon(id, `cordoned_at = now(), cordon_reason = 'a fan', drain_at = now(), drained_at = now()`)
const open = (id: string | bigint) =>
  cordon(id, 'cordoned_at = null, cordon_reason = null, drain_at = null, drained_at = null')

test('deploys that race with a cordon either have their place before it, or none there; none is lost', async () => {
  const rounds = process.env['INGOT_LONG_TESTS'] ? 40 : 4
  for (let round = 0; round < rounds; round++) {
    places.use(`race-${round}`)
    await tell(hostOf('one', cardsOf('one', 16)), hostOf('two', cardsOf('two', 4)))
    const [one] = await hosts()
    const before: Box[] = []
    const late: Box[] = []
    let isClosed = false
    const takers = Array.from({ length: 12 }, async () => {
      for (let n = 0; n < 2; n++) {
        const wasClosed = isClosed
        await deploy(1)
          .then(box => (wasClosed ? late : before).push(box))
          .catch((error: unknown) =>
            expect(['taken', 'cordoned']).toContain((error as { reason: string }).reason),
          )
      }
    })
    await close(one!.id)
    isClosed = true
    const { rows: then } = await sql<{
      n: number
    }>`select count(*)::int as n from allocation where host_id = ${one!.id}`.execute(db())
    await Promise.all(takers)
    const { rows: after } = await sql<{
      n: number
    }>`select count(*)::int as n from allocation where host_id = ${one!.id}`.execute(db())
    // Nothing was placed there once the cordon had committed.
    expect(after[0]!.n).toBe(then[0]!.n)
    expect(late.every(({ host }) => host.toString() !== one!.id)).toBe(true)
    expect(await stock()).toMatchObject({ largest: expect.any(Number) })
  }
})

test('the same where cards are simulated and only the row of the host is counted', async () => {
  await tell(hostOf('one', null, { machines: 500 }))
  const [one] = await hosts()
  const takers = Array.from({ length: 12 }, async () => {
    for (let n = 0; n < 4; n++) await deploy(1).catch(() => null)
  })
  await close(one!.id)
  const count = async () => (await hosts())[0]!.machines_taken
  const then = await count()
  await Promise.all(takers)
  expect(await count()).toBe(then)
  expect(await why(deploy(1))).toBe('cordoned')
  expect(await stock()).toMatchObject({ free: 0 })
  await open(one!.id)
  await deploy(1)
})

test('what has a place keeps it and may start in it, until the host is drained; what is stopped elsewhere starts elsewhere', async () => {
  await tell(hostOf('one', cardsOf('one', 4)), hostOf('two', cardsOf('two', 4)))
  const paidUntil = new Date(Date.now() + 86_400_000).toISOString()
  const term = await deploy(1, 'A40', { paidUntil })
  const hourly = await deploy(1)
  expect(hourly.host).toBe(term.host)
  await set(term, 'stopped')
  await set(hourly, 'stopped')
  await close(term.host)
  expect(await stock()).toEqual({ free: 4, largest: 4 })
  expect(await why(start(hourly, 1))).toBe('cordoned')
  await start(term, 1)
  expect((await deploy(1)).host).not.toBe(term.host)
  await set(term, 'stopped')
  await drain(term.host)
  expect(await why(start(term, 1))).toBe('cordoned')
  await open(term.host)
  await start(term, 1)
  await start(hourly, 1)
})

test('a card that comes free on a cordoned host, or comes back with it, is not given before it is open', async () => {
  const one = hostOf('one', cardsOf('one', 2))
  await tell(one)
  const box = await deploy(2)
  await close(box.host)
  await set(box, 'terminated')
  await tell()
  await tell(one)
  expect(await stock()).toEqual({ free: 0, largest: 0 })
  expect(await why(deploy(1))).toBe('cordoned')
  await open(box.host)
  expect(await stock()).toEqual({ free: 2, largest: 2 })
})

test('no volume is made on a cordoned host, wherever it is asked for, and none is pinned to it', async () => {
  await tell(hostOf('one', cardsOf('one', 1), { diskBytes: 900 * gibibyte }))
  const box = await deploy(1)
  const driver = places.driver()
  const free = () => sql<{ host: bigint }>`select host_for_disk(${driver}, 50) as host`.execute(db())
  const { rows: owners } = await sql<{
    user_id: string
  }>`select user_id from gpu_instances where id = ${box.id}`.execute(db())
  const insert = (host: bigint) =>
    sql`insert into network_volumes (id, user_id, name, size_gb, region, driver, host_id, month_micro, created_at, updated_at)
      values (${newId()}, ${owners[0]!.user_id}, 'copy', 50, 'US-East', ${driver}, ${host}, 1, ${now()}, ${now()})`.execute(
      db(),
    )
  expect((await free()).rows[0]!.host).toBe(box.host)
  await insert(box.host)
  await close(box.host)
  await expect(free()).rejects.toMatchObject({ code: 'IN410' })
  await expect(insert(box.host)).rejects.toMatchObject({ code: 'IN410', detail: 'cordoned' })
  await open(box.host)
  await insert(box.host)
})
