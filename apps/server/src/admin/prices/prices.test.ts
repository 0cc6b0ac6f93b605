import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { a40 } from '../../instances/test-rows.ts'
import { type TestUser, useTestServer } from '../../product/test-server.ts'

const server = useTestServer({ worker: false })
const db = () => server.owner
const day = 86_400_000

async function administrator(): Promise<TestUser> {
  const user = await server.user()
  await sql`insert into user_roles (user_id, role) values (${user.id}, 'admin')`.execute(db())
  return user
}
const entries = async (operation: string) => {
  const { rows } = await sql<{ before: object; after: object; reason: string }>`
    select before, after, reason from audit_log where operation = ${operation} order by id`.execute(db())
  return rows
}
const dear = { hourly: '5', three_months: '9000', year: '20000' }
const inDays = (days: number) => new Date(server.services.clock.now() + days * day).toISOString()

test('every price is listed with its time; a new one is previewed, set for later, and taken back', async () => {
  const { client, id } = await administrator()
  const { business } = client
  const listed = await business.prices({ gpu_type: 'H100' })
  expect(listed.items).toMatchObject([
    { when: 'present', hourly: '4.100000', set_by: null, holds_until: null },
  ])
  const from = inDays(3)
  const preview = await business.previewPrice({ gpu_type: 'H100', ...dear, holds_from: from })
  expect(preview).toMatchObject({
    holds_from: from,
    before: { hourly: '4.100000' },
    after: { hourly: '5.000000', year: '20000.000000' },
    replaces: false,
    kept: { customers: 0, instances: 0 },
  })
  expect((await business.prices({ gpu_type: 'H100' })).items).toHaveLength(1)
  expect(
    await business.setPrice({ gpu_type: 'H100', ...dear, holds_from: from, reason: 'Power costs more' }),
  ).toMatchObject({ when: 'future', holds_from: from })
  const { email } = (await sql<{ email: string }>`select email from auth_user where id = ${id}`.execute(db()))
    .rows[0]!
  expect((await business.prices({ gpu_type: 'H100' })).items).toMatchObject([
    { when: 'future', hourly: '5.000000', set_by: email, reason: 'Power costs more' },
    { when: 'present', hourly: '4.100000', holds_until: from },
  ])
  expect((await business.prices({ when: 'future' })).items).toHaveLength(1)
  expect((await business.previewPrice({ gpu_type: 'H100', ...dear, holds_from: from })).replaces).toBe(true)
  await business.cancelPrice({ gpu_type: 'H100', holds_from: from, reason: 'Not now' })
  await expect(
    business.cancelPrice({ gpu_type: 'H100', holds_from: from, reason: 'Again' }),
  ).rejects.toMatchObject({ code: 'not_found' })
  await expect(
    business.cancelPrice({ gpu_type: 'H100', holds_from: '1970-01-01T00:00:00.000Z', reason: 'No' }),
  ).rejects.toMatchObject({ code: 'invalid_state' })
  expect(await entries('setPrice')).toMatchObject([
    {
      before: { hourly: '4.100000' },
      after: { hourly: '5.000000', holds_from: from },
      reason: 'Power costs more',
    },
  ])
  expect(await entries('cancelPrice')).toMatchObject([{ before: { hourly: '5.000000' }, reason: 'Not now' }])
})

