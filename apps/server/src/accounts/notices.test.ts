import type { Fault } from '@ingot/compute/simulated/faults'
import { createSimulatedDriver } from '@ingot/compute/simulated/driver'
import type { Driver } from '@ingot/compute/driver'
import type { UserSettings } from '@ingot/contracts/accounts'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import type { DriverName } from '../config.ts'
import { newId } from '../db/ids.ts'
import { a40, refOf } from '../instances/test-rows.ts'
import { type TestUser, until, useTestServer } from '../product/test-server.ts'
import { listMail } from '../worker/mail.ts'

const hour = 3_600_000
const phone = () => `49151${Math.floor(Math.random() * 1e9)}`

let machines: Driver
const faults: Fault[] = []
const server = useTestServer({
  drivers: now => {
    machines = createSimulatedDriver({
      dir: null,
      now,
      startMs: 0,
      stopMs: 0,
      restartStartMs: 0,
      faults,
    })
    return new Map<DriverName, Driver>([['simulated', machines]])
  },
})

/** Its SMS provider cannot be reached. */
const unreachable = useTestServer({
  env: {
    INGOT_SMS_URL: 'http://127.0.0.1:1',
    INGOT_SMS_ACCOUNT: 'a',
    INGOT_SMS_TOKEN: 't',
    INGOT_SMS_FROM: '+4930123456',
  },
})

const db = () => server.services.database.kysely

/** What the user was told, oldest first, once nothing more is due for them. */
async function told(user: TestUser) {
  server.services.signals.send('notice')
  await until(
    async () =>
      (
        await sql<{ n: number }>`select count(*)::int as n from notice
          where user_id = ${user.id} and due_at <= now()`.execute(db())
      ).rows[0]!.n,
    n => n === 0,
  )
  const { rows } = await sql<{
    phone: string | null
  }>`select phone from auth_user where id = ${user.id}`.execute(db())
  const all = await listMail(db(), server.services.vault)
  return all
    .filter(each => each.to === `${user.id}@example.com` || each.to === `+${rows[0]!.phone}`)
    .toReversed()
}
const subjects = async (user: TestUser) => (await told(user)).map(each => each.subject || each.text)

/**
 * Moves the clock by an hour or more and waits until all of the user that fell due is done: with a second more, also what
 * is due so long after it was settled a moment ago. What runs is charged up to its last look until it is looked at again,
 * and nothing is due in between; a round that was under way at the leap would put the next one off by half a minute.
 */
async function pass(user: TestUser, ms: number): Promise<void> {
  const { clock, signals } = server.services
  const then = clock.iso(ms)
  await server.advance(ms + 1_000)
  await until(
    async () => {
      await sql`update driver_round set due_at = ${clock.iso()} where due_at > ${clock.iso()}`.execute(db())
      signals.send('driver_round')
      const { rows } = await sql<{ n: string }>`
        select (select count(*) from wallets where user_id = ${user.id} and due_at <= ${clock.iso()})
          + (select count(*) from gpu_instances where user_id = ${user.id} and due_at <= ${clock.iso()})
          + (select count(*) from meter where user_id = ${user.id} and is_running and metered_to < ${then}) as n`.execute(
        db(),
      )
      return Number(rows[0]!.n)
    },
    left => left === 0,
  )
}
async function running(user: TestUser, changes: Parameters<typeof a40>[0] = {}): Promise<string> {
  const { id } = await user.client.instances.create(a40({ auto_shutdown_enabled: false, ...changes }))
  await until(
    () => user.client.instances.get({ id }),
    each => each.status === 'running',
  )
  return id
}
/** Credited at once, as a deposit is. */
const credit = (user: TestUser, usd: number) =>
  sql`select credit_wallet(${user.id}, ${usd * 1_000_000}, 'more', ${newId()}, ${server.services.clock.iso()}),
    refresh_wallet_due(${user.id}, ${server.services.clock.iso()})`.execute(server.owner)
const aDayLater = (user: TestUser) =>
  sql`update notice set sent_at = sent_at - interval '25 hours' where user_id = ${user.id}`.execute(db())
const choose = (user: TestUser, changes: Partial<UserSettings>) =>
  user.client.accounts.updateSettings(changes)
async function withPhone(user: TestUser): Promise<void> {
  await sql`update auth_user set phone = ${phone()}, phone_confirmed_at = now() where id = ${user.id}`.execute(
    db(),
  )
  await choose(user, { sms_notifications: true })
}

const low = 'Your Ingot balance is below $100'
const ending = 'Your Ingot balance will be used up within 24 hours'
const stopped = 'Instance "box" stopped: your Ingot balance is used up'

