/** Imports through the API, with a real machine behind it and an internet of the test's own. */
import { createHash, randomBytes } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import type { FileImport } from '@ingot/contracts/files'
import { importsAtOnce, maxTransfers } from '@ingot/contracts/files'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { deleteAccount } from '../../accounts/delete-account.ts'
import { type TestUser, until } from '../../product/test-server.ts'
import { noMachines, useMachines } from '../test-machines.ts'
import { openTestSource, serving, somewhere } from './test-source.ts'

const source = await openTestSource()
afterAll(() => source.close())
const machines = await useMachines({ outside: source.outside })
const { server } = machines
const db = () => server.services.database.kysely

const sumOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')
const mb = 2 ** 20
const url = 'https://files.example/models/weights.bin?key=hidden-word'

describe.skipIf(noMachines)('an import', { timeout: 60_000 }, () => {
  let user: TestUser
  let box: Awaited<ReturnType<typeof machines.instance>>
  beforeAll(async () => {
    user = await server.user('100')
    box = await machines.instance(user)
  }, 60_000)
  const begin = (path: string, more: { url?: string; replace?: boolean } = {}) =>
    user.client.instances.beginImport({ id: box.id, url, path, ...more })
  const ended = ({ id }: FileImport) =>
    until(
      () => user.client.files.import({ id }),
      ({ state }) => state !== 'waiting' && state !== 'running',
      30_000,
    )
  const came = ({ id }: FileImport, bytes: number) =>
    until(
      () => user.client.files.import({ id }),
      ({ received_bytes }) => received_bytes >= bytes,
    )
  const nothingIsLeft = async ({ id }: FileImport) => {
    await until(
      () => box.run('ls -A /workspace'),
      listed => !listed.includes(id),
    )
  }
  /** Sends the first bytes and then waits; `go` sends the rest. */
  const stalling = (body: Buffer, first: number) => {
    const waiting: (() => void)[] = []
    const closed: string[] = []
    const good = serving(body)
    source.answer((request, response) => {
      response.on('close', () => closed.push(request.url!))
      if (request.headers.range !== undefined) return good(request, response)
      response.writeHead(200, { 'content-length': body.length, etag: '"one"' })
      response.write(body.subarray(0, first))
      waiting.push(() => response.end(body.subarray(first)))
    })
    return { go: () => waiting.splice(0).forEach(end => end()), closed }
  }

  test('is fetched to its path, whole, and told of in the log; its address is kept without its query', async () => {
    const body = randomBytes(10 * mb)
    source.answer(serving(body))
    const begun = await begin('/workspace/weights.bin')
    expect(begun).toMatchObject({
      instance_id: box.id,
      volume_id: null,
      url: 'https://files.example/models/weights.bin',
      path: '/workspace/weights.bin',
    })
    expect(await ended(begun)).toMatchObject({
      state: 'done',
      received_bytes: body.length,
      total_bytes: body.length,
      sha256: sumOf(body),
      message: null,
    })
    expect((await box.run('sha256sum /workspace/weights.bin')).slice(0, 64)).toBe(sumOf(body))
    expect(await box.run('stat -c %u /workspace/weights.bin')).toBe(await box.run('stat -c %u /workspace'))
    await nothingIsLeft(begun)
    expect((await user.client.instances.imports({ id: box.id })).items.map(({ id }) => id)).toEqual([
      begun.id,
    ])
    const { items } = await user.client.activity.usageLogs({ instance_id: box.id })
    expect(items[0]).toMatchObject({
      action: 'instance_file_imported',
      message: '/workspace/weights.bin, from files.example',
    })
    const { rows } = await sql<{ text: string }>`
      select (select string_agg(i::text, '') from file_import i) || (select string_agg(e::text, '') from event e) as text`.execute(
      db(),
    )
    expect(rows[0]!.text).not.toContain('hidden-word')
  })

  test('of a file whose length nobody says, or that is empty, is whole', async () => {
    const body = randomBytes(mb)
    source.answer((_, response) => {
      response.write(body)
      response.end()
    })
    expect(await ended(await begin('/workspace/unsaid'))).toMatchObject({
      state: 'done',
      sha256: sumOf(body),
    })
    source.answer(serving(Buffer.alloc(0)))
    expect(await ended(await begin('/workspace/empty'))).toMatchObject({ state: 'done', total_bytes: 0 })
    expect(await box.run('stat -c %s /workspace/unsaid /workspace/empty')).toBe(`${mb}\n0\n`)
  })

  test.each([
    ['goes on where it was', '"one"', 2],
    ['begins anew where the other side has no name for what it sends', null, 2],
  ])('that is cut off %s', async (_, tag, count) => {
    const body = randomBytes(9 * mb)
    const from = source.requests.length
    source.answer(serving(body, { tag, cutAfter: 6 * mb }))
    const begun = await begin(`/workspace/cut-${tag === null ? 'anew' : 'on'}`)
    expect(await ended(begun)).toMatchObject({ state: 'done', sha256: sumOf(body) })
    const asked = source.requests.slice(from)
    expect(asked).toHaveLength(count)
    expect(asked[1]!.headers.range !== undefined).toBe(tag !== null)
    expect((await box.run(`sha256sum ${begun.path}`)).slice(0, 64)).toBe(sumOf(body))
  })

  test('whose writer is taken its claim goes on in other hands, behind what was written', async () => {
    const body = randomBytes(9 * mb)
    const { go } = stalling(body, 5 * mb)
    const begun = await begin('/workspace/taken')
    await came(begun, 4 * mb)
    await sql`update file_import set lock_token = gen_random_uuid(), lock_expires_at = now() where id = ${begun.id}`.execute(
      db(),
    )
    expect(await ended(begun)).toMatchObject({ state: 'done', sha256: sumOf(body) })
    go()
    expect((await box.run('sha256sum /workspace/taken')).slice(0, 64)).toBe(sumOf(body))
    await nothingIsLeft(begun)
  })

  test('that is cancelled leaves nothing, and the other side is hung up on', async () => {
    const { closed } = stalling(randomBytes(9 * mb), 5 * mb)
    const begun = await begin('/workspace/cancelled')
    await came(begun, 4 * mb)
    expect(await box.run('ls -A /workspace')).toContain(begun.id)
    await user.client.files.cancelImport({ id: begun.id })
    expect(await user.client.files.import({ id: begun.id })).toMatchObject({ state: 'cancelled' })
    await expect.poll(() => closed.length).toBe(1)
    await nothingIsLeft(begun)
    expect(await box.run('ls -A /workspace')).not.toContain('cancelled')
    // Once more: it is off the list.
    await user.client.files.cancelImport({ id: begun.id })
    await expect(user.client.files.import({ id: begun.id })).rejects.toMatchObject({ code: 'not_found' })
    await expect(user.client.files.cancelImport({ id: begun.id })).rejects.toMatchObject({
      code: 'not_found',
    })
  })

  test('replaces only when that was asked, also what came to its path meanwhile', async () => {
    await box.run('echo before > /workspace/there')
    await expect(begin('/workspace/there')).rejects.toMatchObject({
      fields: { path: 'Something with this name is already there.' },
    })
    await expect(begin('/workspace', { replace: true })).rejects.toMatchObject({ code: 'validation_failed' })
    await expect(begin('/nowhere/file')).rejects.toMatchObject({ fields: { path: expect.any(String) } })
    source.answer(serving(Buffer.from('after')))
    await ended(await begin('/workspace/there', { replace: true }))
    expect(await box.run('cat /workspace/there')).toBe('after')

    const { go } = stalling(Buffer.from('late, by far'), 4)
    const before = source.requests.length
    const late = await begin('/workspace/late')
    await expect.poll(() => source.requests.length, { timeout: 30_000 }).toBeGreaterThan(before)
    await box.run('echo first > /workspace/late')
    go()
    expect(await ended(late)).toMatchObject({
      state: 'failed',
      message: 'Something with this name is already there.',
    })
    expect(await box.run('cat /workspace/late')).toBe('first\n')
    await nothingIsLeft(late)
    const { items } = await user.client.activity.usageLogs({ instance_id: box.id })
    expect(items[0]).toMatchObject({ action: 'instance_import_failed', message: /already there/ })
  })

  test('fails in words: what is not there, what is too large, what is not public', async () => {
    source.answer((_, response) => response.writeHead(404).end())
    expect(await ended(await begin('/workspace/a'))).toMatchObject({ message: 'files.example answers 404.' })
    source.answer((_, response: ServerResponse) => {
      response.writeHead(200, { 'content-length': 10 ** 15 }).flushHeaders()
    })
    expect(await ended(await begin('/workspace/b'))).toMatchObject({
      state: 'failed',
      message: /^It is larger than the disk, which has \d+ GB/,
    })
    source.names.set('inside.example', [somewhere, '10.0.0.1'])
    expect(await ended(await begin('/workspace/c', { url: 'https://inside.example/' }))).toMatchObject({
      state: 'failed',
      message: 'This address does not lead to the public internet.',
    })
    for (const wrong of ['http://files.example/', 'https://a:b@files.example/', 'https://127.0.0.1/', 'x'])
      await expect(begin('/workspace/d', { url: wrong })).rejects.toMatchObject({
        code: 'validation_failed',
        fields: { url: expect.any(String) },
      })
    await expect(
      begin('/workspace/d', { url: `https://a.example/${'ü'.repeat(900)}` }),
    ).rejects.toMatchObject({
      fields: { url: /at most 2000/ },
    })
    expect(await box.run('ls -A /workspace')).not.toMatch(/^[abcd]$|ingot/m)
  })

  test('runs beside a few others of its owner; more of them wait, and too many are refused', async () => {
    const other = await server.user('100')
    const { id } = await machines.instance(other)
    const { closed } = stalling(randomBytes(2 * mb), mb)
    const from = source.requests.length
    const begun: FileImport[] = []
    for (let n = 0; n < maxTransfers; n++)
      begun.push(await other.client.instances.beginImport({ id, url, path: `/workspace/${n}` }))
    await expect(
      other.client.instances.beginImport({ id, url, path: '/workspace/more' }),
    ).rejects.toMatchObject({ code: 'rate_limited' })
    await expect.poll(() => source.requests.length - from).toBe(importsAtOnce)
    // Somebody else's does not wait for them.
    const mine = await begin('/workspace/mine')
    await expect.poll(() => source.requests.length - from).toBe(importsAtOnce + 1)
    await user.client.files.cancelImport({ id: mine.id })
    await other.client.files.cancelImport({ id: begun[0]!.id })
    await expect.poll(() => source.requests.length - from, { timeout: 10_000 }).toBe(importsAtOnce + 2)
    // The account's end is theirs, whoever's session began them.
    await deleteAccount(server.services, other.id, { by: other.id, balance: 'forfeit' })
    await expect.poll(() => closed.length, { timeout: 10_000 }).toBe(importsAtOnce + 2)
    const left = await db().selectFrom('file_import').select('id').where('user_id', '=', other.id).execute()
    expect(left).toEqual([])
  })

  test('goes on when the session that began it ends', async () => {
    const body = randomBytes(mb)
    const { go } = stalling(body, 1000)
    const session = await server.signIn(user.id)
    const from = source.requests.length
    const begun = await session.client.instances.beginImport({ id: box.id, url, path: '/workspace/long' })
    await expect.poll(() => source.requests.length - from).toBe(1)
    await db().deleteFrom('auth_session').where('id', '=', session.sessionId).execute()
    await expect(session.client.files.import({ id: begun.id })).rejects.toMatchObject({ status: 401 })
    go()
    expect(await ended(begun)).toMatchObject({ state: 'done', sha256: sumOf(body) })
  })

  test('to a volume is one of it, and ends with what its month says', async () => {
    const { id } = await user.client.volumes.create({ name: 'data', size_gb: 10, region: 'US-East' })
    await until(
      () => user.client.volumes.get({ id }),
      ({ status }) => status === 'available',
      30_000,
    )
    const body = randomBytes(mb)
    source.answer(serving(body))
    const begun = await user.client.volumes.beginImport({ id, url, path: '/set' })
    expect(begun).toMatchObject({ volume_id: id, instance_id: null })
    expect(await ended(begun)).toMatchObject({ state: 'done', sha256: sumOf(body) })
    expect((await user.client.volumes.files({ id })).items.map(({ name }) => name)).toEqual(['set'])
    const { items } = await user.client.activity.usageLogs({ kind: 'volume' })
    expect(items[0]).toMatchObject({ action: 'volume_file_imported', volume_name: 'data' })

    const { go } = stalling(randomBytes(9 * mb), 5 * mb)
    const lapsing = await user.client.volumes.beginImport({ id, url, path: '/more' })
    await came(lapsing, 4 * mb)
    const lapse = (lapsed_at: string | null) =>
      server.owner.updateTable('network_volumes').set({ lapsed_at }).where('id', '=', id).execute()
    await lapse(new Date().toISOString())
    go()
    expect(await ended(lapsing)).toMatchObject({
      state: 'failed',
      message: /month of this volume is not paid/,
    })
    await until(
      () => user.client.volumes.files({ id }),
      found => found.items.length === 1,
    )
    await expect(user.client.volumes.beginImport({ id, url, path: '/x' })).rejects.toMatchObject({
      code: 'invalid_state',
    })
    await lapse(null)
    // A day later nothing is told of it.
    await sql`update file_import set updated_at = now() - interval '25 hours', due_at = now() where id = ${lapsing.id}`.execute(
      db(),
    )
    server.services.signals.send('file_import')
    await expect
      .poll(() => user.client.volumes.imports({ id }).then(({ items: left }) => left.map(each => each.id)))
      .toEqual([begun.id])
    await user.client.volumes.delete({ id })
    await until(
      async () => (await user.client.volumes.list()).items.length,
      count => count === 0,
      30_000,
    )
    await expect(user.client.files.import({ id: begun.id })).rejects.toMatchObject({ code: 'not_found' })
  })
})
