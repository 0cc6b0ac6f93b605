/** Maintenance, over every operation of the contract, and in another server of the same database. */
import { api } from '@ingot/contracts/api'
import { inQuery, type Operation, stopsInMaintenance } from '@ingot/contracts/operation'
import type { Client } from '@ingot/sdk/client'
import { sql } from 'kysely'
import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import { a40 } from '../../instances/test-rows.ts'
import { type TestUser, until, useTestServer } from '../../product/test-server.ts'
import { openPosted } from './posted.ts'

const server = useTestServer()
const db = () => server.services.database.kysely
const operations = Object.values(api).flatMap(noun => Object.values(noun) as Operation[])
const text = 'We move the database. Back at 10:00 UTC'
let admin: Client
let customer: TestUser
const tokens: Record<string, string> = {}

beforeAll(async () => {
  const user = await server.user()
  await sql`insert into user_roles (user_id, role) values (${user.id}, 'admin')`.execute(db())
  admin = user.client
  customer = await server.user('50')
  Object.assign(tokens, { admin: user.token, customer: customer.token })
})
afterEach(async () => {
  await off()
})

const posted = () => server.services.posted.now('console').maintenance
async function on(more: { planned_end?: string } = {}): Promise<void> {
  await admin.site.setMaintenance({ is_on: true, text, reason: 'A larger machine', ...more })
  await until(
    async () => posted(),
    now => now !== null,
  )
}
async function off(): Promise<void> {
  await admin.site.setMaintenance({ is_on: false, reason: 'Done' })
  await until(
    async () => posted(),
    now => now === null,
  )
}

/** What goes on, written out by hand: a change of the contract is a change of this. */
const goOn = [
  'cancelImport',
  'cancelWithdrawal',
  'cancelWithdrawalByLink',
  'deleteInstance',
  'deleteInstancePort',
  'deleteInstanceSchedule',
  'deletePortShare',
  'deleteSnapshot',
  'deleteSshKey',
  'deleteVolume',
  'downloadInstanceFile',
  'downloadVolumeFile',
  'dropUpload',
  'endOtherSessions',
  'endSession',
  'leaveQueue',
  'openInstancePort',
  'openTerminal',
  'revealApiKey',
  'revokeApiKey',
  'showSshPassword',
  'stopInstance',
  'unsubscribe',
]

