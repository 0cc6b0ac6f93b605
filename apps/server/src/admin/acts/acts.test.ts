/** What administrators do to instances and volumes: by their owners' rules, with their money, said to them and in the log. */
import type { Client } from '@ingot/sdk/client'
import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import { deleteAccount } from '../../accounts/delete-account.ts'
import { a40 } from '../../instances/test-rows.ts'
import { type TestUser, until } from '../../product/test-server.ts'
import { balanceOf, isGone, reach, reachInstance, running, testVolumes } from '../../volumes/test-volumes.ts'

const { server, made } = testVolumes()
const db = () => server.services.database.kysely
let admin: Client
let adminId: string
const reason = 'Asked for by phone'

beforeAll(async () => {
  const user = await server.user()
  await sql`insert into user_roles (user_id, role) values (${user.id}, 'admin')`.execute(db())
  admin = user.client
  adminId = user.id
})

const entries = async (subject: string) =>
  (
    await db()
      .selectFrom('audit_log')
      .select(['operation', 'subject_kind', 'before', 'after', 'reason', 'actor', 'user_id'])
      .where('subject_id', '=', subject)
      .orderBy('id')
      .execute()
  ).map(entry => ({ ...entry }))
const actors = async ({ client }: TestUser, id: string) =>
  (await client.activity.usageLogs({ instance_id: id })).items.map(
    ({ action, actor }) => `${action} ${actor}`,
  )

test('an instance that runs is stopped and one that is stopped is started, in no other state, and its owner is told by whom', async () => {
  const user = await server.user('25')
  const { id } = await running(user)
  await expect(admin.admin.startInstance({ id, reason })).rejects.toMatchObject({ code: 'invalid_state' })
  expect(await admin.admin.stopInstance({ id, reason })).toMatchObject({
    id,
    status: 'stopping',
    user_id: user.id,
  })
  await reachInstance(user, id, 'stopped')
  await expect(admin.admin.stopInstance({ id, reason })).rejects.toMatchObject({ code: 'invalid_state' })
  expect(await admin.admin.startInstance({ id, reason })).toMatchObject({ status: 'starting' })
  await reachInstance(user, id, 'running')
  expect(await actors(user, id)).toContain('instance_stopped staff')
  expect(await entries(id)).toMatchObject([
    {
      operation: 'stopAnyInstance',
      subject_kind: 'instance',
      actor: `staff:${adminId}`,
      user_id: user.id,
      reason,
      before: { status: 'running', act: null },
      after: { status: 'stopping', act: 'stop' },
    },
    {
      operation: 'startAnyInstance',
      before: { status: 'stopped' },
      after: { status: 'starting', act: 'start' },
    },
  ])
  await user.client.instances.stop({ id })
})

test('a start takes its owner’s money and is refused like theirs', async () => {
  const user = await server.user('1')
  const { id } = await user.client.instances.create(a40({ start: false }))
  await sql`select debit_wallet(${user.id}, 250000, 'All of it', gen_random_uuid(), business_now())`.execute(
    server.owner,
  )
  await sql`select return_prepaid(${id}, business_now()), debit_wallet(${user.id}, 750000, 'The rest', gen_random_uuid(), business_now())`.execute(
    server.owner,
  )
  await expect(admin.admin.startInstance({ id, reason })).rejects.toMatchObject({
    code: 'insufficient_funds',
  })
  expect(await entries(id)).toEqual([])
})

test('an instance is deleted in any state, once, and what was prepaid returns to its owner', async () => {
  const user = await server.user('25')
  const before = Number(await balanceOf(user))
  const { id } = await user.client.instances.create(a40({ start: false }))
  expect(Number(await balanceOf(user))).toBeLessThan(before)
  await admin.admin.deleteInstance({ id, reason })
  expect(Number(await balanceOf(user))).toBe(before)
  await until(
    () => admin.admin.instance({ id }),
    each => each.status === 'terminated',
  )
  for (const act of [admin.admin.deleteInstance, admin.admin.startInstance, admin.admin.stopInstance])
    await expect(act({ id, reason })).rejects.toMatchObject({ code: 'invalid_state' })
  expect(await actors(user, id)).toContain('instance_deleted staff')
  expect((await admin.admin.instanceUsageLog({ id })).items[0]).toMatchObject({
    action: 'instance_deleted',
    actor: 'staff',
  })
  expect(await entries(id)).toMatchObject([{ operation: 'deleteAnyInstance', after: { act: 'delete' } }])
})

