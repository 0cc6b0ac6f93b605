/** A volume is made larger: what that costs now and later, and what returns when it can't be. */
import { failed, notYet } from '@ingot/compute/driver'
import { expect, test } from 'vitest'
import { a40 } from '../instances/test-rows.ts'
import { until } from '../product/test-server.ts'
import { balanceOf, day, hour, noted, reachInstance, running, second, testVolumes } from './test-volumes.ts'

const volumes = testVolumes()
const { server, made, mailsOf } = volumes

test('the rest of the month is paid now, and the next one for its new size', async () => {
  const user = await server.user('100')
  const { id } = await made(user)
  await server.advance(15 * day)
  const price = await user.client.volumes.growth({ id, size_gb: 100 })
  // 360 of 720 hours of five dollars more, and the hour that has begun.
  expect(price).toEqual({ total: '2.500000', monthly_cost: '10.000000' })
  await expect(
    user.client.volumes.grow({ id, size_gb: 100, quoted_total: '2.000000' }),
  ).rejects.toMatchObject({ code: 'price_changed', fields: { quoted_total: 'is now 2.500000' } })
  const before = Number(await balanceOf(user))
  const growing = await user.client.volumes.grow({ id, size_gb: 100, quoted_total: '2.500000' })
  expect(growing).toMatchObject({ size_gb: 100, monthly_cost: '10.000000' })
  expect(Number(await balanceOf(user))).toBeCloseTo(before - 2.5, 4)
  const grown = await until(
    () => user.client.volumes.get({ id }),
    each => !each.growing,
  )
  // Half of the larger month.
  expect(Number(grown.returns)).toBeCloseTo(5, 2)
  await server.advance(15 * day + hour)
  await until(
    () => balanceOf(user),
    now => Number(now) < before - 12,
  )
  expect(Number(await balanceOf(user))).toBeCloseTo(before - 12.5, 2)
  expect((await noted(user)).filter(action => action.startsWith('volume_gr'))).toEqual([
    'volume_grown',
    'volume_growth_started',
  ])
})

test('smaller, beside another growth, unpaid, too poor, and while it runs where that can’t be: refused', async () => {
  const user = await server.user('100')
  const { id } = await made(user)
  for (const size_gb of [50, 20])
    await expect(user.client.volumes.grow({ id, size_gb })).rejects.toMatchObject({
      code: 'validation_failed',
      fields: { size_gb: 'is to be more than 50: a volume is made larger, never smaller' },
    })
  await expect(user.client.volumes.growth({ id, size_gb: 40 })).rejects.toMatchObject({
    code: 'validation_failed',
  })
  await expect(user.client.volumes.grow({ id, size_gb: 5000 })).rejects.toMatchObject({
    code: 'insufficient_funds',
  })
  expect(await user.client.volumes.get({ id })).toMatchObject({ size_gb: 50, growing: false })
  const box = await running(user)
  await user.client.volumes.attach({ id, instance_id: box.id })
  volumes.replace({ capabilities: { ...volumes.store().capabilities, growsWhileRunning: false } })
  await expect(user.client.volumes.grow({ id, size_gb: 60 })).rejects.toMatchObject({
    message: 'Here a volume grows while no instance runs with it. Stop box, or detach the volume, first.',
  })
  await user.client.instances.stop({ id: box.id })
  await reachInstance(user, box.id, 'stopped')
  volumes.replace({ grow: async () => notYet(60_000) })
  expect(await user.client.volumes.grow({ id, size_gb: 60 })).toMatchObject({ growing: true })
  await expect(user.client.volumes.grow({ id, size_gb: 70 })).rejects.toMatchObject({
    message: 'It is being made 60 GB large. Wait until it is.',
  })
  await expect(user.client.volumes.takeSnapshot({ id })).rejects.toMatchObject({
    message: 'It is being made 60 GB large. Wait until it is.',
  })
})

test('what can’t be made larger returns all of what that cost, and goes on as it was', async () => {
  const user = await server.user('100')
  const { id } = await made(user)
  await server.advance(10 * day)
  const before = await balanceOf(user)
  const { returns } = await user.client.volumes.get({ id })
  volumes.replace({ grow: async () => failed('no_capacity', 'The host’s disk is full.') })
  await user.client.volumes.grow({ id, size_gb: 500 })
  const stays = await until(
    () => user.client.volumes.get({ id }),
    each => each.size_gb === 50,
  )
  expect(stays).toMatchObject({ growing: false, monthly_cost: '5.000000' })
  expect(await balanceOf(user)).toBe(before)
  expect(Number(stays.returns)).toBeCloseTo(Number(returns), 3)
  const { items } = await user.client.activity.usageLogs({ action: 'volume_growth_failed' })
  expect(items[0]!.message).toMatch(
    /^It stays 50 GB large. The host’s disk is full. The \$\d+\.\d+ that was paid for more was returned to your wallet.$/,
  )
  await server.advance(second)
  await until(
    () => mailsOf(user),
    found => found.some(({ subject }) => subject === 'Volume "Data" could not be made larger'),
  )
  // Again, of the same size: it is another growth.
  volumes.replace({})
  await user.client.volumes.grow({ id, size_gb: 500 })
  await until(
    () => user.client.volumes.get({ id }),
    each => !each.growing && each.size_gb === 500,
  )
})

test('started before its store came to it, it grows when its instance has stopped', async () => {
  const user = await server.user('100')
  const { id } = await made(user)
  const box = await user.client.instances.create(a40({ start: false }))
  await user.client.volumes.attach({ id, instance_id: box.id })
  const own = volumes.store()
  let isUp = true
  volumes.replace({
    capabilities: { ...own.capabilities, growsWhileRunning: false },
    grow: async (ref, gb) => (isUp ? failed('rejected', 'An instance runs with it.') : own.grow(ref, gb)),
  })
  await user.client.instances.start({ id: box.id })
  // Between its start and its run nothing is refused for what runs.
  await reachInstance(user, box.id, 'running')
  volumes.replace({ grow: async (ref, gb) => (isUp ? notYet(100) : own.grow(ref, gb)) })
  await user.client.volumes.grow({ id, size_gb: 60 })
  await user.client.instances.stop({ id: box.id })
  await reachInstance(user, box.id, 'stopped')
  isUp = false
  await server.advance(16 * second)
  await until(
    () => user.client.volumes.get({ id }),
    each => !each.growing,
  )
  expect(await user.client.volumes.get({ id })).toMatchObject({ size_gb: 60 })
})
