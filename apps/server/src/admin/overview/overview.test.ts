/** The cards and the decisions of the administration. */
import { randomBytes } from 'node:crypto'
import type { Client } from '@ingot/sdk/client'
import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import { deleteAccount } from '../../accounts/delete-account.ts'
import { newId } from '../../db/ids.ts'
import { a40 } from '../../instances/test-rows.ts'
import { countMoney } from '../../ledger/testing/count-money.ts'
import { until, useTestServer } from '../../product/test-server.ts'

const server = useTestServer()
const db = () => server.services.database.kysely
const day = 86_400_000
let admin: Client

beforeAll(async () => {
  const user = await server.user()
  await sql`insert into user_roles (user_id, role) values (${user.id}, 'admin')`.execute(db())
  admin = user.client
})

test('the cards count what there is now and at the end of each day', async () => {
  const users = await Promise.all([server.user('25'), server.user('25')])
  const { id } = await users[0]!.client.instances.create(a40())
  await until(
    () => users[0]!.client.instances.get({ id }),
    each => each.status === 'running',
  )
  const volume = await users[0]!.client.volumes.create({ name: 'Data', size_gb: 10, region: 'US-East' })
  // A volume is made for half a minute, from whenever its driver has heard of it.
  await until(
    async () => {
      await server.advance(2_000)
      return users[0]!.client.volumes.get({ id: volume.id })
    },
    each => each.status === 'available',
  )
  await users[1]!.client.support.create({ title: 'Help', content: 'Please.' })
  const first = await admin.admin.overview({})
  expect(first).toMatchObject({
    users: { total: 3, since_yesterday: 3 },
    instances: { total: 1, running: 1 },
    volumes: { total: 1, sold_gb: 10 },
    payments: { pending: 0, held: 0, oldest_at: null },
    tickets: { open: 1, waiting_for_person: 1 },
  })
  for (const { days } of [
    first.users,
    first.instances,
    first.volumes,
    first.payments,
    first.tickets,
    first.revenue,
  ])
    expect(days).toHaveLength(30)
  expect(first.users.days.slice(-2)).toEqual([0, 3])
  expect(first.instances.days.slice(-2)).toEqual([0, 1])
  expect(first.instances.gpus_free).toBeGreaterThan(0)

  await server.advance(3 * day)
  await users[0]!.client.instances.delete({ id })
  await users[0]!.client.volumes.delete({ id: volume.id })
  await deleteAccount(server.services, users[1]!.id, { by: users[1]!.id, balance: 'forfeit' })
  await until(
    () => admin.admin.overview({}),
    ({ instances, volumes }) => instances.total === 0 && volumes.total === 0,
  )
  const later = await admin.admin.overview({})
  expect(later.instances.days.slice(-5)).toEqual([0, 1, 1, 1, 0])
  expect(later.volumes.days.slice(-5)).toEqual([0, 1, 1, 1, 0])
  // Accounts bear real time: on a clock that was moved all of them are of today.
  expect(later.users.total).toBe(2)
  expect(later.users.days.at(-1)).toBe(2)
  // Its ticket went with the account.
  expect(later.tickets.open).toBe(0)
})

test('the net is what was earned, by day, whether it was counted or not', async () => {
  const { revenue } = await admin.admin.overview({})
  const { rows } = await sql<{ earned: string; today: string }>`
    select usd(sum(micro)::bigint) as earned, usd(coalesce(sum(micro) filter (where day = (business_now() at time zone 'UTC')::date), 0)::bigint) as today
    from (select day_of(t) as day, case when to_account = 2 then amount_micro else -amount_micro end as micro
      from ledger_transfer t where 2 in (from_account, to_account)) each`.execute(server.owner)
  expect(Number(revenue.net)).toBeGreaterThan(40)
  expect([revenue.net, revenue.today]).toEqual([rows[0]!.earned, rows[0]!.today])
  const sum = revenue.days.reduce((micro, amount) => micro + Math.round(Number(amount) * 1e6), 0)
  expect(sum).toBe(Math.round(Number(revenue.net) * 1e6))
  await countMoney(server.owner)
  expect((await admin.admin.overview({})).revenue).toEqual(revenue)
})

test('decisions are held payments, machines that are not heard of and tickets that wait, each the oldest first', async () => {
  const user = await server.user('25')
  const payment = async (usd: number, minutes: number) => {
    const id = newId()
    await sql`select credit_deposit(${id}, 'devnet', ${randomBytes(32)}, 0, ${user.id}, 1, now(), ${randomBytes(20)}, ${randomBytes(20)},
      ${usd * 1_000_000}, 10000000, 19, business_now(), 100000000)`.execute(server.owner)
    await sql`update chain_deposit set created_at = now() - ${minutes} * interval '1 minute' where id = ${id}`.execute(
      server.owner,
    )
    return id
  }
  const [late, early] = [await payment(200, 5), await payment(300, 60)]
  await payment(50, 70)
  const waits = await user.client.support.create({ title: 'It is gone', content: 'Where?', priority: 'high' })
  const answered = await user.client.support.create({ title: 'Solved', content: 'Thanks' })
  await admin.support.staffSend({ id: answered.id, content: 'Welcome' })
  await sql`insert into host_outage (host_id, from_at) select id, business_now() from host order by id limit 1 on conflict do nothing`.execute(
    server.owner,
  )
  const { items } = await admin.admin.decisions({})
  expect(items.filter(({ kind }) => kind === 'payment')).toMatchObject([
    {
      id: early,
      user_email: `${user.id}@example.com`,
      amount_usdt: '300.000000',
      reason: 'review',
      can_decide: true,
    },
    { id: late, amount_usdt: '200.000000' },
  ])
  expect(items.filter(({ kind }) => kind === 'machine')).toMatchObject([
    { title: expect.any(String), instances: 0, can_decide: false },
  ])
  expect(items.filter(({ kind }) => kind === 'ticket')).toMatchObject([
    { id: waits.id, title: 'It is gone', priority: 'high' },
  ])
  expect(items.map(({ kind }) => kind)).toEqual(['payment', 'payment', 'machine', 'ticket'])

  expect((await admin.payments.list({ can_decide: true })).items.map(({ id }) => id).toSorted()).toEqual(
    [early, late].toSorted(),
  )
  const [found] = (
    await admin.payments.list({ search: early.slice(0, 23), can_decide: true, user_id: user.id })
  ).items.filter(({ id }) => id === early)
  expect(found).toMatchObject({ user_email: `${user.id}@example.com` })
  const hash = found!.tx_hash
  expect(
    (await admin.payments.list({ search: `0x${hash.slice(0, 9).toUpperCase()}` })).items.map(({ id }) => id),
  ).toEqual([early])
  expect((await admin.payments.list({ search: `${user.id}@exam` })).items).toHaveLength(3)
  await admin.payments.approve({ id: early })
  expect(
    (await admin.admin.decisions({})).items.filter(({ kind }) => kind === 'payment').map(({ id }) => id),
  ).toEqual([late])
  expect((await admin.admin.overview({})).payments).toMatchObject({ pending: 1, held: 1 })
  await sql`delete from host_outage`.execute(server.owner)
})