test('of an administrator and the owner who stop at once one does it, and it is charged once', async () => {
  for (let n = 0; n < 4; n++) {
    const user = await server.user('25')
    const { id } = await running(user)
    const results = await Promise.allSettled([
      admin.admin.stopInstance({ id, reason }),
      user.client.instances.stop({ id }),
    ])
    expect(results.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
    await reachInstance(user, id, 'stopped')
    expect((await actors(user, id)).filter(line => line.startsWith('instance_stopped'))).toHaveLength(1)
    const isOfStaff = results[0]!.status === 'fulfilled'
    expect(await entries(id)).toHaveLength(isOfStaff ? 1 : 0)
  }
})

test('a volume is detached and deleted, also off what runs, with an entry each', async () => {
  const user = await server.user('60')
  const volume = await made(user)
  const box = await running(user)
  await user.client.volumes.attach({ id: volume.id, instance_id: box.id })
  expect(await admin.admin.detachVolume({ id: volume.id, reason })).toMatchObject({
    status: 'available',
    instance_id: null,
  })
  await expect(admin.admin.detachVolume({ id: volume.id, reason })).rejects.toMatchObject({
    code: 'invalid_state',
  })
  await user.client.volumes.attach({ id: volume.id, instance_id: box.id })
  expect(await admin.admin.deleteVolume({ id: volume.id, reason })).toMatchObject({ status: 'deleting' })
  await isGone(user, volume.id)
  await expect(admin.admin.deleteVolume({ id: volume.id, reason })).rejects.toMatchObject({
    code: 'not_found',
  })
  expect(
    (await entries(volume.id)).map(({ operation, before, after, reason: why }) => [
      operation,
      before,
      after,
      why,
    ]),
  ).toMatchObject([
    [
      'detachAnyVolume',
      { status: 'in-use', instance_id: box.id },
      { status: 'available', act: 'detach' },
      reason,
    ],
    ['deleteAnyVolume', { status: 'in-use' }, { act: 'detach' }, reason],
    ['deleteAnyVolume', { status: 'in-use' }, { status: 'deleting', act: 'delete' }, reason],
  ])
  expect(
    (await user.client.activity.usageLogs({ kind: 'volume' })).items
      .filter(({ action }) => action === 'volume_detached')
      .map(({ actor }) => actor),
  ).toEqual(['staff', 'staff'])
  await user.client.instances.delete({ id: box.id })
})

test('what belongs to a user who is deleted meanwhile is refused, not broken', async () => {
  const user = await server.user('60')
  const volume = await made(user)
  await reach(user, volume.id, 'available')
  const { id } = await running(user)
  await deleteAccount(server.services, user.id, { by: user.id, balance: 'forfeit' })
  await until(
    () => admin.admin.instance({ id }),
    each => each.status === 'terminated',
  )
  expect(await admin.admin.instance({ id })).toMatchObject({ user_email: null, name: 'deleted' })
  await expect(admin.admin.startInstance({ id, reason })).rejects.toMatchObject({ code: 'invalid_state' })
  await expect(admin.admin.deleteInstance({ id, reason })).rejects.toMatchObject({ code: 'invalid_state' })
})

test('no act is done without a reason', async () => {
  const user = await server.user('25')
  const { id } = await user.client.instances.create(a40({ start: false }))
  await expect(admin.admin.startInstance({ id, reason: ' ' })).rejects.toMatchObject({
    code: 'validation_failed',
  })
  await expect(admin.admin.deleteInstance({ id } as never)).rejects.toMatchObject({
    code: 'validation_failed',
  })
  await user.client.instances.delete({ id })
})