test('a price holds from now on for deploys alone: what is there keeps what was agreed, and nobody pays what they were not shown', async () => {
  const { business } = (await administrator()).client
  const user = await server.user('100')
  await user.client.instances.create(a40({ gpu_type: 'L4', gpu_count: 2, name: 'kept' }))
  const shown = (await user.client.catalog.gpus()).items.find(({ name }) => name === 'L4')!
  const price = { gpu_type: 'L4', hourly: '0.7', three_months: '1082', year: '2672' }
  expect(await business.previewPrice(price)).toMatchObject({
    kept: { customers: 1, instances: 1, on_terms: 0, waiting: 0 },
    items: [
      {
        user_id: user.id,
        gpus: 2,
        agreed_per_hour: '1.220000',
        anew_per_hour: '1.220000',
        anew_then_per_hour: '1.400000',
      },
    ],
  })
  expect(await business.setPrice({ ...price, reason: 'Dearer' })).toMatchObject({
    when: 'present',
    hourly: '0.700000',
  })
  await expect(
    user.client.instances.create({
      ...a40({ gpu_type: 'L4', name: 'late' }),
      quoted_hourly_cost: shown.hourly_price,
    }),
  ).rejects.toMatchObject({ code: 'price_changed' })
  expect((await user.client.instances.list()).items).toMatchObject([
    { name: 'kept', hourly_cost: '1.220000' },
  ])
})

test('what a price may not be is said at its field, and nothing is set', async () => {
  const { business } = (await administrator()).client
  const refused = (more: object) =>
    business.setPrice({
      gpu_type: 'T4',
      hourly: '0.5',
      three_months: '600',
      year: '2000',
      reason: 'x',
      ...more,
    })
  await expect(refused({ hourly: '0' })).rejects.toMatchObject({ fields: { hourly: 'More than nothing' } })
  await expect(refused({ year: '4380.000001' })).rejects.toMatchObject({
    fields: { year: expect.stringContaining('$4380.00') },
  })
  await expect(refused({ holds_from: '2020-01-01T00:00:00.000Z' })).rejects.toMatchObject({
    fields: { holds_from: 'That has passed' },
  })
  await expect(refused({ gpu_type: 'None' })).rejects.toMatchObject({ code: 'not_found' })
  expect((await business.prices({ gpu_type: 'T4' })).items).toHaveLength(1)
})

test('of two who set a price for one time at once the last holds, and both are in the log', async () => {
  const admins = await Promise.all([administrator(), administrator()])
  const from = inDays(9)
  await Promise.all(
    admins.map(({ client }, n) =>
      client.business.setPrice({
        gpu_type: 'V100',
        ...dear,
        hourly: `${n + 4}`,
        three_months: '8000',
        holds_from: from,
        reason: `${n}`,
      }),
    ),
  )
  const [row] = (await admins[0]!.client.business.prices({ gpu_type: 'V100', when: 'future' })).items
  const log = (await entries('setPrice')).slice(-2)
  expect(log.map(({ reason }) => reason).toSorted()).toEqual(['0', '1'])
  expect(log[1]).toMatchObject({ reason: row!.reason, after: { hourly: row!.hourly } })
})

test('cards that were seen without a price are sold under a name, once', async () => {
  const { business } = (await administrator()).client
  const model = 'NVIDIA Odd (1) 96GB'
  await sql`insert into driver_inventory values ('far', now());
    `.execute(db())
  const { rows } = await sql<{ id: bigint }>`
    insert into host (driver, name, machines, cpu_cores, memory_gb, has_cards) values ('far', 'one', 8, 64, 512, true) returning id`.execute(
    db(),
  )
  await sql`insert into card (uuid, host_id, model, memory_bytes) values ('GPU-odd', ${rows[0]!.id}, ${model}, 103079215104)`.execute(
    db(),
  )
  const wish = { model, name: 'Odd', vcpus: 16, ram_gb: 128, ...dear, reason: 'New cards' }
  await expect(business.sellCards({ ...wish, model: 'Nothing' })).rejects.toMatchObject({ code: 'not_found' })
  await expect(business.sellCards({ ...wish, name: 'A40' })).rejects.toMatchObject({ code: 'invalid_state' })
  expect(await business.sellCards(wish)).toMatchObject({
    gpu_type: 'Odd',
    hourly: '5.000000',
    is_on_sale: true,
  })
  const { rows: types } = await sql`
    select memory_gb, ${model} ~ patterns[1] as fits from gpu_type where name = 'Odd'`.execute(db())
  expect(types).toEqual([{ memory_gb: 96, fits: true }])
})
