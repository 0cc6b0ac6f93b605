/** A clone with a copy of its source's volume. */
import { failed } from '@ingot/compute/driver'
import { expect, test } from 'vitest'
import { until } from '../../product/test-server.ts'
import { balanceOf, isGone, reach, reachInstance, second, testVolumes } from '../../volumes/test-volumes.ts'
import { a40 } from '../test-rows.ts'

const volumes = testVolumes()
const { server, made, isAsked } = volumes

async function boxWithVolume(usd: string) {
  const user = await server.user(usd)
  const volume = await made(user)
  await user.client.volumes.makeFolder({ id: volume.id, path: '/models' })
  const box = await user.client.instances.create(a40({ start: false }))
  await user.client.volumes.attach({ id: volume.id, instance_id: box.id })
  await until(
    () => user.client.volumes.get({ id: volume.id }),
    each => each.used_bytes !== null,
  )
  return { user, box, volume }
}

test('has its own, of a snapshot, for the price that was shown; it starts when that is there', async () => {
  const { user, box } = await boxWithVolume('100')
  const before = Number(await balanceOf(user))
  await expect(
    user.client.instances.clone({ id: box.id, clone_volume: true, quoted_volume_total: '5.000000' }),
  ).rejects.toMatchObject({
    code: 'price_changed',
    fields: { quoted_volume_total: 'is now 5.010000' },
  })
  expect(Number(await balanceOf(user))).toBe(before)
  expect((await user.client.volumes.list({})).items).toHaveLength(1)

  const clone = await user.client.instances.clone({
    id: box.id,
    clone_volume: true,
    quoted_volume_total: '5.010000',
  })
  const copyId = clone.network_volume_id!
  expect(await user.client.volumes.get({ id: copyId })).toMatchObject({
    name: 'Data-clone',
    status: 'creating',
    size_gb: 50,
    instance: { id: clone.id },
  })
  expect((await user.client.volumes.allSnapshots({})).items).toMatchObject([{ name: `for ${clone.name}` }])
  await expect(user.client.instances.start({ id: clone.id })).rejects.toMatchObject({
    code: 'invalid_state',
    message: 'Its volume Data-clone is being made. Start it when that is available.',
  })
  await isAsked(copyId)
  await until(
    () => user.client.volumes.allSnapshots({}),
    ({ items }) => items.every(each => each.status === 'available'),
  )
  await server.advance(second)
  await server.advance(30 * second)
  await reach(user, copyId, 'in-use')
  expect((await user.client.volumes.files({ id: copyId })).items).toMatchObject([{ name: 'models' }])
  await user.client.instances.start({ id: clone.id })
  await reachInstance(user, clone.id, 'running')
})

test('of what has none, or to be started at once, is refused; without money nothing of it is left', async () => {
  const { user, box } = await boxWithVolume('8')
  await expect(
    user.client.instances.clone({ id: box.id, clone_volume: true, start: true }),
  ).rejects.toMatchObject({
    code: 'validation_failed',
    fields: { start: 'is not possible with its volume: start the clone when that is available' },
  })
  await expect(user.client.instances.clone({ id: box.id, clone_volume: true })).rejects.toMatchObject({
    code: 'insufficient_funds',
  })
  expect((await user.client.instances.list({})).items).toHaveLength(1)
  expect((await user.client.volumes.allSnapshots({})).items).toEqual([])
  const bare = await server.user('50')
  const { id } = await bare.client.instances.create(a40({ start: false }))
  await expect(bare.client.instances.clone({ id, clone_volume: true })).rejects.toMatchObject({
    fields: { clone_volume: 'is not possible: box has no volume' },
  })
})

test('without its volume, where that can’t be made: what it cost is back, and the clone starts', async () => {
  const { user, box } = await boxWithVolume('100')
  volumes.replace({ snapshot: async () => failed('rejected', 'The disk is broken.') })
  const before = Number(await balanceOf(user))
  const clone = await user.client.instances.clone({ id: box.id, clone_volume: true })
  await until(
    () => user.client.volumes.allSnapshots({}),
    ({ items }) => items.length === 0,
  )
  await server.advance(2 * second)
  await isGone(user, clone.network_volume_id!)
  // The clone's first hour alone.
  expect(Number(await balanceOf(user))).toBeCloseTo(before - 0.75, 6)
  expect((await user.client.instances.get({ id: clone.id })).network_volume_id).toBeNull()
  await user.client.instances.start({ id: clone.id })
  await reachInstance(user, clone.id, 'running')
})