describe('in maintenance', () => {
  test('each write of customers and visitors is refused with 503, its text and Retry-After; each read, each call of staff and what must go on is not', async () => {
    const isWrite = ({ method }: Operation) => method !== 'GET'
    const stopped = operations.filter(stopsInMaintenance)
    const ofCustomers = operations.filter(op => isWrite(op) && ['public', 'user', 'session'].includes(op.who))
    expect(
      ofCustomers
        .filter(op => !stopped.includes(op))
        .map(({ id }) => id)
        .toSorted(),
    ).toEqual(goOn)
    expect(stopped.length).toBeGreaterThan(40)
    await on()
    const outcome = async (op: Operation) => {
      const path = op.path
        .replace('{port}', '8888')
        .replace('{offset}', '0')
        .replace(/\{\w+\}/g, '01980000-0000-7000-8000-0000000000ff')
      const isInQuery = inQuery(op)
      // Its unknown field refuses what gets through, before anything is done.
      const response = await server.fetch(isInQuery ? `${path}?unknown=1` : path, {
        method: op.method,
        token: op.who === 'admin' || op.who === 'staff' ? tokens['admin'] : tokens['customer'],
        body: isInQuery ? undefined : '{"unknown":1}',
      })
      const { error } = (await response.json()) as { error: { code: string; message: string } }
      const after = response.headers.get('retry-after')
      return error.code === 'maintenance' ? `${response.status} ${error.message}, after ${after}` : error.code
    }
    const answers = await Promise.all(operations.map(async op => [op.id, await outcome(op)] as const))
    const expected = operations.map(op => [
      op.id,
      stopped.includes(op) ? `503 ${text}, after 300` : 'validation_failed',
    ])
    expect(answers).toEqual(expected)
  })

  test('what runs goes on and is charged, it can be stopped and deleted, and a deposit is credited', async () => {
    const machine = await customer.client.instances.create(a40())
    const running = () => customer.client.instances.get({ id: machine.id })
    await until(running, ({ status }) => status === 'running')
    const { walletAddress: address } = await customer.client.wallet.usdtConfig()
    await on()
    const before = Number((await customer.client.wallet.get()).balance_usd)
    await server.advance(2 * 3_600_000)
    const spent = before - Number((await customer.client.wallet.get()).balance_usd)
    expect(spent).toBeGreaterThan(0.7)
    await server.faucet(address, '25')
    await until(
      () => customer.client.wallet.get(),
      wallet => Number(wallet.balance_usd) > before - spent + 24,
    )
    await expect(customer.client.instances.create(a40())).rejects.toMatchObject({
      code: 'maintenance',
      status: 503,
      message: text,
    })
    await customer.client.instances.stop({ id: machine.id })
    await until(running, ({ status }) => status === 'stopped')
    await customer.client.instances.delete({ id: machine.id })
  })

  test('signing in goes on', async () => {
    await on()
    const response = await server.fetch('/auth/v1/token?grant_type=password', {
      method: 'POST',
      body: JSON.stringify({ email: 'nobody@example.com', password: 'wrong horse battery' }),
    })
    expect(response.status).toBe(400)
  })

  test('another server of the database knows, also where no signal reaches it, and so does one that starts', async () => {
    const { clock, log } = server.services
    const silent = { send: () => {}, on: () => () => {}, close: async () => {} }
    const deaf = await openPosted({ db: db(), clock, log, signals: silent })
    const other = await openPosted({ db: db(), clock, log, signals: server.services.signals })
    const op = api.support.create
    expect(() => other.assertOpen(op)).not.toThrow()
    const began = Date.now()
    await admin.site.setMaintenance({ is_on: true, text, reason: 'A larger machine' })
    const knows = (of: typeof other) => async () => of.now('site').maintenance?.text
    await Promise.all([until(knows(other), now => now === text), until(knows(deaf), now => now === text)])
    expect(Date.now() - began).toBeLessThan(5_000)
    expect(() => other.assertOpen(op)).toThrow(text)
    const late = await openPosted({ db: db(), clock, log, signals: silent })
    expect(() => late.assertOpen(op)).toThrow(text)
    await Promise.all([deaf.close(), other.close(), late.close()])
  })

  test('Retry-After is the planned end, within reason; a change of words keeps the beginning; the audit log has it with its reason', async () => {
    const inMs = (ms: number) => new Date(server.services.clock.now() + ms).toISOString()
    const retryAfter = async () => {
      const response = await server.fetch('/v1/waitlist', { method: 'POST', body: '{}' })
      return [response.status, Number(response.headers.get('retry-after'))]
    }
    await on({ planned_end: inMs(600_000) })
    const [status, seconds] = await retryAfter()
    expect(status).toBe(503)
    expect(seconds).toBeGreaterThan(580)
    expect(seconds).toBeLessThanOrEqual(600)
    const { changed_at } = await admin.site.maintenance()
    await admin.site.setMaintenance({
      is_on: true,
      text,
      reason: 'It takes longer',
      planned_end: inMs(90_000_000),
    })
    expect((await admin.site.maintenance()).changed_at).toBe(changed_at)
    await until(retryAfter, ([, after]) => after === 3_600)
    await expect(
      admin.site.setMaintenance({ is_on: true, text, reason: 'x', planned_end: inMs(-1_000) }),
    ).rejects.toMatchObject({ fields: { planned_end: 'has passed' } })
    await off()
    await expect(admin.site.setMaintenance({ is_on: true, reason: 'x' })).rejects.toMatchObject({
      fields: { text: 'is required to begin maintenance' },
    })
    const { rows } = await sql<{ reason: string; before: object; after: object }>`
      select reason, before, after from audit_log where subject_kind = 'maintenance' order by id desc limit 2`.execute(
      db(),
    )
    expect(rows).toMatchObject([
      { reason: 'Done', before: { is_on: true }, after: { is_on: false } },
      { reason: 'It takes longer' },
    ])
  })
})