test('the fall below the good level is told once, and again after the balance rose and fell', async () => {
  const user = await server.user('101.5')
  await running(user)
  await pass(user, hour)
  expect(await subjects(user)).toEqual([])
  await pass(user, 2 * hour)
  const [letter, ...others] = await told(user)
  expect(others).toEqual([])
  expect(letter).toMatchObject({ subject: low })
  expect(letter!.text).toMatch(/^Your balance was \$99\.\d\d on \d+ \w+ \d{4}, \d\d:\d\d UTC\./)
  const origin = server.services.config.publicUrl
  expect(letter!.links).toEqual([`${origin}/console/billing`, `${origin}/console/settings#notifications`])
  await pass(user, hour)
  await aDayLater(user)
  await pass(user, 2 * hour)
  expect(await subjects(user)).toEqual([low])
  await credit(user, 4)
  await pass(user, hour)
  expect(await subjects(user)).toEqual([low])
  await pass(user, 5 * hour)
  expect(await subjects(user)).toEqual([low, low])
})

test('a balance that was never good has not fallen', async () => {
  const user = await server.user('60')
  await running(user)
  await pass(user, 3 * hour)
  expect(await subjects(user)).toEqual([])
})

test('the end within a day is told once by mail and text, then what it stopped; nothing again on later settlements', async () => {
  const user = await server.user('22')
  await withPhone(user)
  await running(user)
  expect(await subjects(user)).toEqual([])
  await pass(user, 6 * hour)
  await pass(user, hour)
  await aDayLater(user)
  await pass(user, hour)
  const warned = await told(user)
  expect(warned.map(each => each.kind).toSorted()).toEqual(['mail', 'sms'])
  const mail = warned.find(each => each.kind === 'mail')!
  expect(mail.subject).toBe(ending)
  expect(mail.text).toMatch(
    /Your balance was \$\d+\.\d\d on .* last until \w{3} \d+ \w+ \d{4}, \d\d:\d\d UTC\. Then "box" stops; disks are kept\. To go on for 24 hours takes \$18\.00: \$0\.\d\d more than there is\.\n/,
  )
  expect(warned.find(each => each.kind === 'sms')!.text).toMatch(
    /^Ingot: your balance of \$\d+\.\d\d and what is prepaid last until .* Add funds: http.*\/console\/billing /,
  )
  await pass(user, 40 * hour)
  const end = (await told(user)).slice(2)
  expect(end.map(each => each.kind).toSorted()).toEqual(['mail', 'sms'])
  expect(end.find(each => each.kind === 'mail')).toMatchObject({ subject: stopped })
  expect(end.find(each => each.kind === 'sms')!.text).toContain('used up. Stopped: "box". Disks are kept.')
  await pass(user, 48 * hour)
  expect(await told(user)).toHaveLength(4)
})

test('after a deposit the end is told anew; a stop and a start tell it once a day', async () => {
  const user = await server.user('10')
  const id = await running(user)
  expect(await subjects(user)).toEqual([ending])
  const stopAndStart = async () => {
    await user.client.instances.stop({ id })
    await until(
      () => user.client.instances.get({ id }),
      each => each.status === 'stopped',
    )
    await user.client.instances.start({ id })
    await until(
      () => user.client.instances.get({ id }),
      each => each.status === 'running',
    )
  }
  await stopAndStart()
  expect(await subjects(user)).toEqual([ending])
  await sql`update notice set queued_at = queued_at - interval '25 hours' where user_id = ${user.id}`.execute(
    db(),
  )
  await stopAndStart()
  expect(await subjects(user)).toEqual([ending, ending])
  await credit(user, 20)
  await pass(user, hour)
  expect(await subjects(user)).toHaveLength(2)
  await pass(user, 16 * hour)
  expect(await subjects(user)).toEqual([ending, ending, ending])
})

test('the last hour and the last ten minutes are told when they begin, each by mail and text', async () => {
  const user = await server.user('5')
  await withPhone(user)
  await running(user)
  // Of the last day; a text may be slower than a mail.
  expect(await told(user)).toHaveLength(2)
  const { rows } = await sql<{ empty_at: string }>`
    select empty_at from read_wallet(${user.id}, ${server.services.clock.iso()}, 60)`.execute(db())
  const left = () => Date.parse(rows[0]!.empty_at) - server.services.clock.now()
  // What is looked at all along is charged up to each of these times.
  const seen = () => sql`update look_source set observed_at = ${rows[0]!.empty_at}`.execute(server.owner)
  await seen()
  await pass(user, left() - hour)
  const [first, second] = (await told(user)).slice(2)
  expect([first!.kind, second!.kind].toSorted()).toEqual(['mail', 'sms'])
  await pass(user, left() - 10 * 60_000)
  await pass(user, left())
  const all = await told(user)
  expect(all.filter(({ kind }) => kind === 'mail').map(({ subject }) => subject)).toEqual([
    ending,
    'Your Ingot balance will be used up within an hour',
    'Your Ingot balance will be used up within 10 minutes',
    stopped,
  ])
  expect(all.filter(({ kind }) => kind === 'sms')).toHaveLength(4)
})

