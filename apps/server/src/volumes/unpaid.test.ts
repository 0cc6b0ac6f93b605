/** What becomes of a volume whose month is not paid. */
import { expect, test } from 'vitest'
import { a40 } from '../instances/test-rows.ts'
import { until } from '../product/test-server.ts'
import { day, isGone, reachInstance, running, testVolumes } from './test-volumes.ts'

const volumes = testVolumes()
const { server, made, drain, fund, mailsOf } = volumes

test('unpaid it is read-only while it runs, can’t be attached, is paid from then on, and goes after seven days', async () => {
  const user = await server.user('10')
  const volume = await made(user)
  const box = await user.client.instances.create(a40({ start: false }))
  await user.client.volumes.attach({ id: volume.id, instance_id: box.id })
  await user.client.instances.start({ id: box.id })
  await reachInstance(user, box.id, 'running')
  await user.client.instances.stop({ id: box.id })
  await reachInstance(user, box.id, 'stopped')
  await drain(user)
  await server.advance(30 * day)
  const lapsed = await until(
    () => user.client.volumes.get({ id: volume.id }),
    each => each.lapsed_at !== null,
  )
  expect(Date.parse(lapsed.deletes_at!) - Date.parse(lapsed.lapsed_at!)).toBe(7 * day)
  // What is less than a micro-dollar an hour.
  expect(lapsed).toMatchObject({ renews_at: null, returns: '0.000320' })
  await user.client.volumes.detach({ id: volume.id })
  await expect(user.client.volumes.attach({ id: volume.id, instance_id: box.id })).rejects.toMatchObject({
    message: 'The month of this volume is not paid. Restore it first.',
  })
  await expect(user.client.volumes.revive({ id: volume.id })).rejects.toMatchObject({
    code: 'insufficient_funds',
  })
  await server.advance(2 * day)
  await fund(user, 6)
  const paid = await until(
    () => user.client.volumes.get({ id: volume.id }),
    each => each.lapsed_at === null,
  )
  // From when it lapsed: lapsing saves nothing.
  expect(Date.parse(paid.renews_at!) - Date.parse(lapsed.lapsed_at!)).toBe(30 * day)
  await expect(user.client.volumes.revive({ id: volume.id })).rejects.toMatchObject({
    code: 'invalid_state',
    message: 'The month of this volume is paid.',
  })
  await drain(user)
  await server.advance(28 * day)
  await until(
    () => user.client.volumes.get({ id: volume.id }),
    each => each.lapsed_at !== null,
  )
  await server.advance(7 * day)
  await isGone(user, volume.id)
})

test.each([
  ['which can make it read-only', true],
  ['which can’t: its instance is stopped, within a term too', false],
] as const)('unpaid while it runs, in a store %s', async (_, can) => {
  const user = await server.user('2000')
  const volume = await made(user)
  const box = await running(user, a40({ billing_period: '3month', auto_shutdown_enabled: false }))
  await user.client.volumes.attach({ id: volume.id, instance_id: box.id })
  const asked: boolean[] = []
  const own = volumes.store()
  volumes.replace({
    capabilities: { ...own.capabilities, readOnlyLive: can },
    attach: async (machine, mount) => {
      asked.push(mount.readOnly)
      return own.attach(machine, mount)
    },
  })
  await drain(user)
  await server.advance(30 * day)
  if (can) {
    await until(
      async () => asked,
      each => each.at(-1) === true,
    )
    expect((await user.client.instances.get({ id: box.id })).status).toBe('running')
  } else {
    const stopped = await reachInstance(user, box.id, 'stopped')
    expect(stopped).toMatchObject({
      status_reason: 'volume_lapsed',
      status_message:
        'Stopped because the month of its volume Data is not paid. Pay it, or detach the volume, and start again.',
    })
    await server.advance(16 * 60_000)
    const mails = await until(
      () => mailsOf(user),
      found => found.some(({ subject }) => /volume is not paid/.test(subject)),
    )
    expect(mails.some(({ text }) => text.includes('"box"'))).toBe(true)
  }
})
