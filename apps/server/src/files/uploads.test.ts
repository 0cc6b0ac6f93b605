/** Uploads of an instance through the API, with a real machine behind it. */
import { createHash, randomBytes } from 'node:crypto'
import { request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Upload } from '@ingot/contracts/files'
import { maxChunkBytes, maxTransfers } from '@ingot/contracts/files'
import { beforeAll, describe, expect, test } from 'vitest'
import { until, type TestUser } from '../product/test-server.ts'
import { sweepUploads } from './drop-upload.ts'
import { noMachines, useMachines } from './test-machines.ts'

const long = process.env['INGOT_LONG_TESTS'] !== undefined
const machines = await useMachines()
const { server } = machines
const db = () => server.services.database.kysely

const sumOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')
const mb = 2 ** 20

describe.skipIf(noMachines)('an upload', { timeout: 60_000 }, () => {
  let user: TestUser
  let box: Awaited<ReturnType<typeof machines.instance>>
  beforeAll(async () => {
    user = await server.user('100')
    box = await machines.instance(user)
  }, 60_000)
  const begin = (path: string, bytes: number, replace = false) =>
    user.client.instances.beginUpload({ id: box.id, path, bytes, replace })
  const put = ({ id }: Upload, offset: number, body: Uint8Array<ArrayBuffer>, sha256 = sumOf(body)) =>
    user.client.files.putPiece({ id, offset, sha256 }, { body })
  const finish = ({ id }: Upload, sha256?: string) => user.client.files.finishUpload({ id, sha256 })
  const from = async (upload: Upload, body: Buffer<ArrayBuffer>, size = maxChunkBytes) => {
    let { received_bytes: at } = await user.client.files.upload({ id: upload.id })
    while (at < body.length) at = (await put(upload, at, body.subarray(at, at + size))).received_bytes
  }
  /** Sends the head of a piece and a part of its body, and breaks off. */
  const cut = ({ id }: Upload, offset: number, body: Buffer, sent: number) =>
    new Promise<void>(resolve => {
      const path = `/v1/uploads/${id}/pieces/${offset}?sha256=${sumOf(body)}`
      const asking = request(server.url + path, {
        method: 'PUT',
        headers: { authorization: `Bearer ${user.token}`, 'content-length': body.length },
      })
      asking.on('error', () => resolve())
      asking.write(body.subarray(0, sent), () => setTimeout(() => asking.destroy(), 100))
    })

  test('comes in pieces, and is at its path when all of it is there', async () => {
    const body = randomBytes(9 * mb)
    const upload = await begin('/workspace/nine', body.length)
    expect(upload).toMatchObject({ instance_id: box.id, received_bytes: 0, state: 'open' })
    await put(upload, 0, body.subarray(0, maxChunkBytes))
    await expect(finish(upload)).rejects.toMatchObject({
      code: 'invalid_state',
      message: /1048576 bytes are/,
    })
    expect(await box.run('ls /workspace')).not.toContain('nine')
    await put(upload, maxChunkBytes, body.subarray(maxChunkBytes))
    expect(await finish(upload, sumOf(body))).toMatchObject({ state: 'done', received_bytes: body.length })
    expect(await finish(upload)).toMatchObject({ state: 'done' })
    expect((await box.run('sha256sum /workspace/nine')).slice(0, 64)).toBe(sumOf(body))
    expect(await box.run('ls -A /workspace')).not.toContain('ingot')
  })

  test(
    `of ${long ? '5 GB' : '50 MB'} that is cut off goes on where it was`,
    { timeout: 600_000 },
    async () => {
      // The same bytes over and over where there are many.
      const piece = randomBytes(maxChunkBytes)
      const pieces = long ? 640 : 6
      const upload = await begin('/workspace/large', pieces * piece.length)
      const sum = createHash('sha256')
      for (let n = 0; n < pieces; n++) sum.update(piece)
      await put(upload, 0, piece)
      await cut(upload, piece.length, piece, 3 * mb)
      const { received_bytes } = await user.client.files.upload({ id: upload.id })
      expect(received_bytes).toBe(piece.length)
      for (let n = 1; n < pieces; n++) await put(upload, n * piece.length, piece)
      expect(await finish(upload, sum.digest('hex'))).toMatchObject({ state: 'done' })
      expect(Number(await box.run('stat -c %s /workspace/large'))).toBe(pieces * piece.length)
    },
  )

  test('takes no piece that is another than its checksum says, out of its place, or too long', async () => {
    const body = randomBytes(100)
    const upload = await begin('/workspace/small', body.length)
    await expect(put(upload, 0, body, sumOf(randomBytes(1)))).rejects.toMatchObject({
      code: 'validation_failed',
      fields: { sha256: expect.any(String) },
    })
    await expect(put(upload, 1, body.subarray(1))).rejects.toMatchObject({
      code: 'invalid_state',
      message: 'The next piece begins at byte 0.',
    })
    await expect(put(upload, 0, randomBytes(101))).rejects.toMatchObject({ code: 'validation_failed' })
    await expect(put(upload, 0, randomBytes(0))).rejects.toMatchObject({ code: 'validation_failed' })
    await expect(put(upload, 0, randomBytes(maxChunkBytes + 1))).rejects.toMatchObject({
      code: 'body_too_large',
    })
    expect(await user.client.files.upload({ id: upload.id })).toMatchObject({
      received_bytes: 0,
      state: 'open',
    })
    await from(upload, body, 40)
    expect(await finish(upload, sumOf(randomBytes(1)))).toMatchObject({
      state: 'failed',
      message: 'The file has another checksum than the one that was named.',
    })
    await expect(put(upload, 0, body)).rejects.toMatchObject({ code: 'invalid_state' })
    expect(await box.run('ls -A /workspace')).not.toMatch(/small|ingot/)
  })

  test('of one file twice mixes nothing: each is whole, and the later one is refused or replaces', async () => {
    const [one, two, three] = [randomBytes(1000), randomBytes(2000), randomBytes(500)]
    const uploads = [
      await begin('/workspace/same', one.length),
      await begin('/workspace/same', two.length),
      await begin('/workspace/same', three.length, true),
    ] as const
    await Promise.all([from(uploads[0], one, 300), from(uploads[1], two, 300), from(uploads[2], three, 300)])
    await finish(uploads[0])
    await expect(finish(uploads[1])).rejects.toMatchObject({
      code: 'validation_failed',
      fields: { path: 'Something with this name is already there.' },
    })
    const sum = async () => (await box.run('sha256sum /workspace/same')).slice(0, 64)
    expect(await sum()).toBe(sumOf(one))
    expect(await finish(uploads[2])).toMatchObject({ state: 'done' })
    expect(await sum()).toBe(sumOf(three))
    await user.client.files.dropUpload({ id: uploads[1].id })
    await expect(user.client.files.upload({ id: uploads[1].id })).rejects.toMatchObject({ code: 'not_found' })
    await expect(begin('/workspace/same', 1)).rejects.toMatchObject({ code: 'validation_failed' })
    expect(await box.run('ls -A /workspace')).not.toContain('ingot')
  })

  test('is refused where no file can be', async () => {
    await box.run('mkdir -p /workspace/folder; mkfifo /workspace/pipe; ln -sfn /no /workspace/dangling')
    for (const path of [
      '/',
      '/workspace/',
      '/workspace/..',
      '/workspace/none/file',
      '/workspace/folder',
      `/workspace/${'x'.repeat(300)}`,
      '/workspace/dangling/file',
      '/etc/hostname/file',
    ])
      await expect(begin(path, 1, true)).rejects.toMatchObject({
        code: 'validation_failed',
        fields: { path: expect.any(String) },
      })
    await expect(begin('/workspace/pipe', 1, true)).rejects.toMatchObject({ code: 'validation_failed' })
  })

  test('of nothing is an empty file', async () => {
    await finish(await begin('/workspace/empty', 0), sumOf(Buffer.alloc(0)))
    expect(await box.run('stat -c %s /workspace/empty')).toBe('0\n')
  })

  test('whose part was taken away or changed fails, and says so', async () => {
    const body = randomBytes(10)
    const [gone, changed] = [await begin('/workspace/g', 10), await begin('/workspace/c', 10)]
    await put(gone, 0, body)
    await box.run('rm /workspace/.*.ingot-part')
    await put(changed, 0, body)
    await box.run('printf more >>$(ls /workspace/.*.ingot-part)')
    expect(await finish(gone)).toMatchObject({ state: 'failed', message: expect.stringContaining('deleted') })
    expect(await finish(changed)).toMatchObject({
      state: 'failed',
      message: expect.stringContaining('changed'),
    })
  })

  test('that was whole when somebody was killed is put at its path, at whatever step that was', async () => {
    const body = randomBytes(10)
    const part = (upload: Upload) => `/workspace/.${upload.id}.ingot-part`
    const former = (upload: Upload) => `/workspace/.${upload.id}.ingot-former`
    const steps: readonly ((upload: Upload, path: string) => string)[] = [
      () => 'true',
      (upload, path) => `mv ${path} ${former(upload)}`,
      (upload, path) => `mv ${path} ${former(upload)}; mv ${part(upload)} ${path}`,
      (upload, path) => `mv ${part(upload)} ${path}`,
    ]
    for (const [at, step] of steps.entries()) {
      const path = `/workspace/killed-${at}`
      await box.run(`printf old >${path}`)
      const upload = await begin(path, body.length, true)
      await put(upload, 0, body)
      await db().updateTable('file_upload').set({ state: 'placing' }).where('id', '=', upload.id).execute()
      await box.run(step(upload, path))
      await sweepUploads(server.services)
      expect(await user.client.files.upload({ id: upload.id })).toMatchObject({
        state: 'done',
        message: null,
      })
      expect((await box.run(`sha256sum ${path}`)).slice(0, 64)).toBe(sumOf(body))
    }
    expect(await box.run('ls -A /workspace')).not.toContain('ingot')
  })

  test('waits for one whose writer was killed, and no longer than its lease', async () => {
    const upload = await begin('/workspace/leased', 10)
    const ends = new Date(Date.now() + 1_000).toISOString()
    await db()
      .updateTable('file_upload')
      .set({ writer: upload.id, writer_until: ends })
      .where('id', '=', upload.id)
      .execute()
    await put(upload, 0, randomBytes(10))
    expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(ends))
    await user.client.files.dropUpload({ id: upload.id })
  })

  test('that nobody goes on with is dropped after a day, with what came of it', async () => {
    const upload = await begin('/workspace/idle', 20)
    await put(upload, 0, randomBytes(10))
    const day = Date.parse(upload.expires_at) - Date.now()
    expect(Math.abs(day - 24 * 3_600_000)).toBeLessThan(60_000)
    await sweepUploads(server.services)
    expect(await box.run('ls -A /workspace')).toContain(`.${upload.id}.ingot-part`)
    const past = new Date(Date.now() - 1).toISOString()
    await db().updateTable('file_upload').set({ expires_at: past }).where('id', '=', upload.id).execute()
    await sweepUploads(server.services)
    expect(await box.run('ls -A /workspace')).not.toContain('ingot')
    await expect(user.client.files.upload({ id: upload.id })).rejects.toMatchObject({ code: 'not_found' })
  })

  test('counts: twenty of a user’s at a time', async () => {
    const other = await server.user()
    await db()
      .insertInto('file_upload')
      .values(
        Array.from({ length: maxTransfers }, () => ({
          id: crypto.randomUUID(),
          user_id: other.id,
          instance_id: box.id,
          volume_id: null,
          path: '/x',
          replaces: false,
          bytes: 1n,
          message: null,
          writer: null,
          writer_until: null,
          expires_at: new Date(Date.now() + 60_000).toISOString(),
        })),
      )
      .execute()
    await db().updateTable('file_upload').set({ user_id: user.id }).where('user_id', '=', other.id).execute()
    await expect(begin('/workspace/more', 1)).rejects.toMatchObject({ code: 'rate_limited' })
    await db().deleteFrom('file_upload').where('path', '=', '/x').execute()
    await user.client.files.dropUpload({ id: (await begin('/workspace/more', 1)).id })
  })

  test('ends with its session, also while a piece comes, and with its instance', async () => {
    const upload = await begin('/workspace/ends', 3 * mb)
    const session = await server.signIn(user.id)
    const asking = request(`${server.url}/v1/uploads/${upload.id}/pieces/0?sha256=${'0'.repeat(64)}`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${session.token}`, 'content-length': 3 * mb },
    })
    const ended = new Promise<number>(resolve => {
      asking.on('response', answer => resolve(answer.statusCode!)).on('error', () => resolve(0))
    })
    asking.write(randomBytes(mb))
    await sleep(300)
    await db().deleteFrom('auth_session').where('id', '=', session.sessionId).execute()
    expect([0, 422]).toContain(await ended)
    asking.destroy()
    expect(await user.client.files.upload({ id: upload.id })).toMatchObject({
      received_bytes: 0,
      state: 'open',
    })
    await user.client.instances.delete({ id: box.id })
    await expect(put(upload, 0, randomBytes(10))).rejects.toMatchObject({ code: 'invalid_state' })
    await until(
      async () => {
        await db()
          .updateTable('file_upload')
          .set({ expires_at: new Date(Date.now() - 1).toISOString() })
          .where('id', '=', upload.id)
          .execute()
        await sweepUploads(server.services)
        return user.client.files.upload({ id: upload.id }).catch(error => error.code as string)
      },
      answer => answer === 'not_found',
    )
  })
})
