/** Several servers have drivers of their own: each works on what it can. */
import { sql } from 'kysely'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { until, useTestServer } from '../../product/test-server.ts'
import { a40 } from '../test-rows.ts'

const server = useTestServer()
const db = () => server.services.database.kysely

test('a server leaves to others what it has no driver for, and says so when nobody takes it', async () => {
  const { client } = await server.user('25')
  const elsewhere = await client.instances.create(a40({ start: false }))
  const row = async () =>
    (
      await sql<{
        attempts: number
        lock_token: string | null
        status: string
        status_message: string | null
      }>`
        select attempts, lock_token, status, status_message from gpu_instances where id = ${elsewhere.id}`.execute(
        db(),
      )
    ).rows[0]!
  await sql`update gpu_instances set driver = 'docker:elsewhere', status = 'starting', desired = 'running',
    due_at = ${server.services.clock.iso()} where id = ${elsewhere.id}`.execute(db())
  await sql`insert into driver_round (driver) values ('docker:elsewhere')`.execute(db())
  for (const topic of ['gpu_instances', 'driver_round'] as const) server.services.signals.send(topic)

  // What it can do is done meanwhile.
  const here = await client.instances.create(a40())
  await until(
    async () => (await client.instances.get({ id: here.id })).status,
    status => status === 'running',
  )
  await sleep(300)
  expect(await row()).toMatchObject({ attempts: 0, lock_token: null, status: 'starting' })

  for (let n = 0; (await row()).status === 'starting' && n < 12; n++) {
    await server.services.clock.advance(db(), 31_000)
    server.services.signals.send('clock')
    await sleep(100)
  }
  expect(await row()).toMatchObject({
    status: 'stopped',
    // It never ran, and not for lack of anything of its owner's.
    status_message:
      'The docker:elsewhere driver is not available on this machine now. The $0.75 that was paid for it was returned to your wallet.',
  })
  const round = await sql<{
    attempts: number
  }>`select attempts from driver_round where driver = 'docker:elsewhere'`.execute(db())
  expect(round.rows).toEqual([{ attempts: 0 }])
})

test('a loop that leaves rows to others waits as if they were not there', async () => {
  const { client } = await server.user('25')
  const { id } = await client.instances.create(a40({ start: false }))
  await sql`update gpu_instances set driver = 'docker:elsewhere', status = 'stopping', desired = 'stopped',
    due_at = ${server.services.clock.iso()} where id = ${id}`.execute(db())
  server.services.signals.send('gpu_instances')
  await sleep(200)
  const claims = async () =>
    Number(
      (
        await sql<{
          n: bigint
        }>`select xact_commit as n from pg_stat_database where datname = current_database()`.execute(
          server.owner,
        )
      ).rows[0]!.n,
    )
  const before = await claims()
  await sleep(1_500)
  // At 20 ms a look there would be some 150.
  expect((await claims()) - before).toBeLessThan(100)
  await sql`update gpu_instances set due_at = null, status = 'stopped', driver = 'simulated' where id = ${id}`.execute(
    db(),
  )
})
