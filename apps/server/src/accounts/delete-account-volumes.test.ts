/** What deleting an account does to its volumes and snapshots: what its screen says before. */
import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { a40 } from '../instances/test-rows.ts'
import { until } from '../product/test-server.ts'
import { data, day, second, testVolumes } from '../volumes/test-volumes.ts'
import { deleteAccount } from './delete-account.ts'

const volumes = testVolumes()
const { server, db, made, listed } = volumes

test('they are destroyed seven days later, their months return at once, and no row has their names', async () => {
  const user = await server.user('40')
  const secret = `set-${randomBytes(6).toString('hex')}`
  const volume = await made(user, { ...data, name: secret })
  const { id } = await user.client.volumes.takeSnapshot({ id: volume.id, name: `${secret}-snap` })
  await server.advance(10 * second)
  await until(
    () => user.client.volumes.snapshot({ id }),
    each => each.status === 'available',
  )
  const box = await user.client.instances.create(a40({ start: false }))
  await user.client.volumes.attach({ id: volume.id, instance_id: box.id })
  await user.client.volumes.detach({ id: volume.id })
  const { rows: closing } = await sql<{ asked: string }>`
    select usd(balance_after_closing(${user.id}, ${server.services.clock.iso()})) as asked`.execute(db())
  expect(Number(closing[0]!.asked)).toBeGreaterThan(39.9)

  await deleteAccount(server.services, user.id, { by: user.id, balance: 'refund' })
  const left = async () => {
    const { rows } = await sql<{ status: string; name: string }>`
      select status, name from network_volumes where user_id = ${user.id}
      union all select status, name from volume_snapshots where user_id = ${user.id}`.execute(db())
    return rows
  }
  expect(await left()).toEqual([
    { status: 'deleting', name: 'deleted' },
    { status: 'deleting', name: 'deleted' },
  ])
  const { rows: refunds } = await sql<{ usd: string }>`
    select usd(sum(amount_micro)::bigint) from refund_request where user_id = ${user.id}`.execute(db())
  expect(Number(refunds[0]!.usd)).toBeGreaterThan(39.9)
  const { rows: tables } = await sql<{ name: string }>`
    select tablename as name from pg_tables where schemaname = 'public' order by tablename`.execute(db())
  for (const { name } of tables) {
    const { rows } = await sql`select from ${sql.table(name)} t where t::text like ${`%${secret}%`}`.execute(
      db(),
    )
    expect(rows, name).toEqual([])
  }

  await server.advance(7 * day - 60 * second)
  expect(await left()).toHaveLength(2)
  expect(await listed()).toHaveLength(1)
  await server.advance(60 * second)
  await until(left, rows => rows.length === 0)
  expect(await listed()).toEqual([])
  const { rows: hosts } = await sql`select from host where disk_gb_taken <> 0`.execute(db())
  expect(hosts).toEqual([])
})
