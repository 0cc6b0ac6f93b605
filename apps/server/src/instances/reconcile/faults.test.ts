import { createSimulatedDriver } from '@ingot/compute/simulated/driver'
import type { Driver } from '@ingot/compute/driver'
import { expect, test } from 'vitest'
import { a40, machinesOf, refOf } from '../test-rows.ts'
import { until, useTestServer } from '../../product/test-server.ts'
import type { DriverName } from '../../config.ts'
import { newId } from '../../db/ids.ts'

let machines: Driver
const server = useTestServer({
  drivers: now => {
    machines = createSimulatedDriver({
      dir: null,
      now,
      startMs: 0,
      stopMs: 0,
      restartStartMs: 0,
      faults,
      capacity: { A40: 3, H100: 1 },
    })
    return new Map<DriverName, Driver>([['simulated', machines]])
  },
})
const faults: {
  call: 'create' | 'start' | 'stop' | 'destroy' | 'observe'
  kind: 'fail'
  failure: 'transient' | 'lost' | 'rejected'
  times?: number
  isApplied?: boolean
  message?: string
}[] = []

const reach = async (user: Awaited<ReturnType<typeof server.user>>, id: string, status: string) =>
  until(
    () => user.client.instances.get({ id }),
    each => each.status === status,
  )

test('a start that fails for good leaves a stopped instance that says why, charged nothing beyond what returns on delete', async () => {
  const user = await server.user('25')
  faults.push({ call: 'create', kind: 'fail', failure: 'rejected', message: 'This H100 is out of order.' })
  const { id } = await user.client.instances.create(a40({ gpu_type: 'H100' }))
  const stopped = await reach(user, id, 'stopped')
  expect(stopped).toMatchObject({
    status_reason: 'start_failed',
    status_message: expect.stringMatching(/H100/),
    prepaid_remaining: '4.100000',
  })
  expect((await user.client.activity.usageLogs()).items[0]).toMatchObject({
    action: 'instance_start_failed',
    message: stopped.status_message,
  })
  await user.client.instances.delete({ id })
  expect((await user.client.wallet.get()).balance_usd).toBe('25.000000')
})

test('failures that pass are survived: of create, start, stop and destroy, also when the work was done but the answer was lost', async () => {
  const user = await server.user('25')
  for (const call of ['create', 'start', 'stop', 'destroy'] as const) {
    faults.push(
      { call, kind: 'fail', failure: 'transient', times: 1 },
      { call, kind: 'fail', failure: 'transient', times: 1, isApplied: true },
    )
  }
  const { id } = await user.client.instances.create(a40())
  const drive = (status: string) =>
    until(
      async () => {
        await server.advance(2_000)
        return user.client.instances.get({ id })
      },
      each => each.status === status,
    )
  await drive('running')
  await user.client.instances.stop({ id })
  await drive('stopped')
  await user.client.instances.delete({ id })
  await until(
    async () => {
      await server.advance(2_000)
      return machinesOf(machines)
    },
    list => list.every(machine => machine.instanceId !== id),
  )
})

test('a stop, a restart and a delete that go on failing say so once, in the list and in the log, and are done in the end', async () => {
  const user = await server.user('25')
  const { client } = user
  const { id } = await client.instances.create(a40())
  await reach(user, id, 'running')
  const driveTo = (isThere: (each: Awaited<ReturnType<typeof client.instances.get>>) => boolean) =>
    until(async () => {
      await server.advance(4_000)
      return client.instances.get({ id })
    }, isThere)
  const fail = (call: 'stop' | 'destroy') =>
    faults.push({ call, kind: 'fail', failure: 'transient', times: 7, message: 'The host is busy.' })

  for (const verb of ['stop', 'restart'] as const) {
    fail('stop')
    await client.instances[verb]({ id })
    const says = await driveTo(each => each.status_reason === `${verb}_failed`)
    expect(says).toMatchObject({
      status: 'stopping',
      status_message: 'The host is busy. It is tried again by itself, and costs nothing meanwhile.',
    })
    const done = await driveTo(each => each.status === (verb === 'stop' ? 'stopped' : 'running'))
    expect(done).toMatchObject({ status_reason: null, status_message: null })
    if (verb === 'stop') {
      await client.instances.start({ id })
      await reach(user, id, 'running')
    }
  }
  fail('destroy')
  await client.instances.delete({ id })
  await driveTo(each => each.status_reason === 'delete_failed')
  await until(
    async () => {
      await server.advance(4_000)
      return client.instances.list()
    },
    list => list.items.length === 0,
  )
  const { items } = await client.activity.usageLogs({ instance_id: id })
  expect(items.map(({ action }) => action).filter(action => action.endsWith('_failed'))).toEqual([
    'instance_delete_failed',
    'instance_restart_failed',
    'instance_stop_failed',
  ])
})

test('a machine that went away by itself is noticed, and charged only up to when it was last seen', async () => {
  const user = await server.user('25')
  const { id } = await user.client.instances.create(a40())
  await reach(user, id, 'running')
  await machines.destroy(await refOf(machines, id))
  await server.advance(10 * 60_000)
  const lost = await reach(user, id, 'stopped')
  expect(lost).toMatchObject({ status_reason: 'lost' })
  expect(Date.parse(lost.stopped_at!) - Date.parse(lost.started_at!)).toBeLessThan(60_000)
  const spent = 0.75 - Number(lost.prepaid_remaining)
  expect(spent).toBeLessThan(0.75 / 60)
})

test('an instance deleted while it starts is destroyed when the start has ended, and costs nothing', async () => {
  const user = await server.user('25')
  // Keeps it starting until it is deleted.
  faults.push({ call: 'start', kind: 'fail', failure: 'transient', times: Infinity })
  const { id } = await user.client.instances.create(a40())
  await user.client.instances.delete({ id })
  faults.length = 0
  await until(
    async () => {
      await server.advance(2_000)
      return machinesOf(machines)
    },
    list => list.every(machine => machine.instanceId !== id),
  )
  expect((await user.client.wallet.get()).balance_usd).toBe('25.000000')
})

test('machines that no instance stands behind are swept once two rounds have found them, others never', async () => {
  const user = await server.user('25')
  const { id } = await user.client.instances.create(a40())
  await reach(user, id, 'running')
  const leftOver = ['left-over', newId()]
  for (const instanceId of leftOver)
    await machines.create(
      {
        instanceId,
        tenant: 'a-tenant',
        name: 'x',
        gpuType: 'A40',
        gpuCount: 1,
        gpuMemoryGb: 48,
        cpuCores: 8,
        memoryGb: 48,
        storageGb: 140,
        image: '',
        region: 'US-East',
        host: null,
        cards: [],
        command: null,
        env: {},
        volume: null,
      },
      instanceId,
    )
  const held = async () => (await machinesOf(machines)).map(machine => machine.instanceId)
  await server.advance(30_000)
  expect(await held()).toEqual(expect.arrayContaining([id, ...leftOver]))
  await server.advance(30_000)
  await until(held, all => leftOver.every(each => !all.includes(each)))
  expect(await held()).toContain(id)
})
