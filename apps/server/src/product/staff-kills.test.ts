/**
 * SIGKILL in what staff and the service do to many things at once: a suspension, a drain, automated replies. Each is done
 * whole after the next start, what ran is charged up to its stop and no further, and nobody is told anything twice.
 */
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from '@ingot/sdk/client'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Database, openDatabase } from '../db/database.ts'
import { a40 } from '../instances/test-rows.ts'
import { assertLedgerSound } from '../ledger/audit.ts'
import { embeddedUrl, type Product, signIn, startProduct } from './test-process.ts'
import { until } from './test-server.ts'
import { serviceKey, signUp } from './testing/after-kills.ts'
import type { Worker } from './testing/load.ts'

const isLong = process.env['INGOT_LONG_TESTS'] !== undefined
const moments = isLong ? [0, 40, 200] : [25]
const env = { INGOT_SERVICE_KEY: serviceKey, INGOT_REGIONS: '*=simulated', INGOT_LOG_LEVEL: 'fatal' }

interface Customer {
  readonly worker: Worker
  readonly email: string
  readonly ids: readonly string[]
}

describe('what staff do, and kills', { timeout: 180_000 }, () => {
  let dir: string
  let product: Product
  let database: Database
  let admin: { email: string; password: string }
  let staff: Client
  let customers = 0

  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'ingot-staff-kill-'))
    await chmod(dir, 0o711)
    product = await startProduct({ dir, env })
    admin = product.admin!
    database = openDatabase(embeddedUrl(dir))
    staff = await signIn(product.url, admin)
  }, 120_000)
  afterAll(async () => {
    await product?.stop()
    await database?.close()
    await rm(dir, { recursive: true, force: true })
  })

  async function killAfter(ms: number): Promise<void> {
    await sleep(ms)
    await product.kill()
    product = await startProduct({ dir, env })
    staff = await signIn(product.url, admin)
  }
  /** Asks, kills while it is asked, and asks again with the same key; the long form kills while it is carried out, too. */
  async function askAndKill(ask: (options: { idempotencyKey: string }) => Promise<unknown>, ms: number) {
    const options = { idempotencyKey: `act-${++customers}` }
    const lost = ask(options).catch(() => null)
    await killAfter(ms)
    await lost
    await ask(options)
    if (isLong) await killAfter(ms)
  }
  async function customer(instances: number): Promise<Customer> {
    const number = ++customers
    const email = `user-${number}@example.com`
    const worker = await signUp(product.url, number)
    await sql`select credit_wallet(${worker.id}, 100000000, 'funds', ${worker.id}, now())`.execute(
      database.kysely,
    )
    const ids: string[] = []
    for (let n = 0; n < instances; n++) ids.push((await worker.client.instances.create(a40())).id)
    if (ids.length === 0) return { worker, email, ids }
    await until(
      () => rowsOf(ids),
      rows => rows.every(row => row.status === 'running'),
      60_000,
    )
    return { worker, email, ids }
  }
  const rowsOf = (ids: readonly string[]) =>
    database.kysely.selectFrom('gpu_instances').selectAll().where('id', 'in', ids).execute()
  /** All are stopped for this, once each, and nothing is charged beyond it. */
  async function expectStopped(ids: readonly string[], why: string): Promise<void> {
    const rows = await until(
      () => rowsOf(ids),
      all => all.every(row => row.status === 'stopped'),
      60_000,
    )
    expect(rows.map(row => row.status_reason)).toEqual(ids.map(() => why))
    const { rows: stops } = await sql<{ subject_id: string; at: string }>`
      select subject_id, at from event where type = 'instance.stopped' and subject_id = any(${ids})`.execute(
      database.kysely,
    )
    expect(stops.map(stop => stop.subject_id).toSorted(), 'each is stopped once').toEqual(ids.toSorted())
    const { rows: late } = await sql`
      select from usage_line u join event e on e.subject_id = u.meter_id and e.type = 'instance.stopped'
      where u.meter_id = any(${ids}) and u.to_at > e.at`.execute(database.kysely)
    expect(late, 'charged beyond the stop').toEqual([])
    await assertLedgerSound(database.kysely)
  }

  test.each(moments)('killed %i ms into a suspension, all of it is done', async ms => {
    const { worker, ids } = await customer(3)
    await askAndKill(options => staff.people.suspend({ id: worker.id, reason: 'It mines.' }, options), ms)
    await expectStopped(ids, 'suspended')
    const { rows } = await sql<{ sessions: number; letters: number; noted: number; due_at: string | null }>`
      select (select count(*)::int from auth_session where user_id = ${worker.id}) as sessions,
        (select count(*)::int from event where user_id = ${worker.id} and type = 'account.suspended') as letters,
        (select count(*)::int from audit_log where subject_id = ${worker.id} and after ->> 'suspended' = 'true') as noted,
        s.due_at from suspension s where s.user_id = ${worker.id}`.execute(database.kysely)
    expect(rows).toEqual([{ sessions: 0, letters: 1, noted: 1, due_at: null }])
    await expect(worker.client.wallet.get()).rejects.toMatchObject({ status: 401 })
    await staff.people.reinstate({ id: worker.id, reason: 'It does not.' })
  })

  test.each(moments)('killed %i ms into a drain, the host is empty, and each is told once', async ms => {
    const all = [await customer(2), await customer(2), await customer(1)]
    const ids = all.flatMap(each => each.ids)
    const [host] = (await staff.catalog.hosts()).items
    const at = new Date().toISOString()
    await askAndKill(
      options =>
        staff.machines.drain({ id: host!.id, reason: 'A new fan.', at, short_notice: true }, options),
      ms,
    )
    await expectStopped(ids, 'maintenance')
    const { rows: told } = await sql<{ subject_id: string }>`
      select subject_id from event where type = 'instance.maintenance_planned' and subject_id = any(${ids})`.execute(
      database.kysely,
    )
    expect(told.map(each => each.subject_id).toSorted()).toEqual(ids.toSorted())
    const isOn = (subject: string) => subject.startsWith('Maintenance on')
    for (const { email, ids: theirs } of all) {
      const letters = await until(
        async () => (await staff.dev.mail()).items.filter(mail => mail.to === email),
        mails => mails.some(mail => isOn(mail.subject)),
      )
      expect(letters.map(mail => mail.subject).filter(isOn)).toEqual([
        expect.stringMatching(new RegExp(`: ${theirs.length} instances? of yours will stop$`)),
      ])
    }
    expect((await staff.machines.host({ id: host!.id })).maintenance?.state).toBe('drained')
    await staff.machines.uncordon({ id: host!.id, reason: 'The fan is in.' })
  })

  test.each(moments)('killed %i ms into automated replies, each message is answered once', async ms => {
    await staff.support.setAiSettings({ enabled: true, force_enabled: true })
    const { worker } = await customer(0)
    const ask = (content: string) => worker.client.support.create({ title: 'A question', content })
    const tickets = [
      await ask('Do I pay while my instance is stopped?'),
      await ask('How do I attach a volume?'),
      await ask('How do I add an SSH key?'),
    ]
    await killAfter(ms)
    if (isLong) await killAfter(ms)
    for (const { id } of tickets) {
      await until(
        async () =>
          database.kysely.selectFrom('support_replies').selectAll().where('ticket_id', '=', id).execute(),
        replies => replies.length === 1 && replies[0]!.outcome !== null,
        60_000,
      )
      const { items } = await worker.client.support.messages({ id })
      expect(items.map(message => [message.sender_type, message.is_automated])).toEqual([
        ['user', false],
        ['admin', true],
      ])
    }
    await staff.support.setAiSettings({ enabled: false })
  })
})
