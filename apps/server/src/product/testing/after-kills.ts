/** Users who work while something is killed, and what must be true of each afterwards. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createClient } from '@ingot/sdk/client'
import { sql } from 'kysely'
import { expect } from 'vitest'
import type { Db } from '../../db/database.ts'
import { until } from '../test-server.ts'
import { createWorker, type Load, type Worker } from './load.ts'

export const serviceKey = 'service-key-of-the-test-that-is-long-enough'
const password = 'correct horse'

/** A user of a product that has this key. */
export async function signUp(url: string, i: number, load: Load = {}): Promise<Worker> {
  const call = async <T>(path: string, body: object): Promise<T> => {
    const response = await fetch(`${url}/auth/v1${path}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${serviceKey}`,
        apikey: serviceKey,
        'content-type': 'application/json',
      },
      body: JSON.stringify(body),
    })
    if (!response.ok) throw new Error(`${path}: ${await response.text()}`)
    return (await response.json()) as T
  }
  const email = `user-${i}@example.com`
  const { id } = await call<{ id: string }>('/admin/users', { email, password, email_confirm: true })
  const { access_token } = await call<{ access_token: string }>('/token?grant_type=password', {
    email,
    password,
  })
  return createWorker(url, id, access_token, load)
}

export const postmaster = (dir: string) =>
  Number(readFileSync(join(dir, 'postgres/postmaster.pid'), 'utf8').split('\n')[0])

export async function backends(db: Db): Promise<number[]> {
  const { rows } = await sql<{ pid: number }>`
    select pid from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()`.execute(
    db,
  )
  return rows.map(({ pid }) => pid)
}

/** Until no instance is on its way, nobody waits while a machine is free, and each payment that was made has arrived. */
export async function settled(db: Db, workers: readonly Worker[], machines: number): Promise<void> {
  const paid = workers.flatMap(worker => worker.paid)
  await until(
    async () =>
      (
        await sql<{ moving: number; queued: number; waiting: number }>`
          select (select count(*)::int from gpu_instances where status in ('starting', 'stopping')) as moving,
            (select count(*)::int from instance_queue where blocked is null and (select count(*) from allocation) < ${machines}::float8) as queued,
            ${paid.length} - (select count(*)::int from chain_deposit
              where encode(txid, 'hex') = any(${paid}) and state = 'credited') as waiting`.execute(db)
      ).rows[0]!,
    ({ moving, queued, waiting }) => moving === 0 && queued === 0 && waiting === 0,
    60_000,
  )
}

export async function expectKept(url: string, db: Db, worker: Worker): Promise<void> {
  const { id, client, writes, instances, paid, paidInDoubt } = worker
  const read = async () =>
    (
      await sql<{
        id: string
        name: string
        status: string
        status_reason: string | null
        waits: boolean
        deployed: boolean
      }>`
        select id, name, status, status_reason, exists (select from instance_queue where instance_id = i.id) as waits,
          exists (select from meter where id = i.id) as deployed
        from gpu_instances i where user_id = ${id} order by id`.execute(db)
    ).rows
  const rows = await read()
  const wantedOf = ({ status, waits }: (typeof rows)[number]) => (waits ? 'running' : status)
  const why = JSON.stringify(rows.filter(row => row.status_reason !== null))
  expect(
    Object.fromEntries(rows.map(row => [row.id, { name: row.name, wanted: wantedOf(row) }])),
    `with their reasons: ${why}`,
  ).toEqual(Object.fromEntries(instances))
  // What left the queue without a deploy was charged nothing.
  const never = rows.filter(({ deployed }) => !deployed)
  expect(never.every(({ status, waits }) => waits || status === 'terminated')).toBe(true)
  const counted = await sql<{ code: string; count: number }>`
    select code::text, count(*)::int from ledger_transfer where user_id = ${id} and code in ('deploy', 'return')
    group by code`.execute(db)
  const deployed = counted.rows.find(({ code }) => code === 'deploy')?.count ?? 0
  expect(deployed).toBe(instances.size - never.length)

  // Each write again with its key: the answer of then, and nothing is done.
  for (const { send, key, answer } of writes) expect(await send({ idempotencyKey: key })).toEqual(answer)
  const again = await read()
  expect(again).toEqual(rows)

  const { items } = await client.wallet.deposits({ limit: 100 })
  expect(items.filter(({ tx_hash }) => paid.includes(tx_hash))).toHaveLength(paid.length)
  expect(items.length - paid.length).toBeGreaterThanOrEqual(0)
  expect(items.length - paid.length).toBeLessThanOrEqual(paidInDoubt)
  if (worker.minutes !== null)
    expect(await client.accounts.settings()).toMatchObject({ auto_shutdown_minutes: worker.minutes })
  if (worker.apiKey !== null) {
    const byKey = createClient({ baseUrl: url, token: () => worker.apiKey })
    expect((await byKey.wallet.get()).user_id).toBe(id)
  }
}
