import type { Instance } from '@ingot/contracts/instances'
import { parseUsd } from '@ingot/contracts/money'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { deleteAccount } from '../accounts/delete-account.ts'
import { newId } from '../db/ids.ts'
import { a40 } from '../instances/test-rows.ts'
import { type TestUser, until, useTestServer } from '../product/test-server.ts'
import { listMail } from '../worker/mail.ts'

const server = useTestServer()
const hour = 3_600_000
const db = () => server.services.database.kysely

const reach = ({ client }: TestUser, id: string, status: Instance['status']) =>
  until(
    () => client.instances.get({ id }),
    each => each.status === status,
  )
const balance = async ({ client }: TestUser) => parseUsd((await client.wallet.get()).balance_usd)
async function deploy(user: TestUser, changes: Parameters<typeof a40>[0] = {}): Promise<string> {
  const { id } = await user.client.instances.create(a40({ auto_shutdown_enabled: false, ...changes }))
  if (changes.start !== false) await reach(user, id, 'running')
  return id
}
/** The subjects of the mails to a user, the oldest first, once nothing is due. */
async function mails(user: TestUser): Promise<string[]> {
  server.services.signals.send('notice')
  await until(
    async () =>
      (
        await sql<{
          n: number
        }>`select count(*)::int as n from notice where user_id = ${user.id} and due_at <= now()`.execute(db())
      ).rows[0]!.n,
    n => n === 0,
  )
  const all = await listMail(db(), server.services.vault)
  return all
    .filter(({ to }) => to === `${user.id}@example.com`)
    .map(({ subject }) => subject)
    .toReversed()
}
/** Two more are told within a quarter of an hour: not in a test. */
const forgetPauses = (user: TestUser) =>
  sql`update notice set sent_at = null where user_id = ${user.id}`.execute(db())

test('what draws on a budget that stops ends at the last millisecond it covers, and nothing is charged beyond', async () => {
  const user = await server.user('20')
  const id = await deploy(user, { budget: { limit: '1.5', at_limit: 'stop' } })
  const { started_at } = await user.client.instances.get({ id })
  await server.advance(5 * hour)
  const stopped = await reach(user, id, 'stopped')
  expect(stopped).toMatchObject({
    status_reason: 'budget_reached',
    status_message:
      'Stopped because its budget of $1.50 is used up. The disk is kept; with a larger budget it can start again.',
  })
  // The first hour was prepaid; a second one costs what is left, and the next micro-dollar 4.8 ms.
  expect(Date.parse(stopped.stopped_at!) - Date.parse(started_at!) - 2 * hour).toBeOneOf([0, 1, 2, 3, 4])
  expect(await balance(user)).toBe(18_500_000n)
  expect((await user.client.budgets.get()).instances).toEqual([
    {
      instance_id: id,
      name: 'box',
      limit: '1.500000',
      at_limit: 'stop',
      spent: '1.500000',
      left: '0.000000',
      used_percent: 100,
      period_start: stopped.created_at,
      period_end: null,
      reached_at: stopped.stopped_at,
    },
  ])
  expect(await mails(user)).toContain('"box" stopped: a budget is used up')
  const [fact] = (await user.client.activity.usageLogs({ instance_id: id })).items.filter(
    ({ action }) => action === 'instance_stopped',
  )
  expect(fact!.message).toBe('Its budget is used up.')

  await expect(user.client.instances.start({ id })).rejects.toMatchObject({
    code: 'budget_exceeded',
    message: "The instance's budget of $1.50 has $0.00 left. Starting needs ten minutes in advance: $0.13",
    fields: { instance_budget: 'has $0.00 of $1.50 left' },
  })
  await user.client.budgets.set({ instance_id: id, limit: '1.70' })
  await user.client.instances.start({ id })
  await reach(user, id, 'running')
})

test('a stop finds the budget used up before, and says so', async () => {
  const user = await server.user('20')
  const id = await deploy(user)
  await server.advance(hour + 1_000)
  await user.client.budgets.set({ instance_id: id, limit: '0.80' })
  const { clock } = server.services
  // Past the budget, and no timer comes round before the stop.
  await clock.advance(db(), 10 * 60_000)
  await sql`update look_source set observed_at = ${clock.iso()}`.execute(server.owner)
  const stopped = await user.client.instances.stop({ id })
  expect(stopped).toMatchObject({ status_reason: 'budget_reached' })
  expect(await balance(user)).toBe(19_200_000n)
  await reach(user, id, 'stopped')
})

test('the account’s budget refuses a deploy that it does not cover, ends what runs in its month, and begins anew with the next', async () => {
  const user = await server.user('100')
  const { clock } = server.services
  const first = new Date(clock.now())
  const end = Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + 1)
  await user.client.budgets.set({ instance_id: null, limit: '2' })
  const id = await deploy(user)
  await deploy(user, { start: false })
  await expect(user.client.instances.create(a40())).rejects.toMatchObject({
    code: 'budget_exceeded',
    fields: { account_budget: expect.stringMatching(/^has \$0\.(50|49) of \$2\.00 left$/) as string },
  })
  await expect(user.client.instances.clone({ id, start: true })).rejects.toMatchObject({
    code: 'budget_exceeded',
  })
  await server.advance(4 * hour)
  const stopped = await reach(user, id, 'stopped')
  expect(stopped.status_message).toMatch(
    /^Stopped because the account's budget of \$2\.00 for \w+ \d{4} is used up\./,
  )
  expect(await balance(user)).toBe(98_000_000n)
  expect(await mails(user)).toContain('"box" stopped: a budget is used up')
  const { account } = await user.client.budgets.get()
  expect(account).toMatchObject({
    spent: '2.000000',
    used_percent: 100,
    period_end: new Date(end).toISOString(),
  })

  await server.advance(end - clock.now())
  expect((await user.client.budgets.get()).account).toMatchObject({
    spent: '0.000000',
    left: '2.000000',
    period_start: new Date(end).toISOString(),
    reached_at: null,
  })
  await user.client.instances.start({ id })
  await reach(user, id, 'running')
})

