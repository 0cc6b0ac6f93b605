/** What ran before places were rows has its place at its driver's first word, and loses nothing by it. */
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { inTransaction } from '../db/database.ts'
import { newId } from '../db/ids.ts'
import { migrate } from '../db/migrate.ts'
import { createOlderDatabase, openAsServer } from '../db/test-database.ts'
import { assertPlacesSound } from './audit-places.ts'
import { noteInventory } from './inventory.ts'
import { placeInstance } from './places.ts'

const gibibyte = 2 ** 30

test('what runs, or is paid in advance, is placed once and runs on, however little its host says it has', async () => {
  const older = await createOlderDatabase('0070')
  const user = newId()
  await older.pool.query('insert into auth_user (id) values ($1)', [user])
  const made = async (
    status: string,
    driver: string,
    paidUntil: string | null = null,
    ref: string | null = 'ref',
  ) => {
    const id = newId()
    await older.pool.query(
      `insert into gpu_instances (id, user_id, name, gpu_type, gpu_count, cpu_cores, memory_gb, system_storage_gb, data_storage_gb, status,
        region, hardware, shell, billing_period, hourly_cost_micro, paid_until, created_at, updated_at, driver, driver_ref, desired)
      values ($1, $2, 'box', 'A40', 2, 16, 96, 40, 100, $3, 'US-East', 'simulated', 'simulated', 'hourly', 1, $5, now(), now(), $4, $6, 'running')`,
      [id, user, status, driver, paidUntil, ref],
    )
    return id
  }
  const holds = [
    await made('running', 'sandbox'),
    await made('starting', 'sandbox', null, null),
    await made('stopping', 'sandbox'),
    await made('stopped', 'sandbox', '2100-01-01'),
  ]
  const pinned = await made('stopped', 'sandbox')
  const [fresh, lapsed] = [
    await made('stopped', 'sandbox', null, null),
    await made('stopped', 'sandbox', '2020-01-01', null),
  ]
  await made('terminated', 'sandbox')
  const elsewhere = await made('running', 'docker')
  await migrate(older.url)
  await using database = await openAsServer(older)
  const db = database.kysely
  const told = {
    id: 'here',
    machines: 3,
    cpuCores: 2,
    memoryBytes: gibibyte,
    diskBytes: 300 * gibibyte,
    cards: null,
  }
  const tell = (machines = told.machines) => noteInventory(db, 'sandbox', [{ ...told, machines }], 1)
  const rows = async () =>
    (
      await sql<{ id: string; status: string; is_pinned: boolean; is_held: boolean }>`
        select i.id, i.status, i.host_id is not null as is_pinned, a.instance_id is not null as is_held
        from gpu_instances i left join allocation a on a.instance_id = i.id`.execute(db)
    ).rows
  const before = (await rows()).map(({ id, status }) => `${id} ${status}`)
  await Promise.all([tell(), tell(), tell()])
  await assertPlacesSound(db)
  const after = await rows()
  expect(after.map(({ id, status }) => `${id} ${status}`).toSorted()).toEqual(before.toSorted())
  expect(
    after
      .filter(row => row.is_held)
      .map(({ id }) => id)
      .toSorted(),
  ).toEqual(holds.toSorted())
  expect(
    after
      .filter(row => row.is_pinned)
      .map(({ id }) => id)
      .toSorted(),
  ).toEqual([...holds, pinned].toSorted())
  for (const id of [fresh, lapsed, elsewhere])
    expect(after.find(row => row.id === id)).toMatchObject({ is_held: false })
  const { rows: hosts } =
    await sql`select machines, machines_taken, disk_gb, disk_gb_taken from host`.execute(db)
  expect(hosts).toEqual([{ machines: 3, machines_taken: 4, disk_gb: 300, disk_gb_taken: 5 * 140 }])

  const wish = {
    driver: 'sandbox',
    region: 'US-East',
    gpu_type: 'A40',
    gpu_count: 1,
    cpu_cores: 8,
    memory_gb: 48,
  }
  const place = (id: string, host_id: bigint | null) =>
    inTransaction(db, tx =>
      placeInstance(tx, { ...wish, id, storage_gb: 140, host_id }, new Date().toISOString(), null),
    )
  await expect(place(newId(), null)).rejects.toMatchObject({ reason: 'taken' })
  await sql`update gpu_instances set status = 'stopped' where id = any(${holds.slice(0, 2)}::uuid[])`.execute(
    db,
  )
  await expect(place(newId(), null)).rejects.toMatchObject({ reason: 'disk' })
  // A disk that is there already is no new one.
  const { rows: found } = await sql<{ id: bigint }>`select id from host`.execute(db)
  expect(await place(pinned, found[0]!.id)).toBe(found[0]!.id)
  await sql`update gpu_instances set status = 'running' where id = ${pinned}`.execute(db)
  await tell(2)
  await assertPlacesSound(db)
  expect((await rows()).filter(row => row.is_held)).toHaveLength(3)
})
