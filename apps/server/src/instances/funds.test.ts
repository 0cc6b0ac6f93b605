import { coversStart, startNeedsMicro } from '@ingot/contracts/instance-costs'
import type { Instance } from '@ingot/contracts/instances'
import { formatUsd, parseUsd } from '@ingot/contracts/money'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { newId } from '../db/ids.ts'
import { type TestUser, until, useTestServer } from '../product/test-server.ts'
import { a40 } from './test-rows.ts'

const server = useTestServer()
const hour = 3_600_000
const tenMinutes = 125_000n

const reach = ({ client }: TestUser, id: string, status: Instance['status']) =>
  until(
    () => client.instances.get({ id }),
    each => each.status === status,
  )
const balance = async ({ client }: TestUser) => parseUsd((await client.wallet.get()).balance_usd)

/** A user with this many A40 at $0.75 an hour that run, their first hours used up. */
async function pastTheFirstHour(count: number): Promise<{ user: TestUser; ids: string[] }> {
  const user = await server.user('100')
  const ids: string[] = []
  for (let n = 0; n < count; n++) ids.push((await user.client.instances.create(a40({ name: `box-${n}` }))).id)
  for (const id of ids) await reach(user, id, 'running')
  await server.advance(hour + 1_000)
  return { user, ids }
}
async function stop(user: TestUser, id: string): Promise<void> {
  await user.client.instances.stop({ id })
  await reach(user, id, 'stopped')
}
/** Leaves `micro` in the wallet; what runs goes on drawing on it, a few micro-dollars while a test looks. */
async function leave(user: TestUser, micro: bigint): Promise<void> {
  const at = server.services.clock.iso()
  await sql`select debit_wallet(${user.id}, ${(await balance(user)) - micro}, 'Spent', ${newId()}, ${at})`.execute(
    server.owner,
  )
}
/** What the console would say of a start, by the same rule, from what the API answers. */
async function consoleSays(user: TestUser, id: string): Promise<boolean> {
  const { balance_usd, start_reserve } = await user.client.wallet.get()
  const instance = await user.client.instances.get({ id })
  return coversStart(
    parseUsd(balance_usd),
    parseUsd(start_reserve),
    startNeedsMicro(instance, new Date(server.services.clock.now())),
  )
}
const slack = 10_000n

test('the wallet answers while the dearest instance of the catalogue runs', async () => {
  const user = await server.user('1000')
  const { client } = user
  const { id } = await client.instances.create(a40({ gpu_type: 'H100', gpu_count: 8, data_storage_gb: 1000 }))
  await reach(user, id, 'running')
  const { empty_at, spending_per_hour } = await client.wallet.get()
  expect(spending_per_hour).toBe('32.925000')
  expect(Date.parse(empty_at!) - server.services.clock.now()).toBeGreaterThan(30 * hour)
})

test('of ten stopped instances started at once, as many start as the money covers for ten minutes together', async () => {
  const { user, ids } = await pastTheFirstHour(10)
  for (const id of ids) await stop(user, id)
  await leave(user, 3n * tenMinutes + slack)
  const results = await Promise.allSettled(ids.map(id => user.client.instances.start({ id })))
  expect(results.filter(result => result.status === 'fulfilled')).toHaveLength(3)
  const refused = results.flatMap(result => (result.status === 'rejected' ? [result.reason as unknown] : []))
  for (const reason of refused)
    expect(reason).toMatchObject({
      code: 'insufficient_funds',
      message: expect.stringContaining('ten minutes'),
    })
  const started = ids.filter((_, n) => results[n]!.status === 'fulfilled')
  for (const id of started) await reach(user, id, 'running')
})

test('what is prepaid for an instance covers it, and nothing else', async () => {
  const { user, ids } = await pastTheFirstHour(1)
  const waiting = await user.client.instances.create(a40({ start: false }))
  await stop(user, ids[0]!)
  await leave(user, tenMinutes - 1n)
  expect(await consoleSays(user, ids[0]!)).toBe(false)
  await expect(user.client.instances.start({ id: ids[0]! })).rejects.toMatchObject({
    code: 'insufficient_funds',
    message: 'Insufficient funds in wallet. Starting needs ten minutes in advance: $0.13',
  })
  expect(await consoleSays(user, waiting.id)).toBe(true)
  await user.client.instances.start({ id: waiting.id })
  await reach(user, waiting.id, 'running')
  await expect(user.client.instances.start({ id: ids[0]! })).rejects.toMatchObject({
    code: 'insufficient_funds',
  })
})