test('what an empty balance stops at once is told in one mail', async () => {
  const user = await server.user('2')
  await choose(user, { usage_alerts: false })
  await running(user)
  await running(user, { name: 'train' })
  // As if both were looked at all along: the clock's leap leaves the looks behind, and they would come one by one.
  const { clock } = server.services
  await sql`update meter set seen_at = ${clock.iso(5 * hour)} where user_id = ${user.id}`.execute(
    server.owner,
  )
  await pass(user, 5 * hour)
  const [letter, ...others] = await told(user)
  expect(others).toEqual([])
  expect(letter!.subject).toBe('2 instances stopped: your Ingot balance is used up')
  expect(letter!.text).toMatch(/^"box", .* UTC$/m)
  expect(letter!.text).toMatch(/^"train", .* UTC$/m)
})

test('who switched all off is told nothing, and no text goes to a phone that was not confirmed', async () => {
  const user = await server.user('1')
  await choose(user, { email_notifications: false, usage_alerts: false })
  await withPhone(user)
  await sql`update auth_user set phone_confirmed_at = null where id = ${user.id}`.execute(db())
  await running(user)
  await pass(user, 3 * hour)
  await until(
    () => user.client.instances.list(),
    list => list.items.every(each => each.status === 'stopped'),
  )
  expect(await told(user)).toEqual([])
})

test('a lost machine and a start that failed are told; starts and stops that were asked for are not', async () => {
  const user = await server.user('80')
  const id = await running(user)
  await user.client.instances.stop({ id })
  await until(
    () => user.client.instances.get({ id }),
    each => each.status === 'stopped',
  )
  await user.client.instances.start({ id })
  await until(
    () => user.client.instances.get({ id }),
    each => each.status === 'running',
  )
  expect(await subjects(user)).toEqual([])
  await machines.destroy(await refOf(machines, id))
  await pass(user, 60_000)
  faults.push({ call: 'create', kind: 'fail', failure: 'rejected', times: 3 })
  const failed = await user.client.instances.create(a40({ name: 'big', gpu_type: 'H100' }))
  const { status_message } = await until(
    () => user.client.instances.get({ id: failed.id }),
    each => each.status === 'stopped',
  )
  const letters = await told(user)
  expect(letters.map(each => each.subject).toSorted()).toEqual([
    'Instance "big" did not start',
    'Instance "box" stopped without being asked to',
  ])
  expect(letters.find(each => each.subject.includes('big'))!.text).toContain(status_message!)
  // A program that tries again and again gets one mail for all of it.
  for (let n = 0; n < 2; n++) {
    await user.client.instances.start({ id: failed.id })
    await until(
      () => user.client.instances.get({ id: failed.id }),
      each => each.status === 'stopped',
    )
  }
  expect(await told(user)).toHaveLength(2)
  await sql`update notice set due_at = now() where user_id = ${user.id} and due_at is not null`.execute(db())
  expect((await subjects(user)).at(-1)).toBe('2 instances did not start')
})

test('a text that cannot be sent is tried four times and then given up; the mail goes all the same', async () => {
  const { services } = unreachable
  const user = await unreachable.user()
  await sql`update auth_user set phone = ${phone()}, phone_confirmed_at = now() where id = ${user.id}`.execute(
    services.database.kysely,
  )
  await choose(user, { sms_notifications: true })
  for (const channel of ['mail', 'sms'])
    await sql`select queue_notice(${user.id}, 'balance_empty', ${channel}, ${{ at: services.clock.iso(), name: 'box' }})`.execute(
      services.database.kysely,
    )
  const text = () =>
    services.database.kysely
      .selectFrom('notice')
      .select(['attempts', 'due_at', 'sent_at', 'items'])
      .where('user_id', '=', user.id)
      .where('channel', '=', 'sms')
      .executeTakeFirstOrThrow()
  for (const attempts of [1, 2, 3]) {
    services.signals.send('notice')
    const row = await until(text, each => each.attempts === attempts)
    expect(Date.parse(row.due_at!)).toBeGreaterThan(Date.now() + 50_000)
    await sql`update notice set due_at = now() where user_id = ${user.id} and due_at is not null`.execute(
      services.database.kysely,
    )
  }
  services.signals.send('notice')
  expect(await until(text, each => each.due_at === null)).toMatchObject({ sent_at: null, items: [] })
  const mails = await listMail(services.database.kysely, services.vault)
  expect(mails.map(each => each.subject)).toEqual([stopped])
})