test('a deploy that starts leaves ten minutes of what runs in the account’s budget, as in the balance', async () => {
  const user = await server.user('20')
  await deploy(user)
  await server.advance(hour + 60_000)
  // $0.76 are spent: with $0.75 more, less than the $0.13 of ten minutes are left.
  await user.client.budgets.set({ instance_id: null, limit: '1.60' })
  await expect(user.client.instances.create(a40())).rejects.toMatchObject({
    code: 'budget_exceeded',
    message: expect.stringMatching(/This costs \$0\.75 at once, beside \$0\.13 for what runs$/) as string,
  })
  const waiting = await deploy(user, { start: false })
  // Its own ten minutes are prepaid: it takes nothing of what is left.
  await user.client.instances.start({ id: waiting })
  await reach(user, waiting, 'running')
})

test('one that is lowered below what is spent stops at once, and one that only warns stops nothing', async () => {
  const user = await server.user('20')
  const id = await deploy(user)
  await server.advance(hour + 60_000)
  await user.client.budgets.set({ instance_id: null, limit: '0.5', at_limit: 'warn' })
  expect((await user.client.instances.get({ id })).status).toBe('running')
  const all = await user.client.budgets.set({ instance_id: null, limit: '0.5' })
  expect(all.account).toMatchObject({ left: '0.000000', reached_at: expect.any(String) as string })
  expect((await user.client.instances.get({ id })).status_reason).toBe('budget_reached')
  await reach(user, id, 'stopped')
  const left = await balance(user)
  await server.advance(hour)
  expect(await balance(user)).toBe(left)
})

test('half, four fifths and all of a budget are told, each once, and again of another budget', async () => {
  const user = await server.user('20')
  const id = await deploy(user)
  await user.client.budgets.set({ instance_id: id, limit: '2', at_limit: 'warn' })
  for (let halves = 0; halves < 6; halves++) {
    await server.advance(hour / 2)
    await mails(user)
    await forgetPauses(user)
  }
  const used = (subject: string) => subject.includes('of a budget is used')
  const told = ['50% of a budget is used', '80% of a budget is used', '100% of a budget is used']
  expect((await mails(user)).filter(used)).toEqual(told)
  await user.client.budgets.set({ instance_id: id, limit: '4', at_limit: 'warn' })
  await server.advance(1.5 * hour)
  expect((await mails(user)).filter(used)).toEqual([...told, '80% of a budget is used'])
})

test('a deploy that its own budget does not cover is refused at the field, and leaves nothing', async () => {
  const user = await server.user('20')
  await expect(
    user.client.instances.create(a40({ budget: { limit: '0.74', at_limit: 'stop' } })),
  ).rejects.toMatchObject({
    code: 'budget_exceeded',
    fields: { budget: 'must be at least $0.75, which is paid at once' },
  })
  expect(await balance(user)).toBe(20_000_000n)
  expect((await user.client.instances.list()).items).toEqual([])
})

test('a budget of nothing, of too much, of another’s instance or of one that is gone is refused', async () => {
  const [user, other] = [await server.user('5'), await server.user('5')]
  const id = await deploy(user, { start: false })
  for (const limit of ['0', '0.000000', '1000001', '-1', '1e3', '1.0000001'])
    await expect(user.client.budgets.set({ instance_id: id, limit })).rejects.toMatchObject({
      code: 'validation_failed',
      fields: { limit: expect.any(String) as string },
    })
  for (const instance_id of [id, newId()])
    await expect(other.client.budgets.set({ instance_id, limit: '5' })).rejects.toMatchObject({
      code: 'not_found',
    })
  await user.client.instances.delete({ id })
  await expect(user.client.budgets.set({ instance_id: id, limit: '5' })).rejects.toMatchObject({
    code: 'not_found',
  })
})

test('what comes back of a deploy makes room again, and removing a budget frees what it held', async () => {
  const user = await server.user('20')
  await user.client.budgets.set({ instance_id: null, limit: '1' })
  const id = await deploy(user, { start: false })
  await expect(user.client.instances.create(a40({ start: false }))).rejects.toMatchObject({
    code: 'budget_exceeded',
  })
  await user.client.instances.delete({ id })
  expect((await user.client.budgets.get()).account).toMatchObject({ spent: '0.000000' })
  await deploy(user, { start: false })
  expect((await user.client.budgets.set({ instance_id: null, limit: null })).account).toBeNull()
  await deploy(user, { start: false })
})

test('of deploys at once no more succeed than the budget covers, while it is changed', async () => {
  const user = await server.user('100')
  await user.client.budgets.set({ instance_id: null, limit: '2.30' })
  const answers = await Promise.allSettled([
    ...Array.from({ length: 12 }, () => user.client.instances.create(a40({ start: false }))),
    user.client.budgets.set({ instance_id: null, limit: '2.40' }),
    user.client.budgets.set({ instance_id: null, limit: '2.50' }),
  ])
  expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(3 + 2)
  expect(await balance(user)).toBe(97_750_000n)
})

test('an account that is deleted takes its budgets along', async () => {
  const user = await server.user('20')
  const id = await deploy(user, { budget: { limit: '5', at_limit: 'stop' } })
  await user.client.budgets.set({ instance_id: null, limit: '10' })
  expect(id).toBeTruthy()
  await deleteAccount(server.services, user.id, { by: user.id, balance: 'refund' })
  const { rows } = await sql`select from budget where user_id = ${user.id}`.execute(db())
  expect(rows).toEqual([])
})