test('a start leaves ten minutes for what runs, and the console judges by the same figures', async () => {
  const { user, ids } = await pastTheFirstHour(2)
  await stop(user, ids[0]!)
  await leave(user, 2n * tenMinutes - 1n)
  expect((await user.client.wallet.get()).start_reserve).toBe(formatUsd(tenMinutes))
  expect(await consoleSays(user, ids[0]!)).toBe(false)
  await expect(user.client.instances.start({ id: ids[0]! })).rejects.toMatchObject({
    message:
      'Insufficient funds in wallet. Starting needs ten minutes in advance: $0.13, beside $0.13 for what runs',
  })
  await sql`select credit_wallet(${user.id}, ${slack}, 'Gift', ${newId()}, ${server.services.clock.iso()})`.execute(
    server.owner,
  )
  expect(await consoleSays(user, ids[0]!)).toBe(true)
  await user.client.instances.start({ id: ids[0]! })
})

test('a deploy and a clone that start leave ten minutes for what runs; as stopped they need their price alone', async () => {
  const { user, ids } = await pastTheFirstHour(1)
  const { client } = user
  await leave(user, 750_000n + tenMinutes - 1n)
  const refusal = {
    code: 'insufficient_funds',
    message: 'Insufficient funds in wallet. Beside the charge, ten minutes of what runs must be left: $0.13',
  }
  await expect(client.instances.create(a40())).rejects.toMatchObject(refusal)
  await expect(client.instances.clone({ id: ids[0]!, start: true })).rejects.toMatchObject(refusal)
  expect((await client.instances.list()).items).toHaveLength(1)
  await client.instances.clone({ id: ids[0]!, start: false })
  expect((await client.instances.list()).items).toHaveLength(2)
})

test('a restart counts what else runs, and one that is refused says what it needs and changes nothing', async () => {
  const { user, ids } = await pastTheFirstHour(2)
  await leave(user, 2n * tenMinutes - 1n)
  await expect(user.client.instances.restart({ id: ids[0]! })).rejects.toMatchObject({
    code: 'insufficient_funds',
    message:
      'Insufficient funds in wallet. Restarting needs ten minutes in advance: $0.13, beside $0.13 for what runs',
  })
  expect((await user.client.instances.get({ id: ids[0]! })).status).toBe('running')
})

test.each([
  ['stop', /^Instance stopped but couldn't charge \$0\.75 for usage\. Please add funds to your wallet\.$/],
  ['restart', /^Couldn't charge \$0\.75 for usage before restart\. Please add funds to your wallet\.$/],
] as const)(
  'a %s that finds less than was used says how much; it is no debt, and nothing is refused for it later',
  async (verb, words) => {
    const { user, ids } = await pastTheFirstHour(1)
    const { client } = user
    const id = ids[0]!
    await leave(user, 750_000n)
    // The timer has not come round yet when the owner asks.
    await sql`update wallets set due_at = null where user_id = ${user.id}`.execute(server.owner)
    // It was looked at a moment ago: a look that comes after a gap would have settled it.
    const { database, clock } = server.services
    await clock.advance(database.kysely, 2 * hour)
    await sql`update meter set seen_at = ${clock.iso()} where id = ${id}`.execute(server.owner)
    const answer = await client.instances[verb]({ id })
    expect(answer).toMatchObject({ status: 'stopping', status_reason: 'balance_empty' })
    expect(answer.status_message).toMatch(words)
    expect((await client.wallet.get()).balance_usd).toBe('0.000000')
    await reach(user, id, 'stopped')
    expect((await client.activity.usageLogs({ instance_id: id })).items.map(log => log.message)).toContain(
      answer.status_message,
    )
    expect((await client.billing.summary()).pending).toBe('0.000000')
    await sql`select credit_wallet(${user.id}, ${2n * tenMinutes}, 'Gift', ${newId()}, ${server.services.clock.iso()})`.execute(
      server.owner,
    )
    await client.instances.start({ id })
    await reach(user, id, 'running')
    expect(await balance(user)).toBeGreaterThan(tenMinutes)
  },
)
