import { usageActions } from '@ingot/contracts/activity'
import { builtInTemplates } from '@ingot/contracts/templates'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { type TestUser, useTestServer } from '../product/test-server.ts'

const server = useTestServer({ worker: false })
const db = () => server.services.database.kysely
const make = ({ client }: TestUser, name: string) =>
  client.instances.create({
    name,
    template_id: builtInTemplates[0]!.id,
    gpu_type: 'A40',
    gpu_count: 1,
    region: 'US-East',
    system_storage_gb: 40,
    data_storage_gb: 100,
    billing_period: 'hourly',
    start: false,
  })

/** Older than the newest hundred: what a page alone would never reach. */
async function bury({ id }: TestUser): Promise<void> {
  await sql`insert into event (user_id, type, subject_id, data, at)
    select ${id}, 'api_key.revealed', null, '{}', now() - interval '2 days' from generate_series(1, 120)`.execute(
    db(),
  )
}
const fact = ({ id }: TestUser, type: string, subject: string, data: object) =>
  sql`insert into event (user_id, type, subject_id, data, at) values (${id}, ${type}, ${subject}, ${JSON.stringify(data)}, now())`.execute(
    db(),
  )

describe('the filters', () => {
  test('match a kind, one action, or all, however far back it is', async () => {
    const user = await server.user('10')
    await make(user, 'llama')
    await bury(user)
    const actions = async (input: Parameters<typeof user.client.activity.usageLogs>[0]) =>
      (await user.client.activity.usageLogs(input)).items.map(log => log.action)
    expect(await actions({})).toHaveLength(100)
    expect(await actions({ kind: 'instance' })).toEqual(['instance_created'])
    expect(await actions({ kind: 'volume' })).toEqual([])
    expect(await actions({ kind: 'user' })).toHaveLength(100)
    expect(await actions({ action: 'instance_created' })).toEqual(['instance_created'])
    expect(await actions({ action: 'instance_created', kind: 'user' })).toEqual([])
    for (const action of usageActions) expect(await actions({ action })).toEqual(expect.any(Array))
  })

  test('search in label, name, id and message, in any case, however far back it is', async () => {
    const user = await server.user('10')
    const { id } = await make(user, 'Llama 100%')
    await fact(user, 'instance.stopped', id, { name: 'Llama 100%', reason: 'balance_empty' })
    await fact(user, 'instance.start_failed', id, { name: 'Llama 100%', message: 'No disk is free' })
    await bury(user)
    const found = async (search: string) =>
      (await user.client.activity.usageLogs({ search })).items.map(log => log.action)
    expect(await found('LLAMA 100%')).toHaveLength(3)
    expect(await found(id)).toHaveLength(3)
    expect(await found('instance created')).toEqual(['instance_created'])
    expect(await found('instance_created')).toEqual(['instance_created'])
    expect(await found(' the balance reached zero ')).toEqual(['instance_stopped'])
    expect(await found('no disk')).toEqual(['instance_start_failed'])
    expect(await found('api key revealed')).toHaveLength(100)
    expect(await found('h200')).toEqual([])
  })
})

test('the summary counts everything, and today where the reader is', async () => {
  const user = await server.user('10')
  const { id } = await make(user, 'counted')
  await bury(user)
  expect(await user.client.activity.summary()).toEqual({
    total: 121,
    today: 1,
    instance_events: 1,
    storage_events: 0,
  })
  // 30 minutes ago was yesterday where the day began a quarter of an hour ago.
  await sql`update event set at = now() - interval '30 minutes' where subject_id = ${id}`.execute(db())
  const sinceMidnightUtc = Math.floor((server.services.clock.now() % 86_400_000) / 60_000)
  const toQuarterPast = ((15 - sinceMidnightUtc + 720 + 1440) % 1440) - 720
  expect((await user.client.activity.summary({ utc_offset_minutes: toQuarterPast })).today).toBe(0)
  expect((await user.client.activity.summary({ utc_offset_minutes: toQuarterPast + 60 })).today).toBe(1)
})

test('every instance one ever had can be picked, also a deleted one, and nobody else’s', async () => {
  const [user, stranger] = [await server.user('200'), await server.user('10')]
  await make(stranger, 'box-of-another')
  const oldest = await make(user, 'box-oldest')
  const deleted = await make(user, '50%_box')
  for (let n = 0; n < 110; n++) await make(user, `box-${n}`)
  await user.client.instances.delete({ id: deleted.id })
  await sql`update gpu_instances set status = 'terminated' where id = ${deleted.id}`.execute(db())
  const names = async (search: string) =>
    (await user.client.activity.instances({ search })).items.map(({ name }) => name)
  expect(await names('OLDEST')).toEqual(['box-oldest'])
  expect(await names(oldest.id)).toEqual(['box-oldest'])
  expect(await names('%_')).toEqual(['50%_box'])
  expect((await user.client.activity.instances({ search: deleted.id })).items).toEqual([
    { id: deleted.id, name: '50%_box', is_deleted: true },
  ])
  const all: string[] = []
  for (let cursor: string | undefined, more = true; more;) {
    const page = await user.client.activity.instances({ limit: 50, ...(cursor ? { cursor } : {}) })
    all.push(...page.items.map(({ name }) => name))
    cursor = page.next_cursor ?? undefined
    more = cursor !== undefined
  }
  expect(all).toHaveLength(112)
  expect(await user.client.instances.summary()).toEqual({ total: 111, running: 0, stopped_by_balance: 0 })
})
