/** Files of a volume, without a machine. */
import { createHash, randomBytes } from 'node:crypto'
import type { StoringDriver } from '@ingot/compute/volumes'
import { describe, expect, test } from 'vitest'
import { newId } from '../db/ids.ts'
import { noMachines, useMachines } from './test-machines.ts'

const machines = await useMachines()
const { server } = machines

describe.skipIf(noMachines)('files of a volume', { timeout: 60_000 }, () => {
  test('come and go without a machine, from its own root; a stranger finds none', async () => {
    const user = await server.user('25')
    const store = (server.services.regions[0]!.compute as StoringDriver).volumes
    const id = newId()
    const made = await until(() => store.create({ volumeId: id, tenant: user.id, sizeGb: 10 }, id))
    const now = new Date().toISOString()
    const row = { id, user_id: user.id, name: 'data', size_gb: 10, region: 'US-East', driver: 'sandbox' }
    await server.owner
      .insertInto('network_volumes')
      .values({
        ...row,
        host_id: null,
        status: 'available',
        status_message: null,
        month_micro: 0n,
        lapsed_at: null,
        used_bytes: null,
        used_at: null,
        restored_from: null,
        driver_ref: made,
        created_at: now,
        updated_at: now,
        due_at: null,
        lock_token: null,
        lock_expires_at: null,
      })
      .execute()
    const { client } = user
    await client.volumes.makeFolder({ id, path: '/data' })
    const body = randomBytes(100_000)
    const sha256 = createHash('sha256').update(body).digest('hex')
    const upload = await client.volumes.beginUpload({ id, path: '/data/file', bytes: body.length })
    expect(upload).toMatchObject({ volume_id: id, instance_id: null })
    await client.files.putPiece({ id: upload.id, offset: 0, sha256 }, { body })
    expect(await client.files.finishUpload({ id: upload.id, sha256 })).toMatchObject({ state: 'done' })
    const { items } = await client.volumes.files({ id, path: '/data' })
    expect(items).toMatchObject([{ name: 'file', kind: 'file', bytes: body.length }])
    const { url } = await client.volumes.download({ id, path: '/data/file' })
    expect(Buffer.from(await (await server.fetch(url)).arrayBuffer()).equals(body)).toBe(true)
    await client.volumes.makeFolder({ id, path: '/new' })
    await client.volumes.moveFile({ id, path: '/new', to: '/old' })
    await client.volumes.deleteFile({ id, path: '/old' })
    const log = (await client.activity.usageLogs({ volume_id: id })).items
    expect(log.map(({ action, message }) => [action, message])).toEqual([
      ['volume_file_deleted', null],
      ['volume_file_moved', null],
      ['volume_folder_made', null],
      ['volume_file_uploaded', null],
      ['volume_folder_made', null],
    ])
    expect(log[0]).toMatchObject({ volume_id: id, volume_name: 'data', instance_id: null, actor: 'user' })
    const stranger = await server.user()
    await expect(stranger.client.volumes.files({ id })).rejects.toMatchObject({ code: 'not_found' })
    const lapse = (lapsed_at: string | null) =>
      server.owner.updateTable('network_volumes').set({ lapsed_at }).where('id', '=', id).execute()
    await lapse(now)
    for (const change of [
      () => client.volumes.deleteFile({ id, path: '/data' }),
      () => client.volumes.makeFolder({ id, path: '/more' }),
      () => client.volumes.beginUpload({ id, path: '/more', bytes: 1 }),
    ])
      await expect(change()).rejects.toMatchObject({ code: 'invalid_state', message: /not paid/ })
    expect((await server.fetch(url)).status).toBe(200)
    await lapse(null)
    await client.volumes.deleteFile({ id, path: '/data' })
    expect((await client.volumes.files({ id })).items.map(({ name }) => name)).not.toContain('data')
    expect((await server.fetch(url)).status).toBe(404)
    await until(() => store.destroy(made))
  })
})

async function until<T = string>(call: () => Promise<unknown>): Promise<T> {
  for (;;) {
    const answer = (await call()) as { kind: string; value?: T; retryMs?: number }
    if (answer.kind === 'done') return answer.value!
    if (answer.kind !== 'not_yet') throw new Error(JSON.stringify(answer))
    await new Promise(resolve => setTimeout(resolve, answer.retryMs))
  }
}
