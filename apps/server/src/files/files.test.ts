/** Files of an instance through the API, with a real machine behind it. */
import { createHash } from 'node:crypto'
import { PassThrough } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { unpackTar } from 'modern-tar'
import { pino } from 'pino'
import { beforeAll, describe, expect, test } from 'vitest'
import { until, type TestUser } from '../product/test-server.ts'
import { noMachines, useMachines } from './test-machines.ts'

const logged: string[] = []
const log = pino(
  { level: 'debug' },
  new PassThrough().on('data', line => logged.push(String(line))),
)
const machines = await useMachines({ log })
const { server } = machines

const refused = (field: string, words: RegExp | string = /./) => ({
  code: 'validation_failed',
  fields: { [field]: typeof words === 'string' ? words : expect.stringMatching(words) },
})

describe.skipIf(noMachines)('files of an instance', { timeout: 60_000 }, () => {
  let user: TestUser
  let box: Awaited<ReturnType<typeof machines.instance>>
  beforeAll(async () => {
    user = await server.user('100')
    box = await machines.instance(user)
  }, 60_000)
  const list = (path: string, more = {}) => user.client.instances.files({ id: box.id, path, ...more })
  const names = async (path: string) => (await list(path)).items.map(({ name }) => name)
  const link = async (path: string) => (await user.client.instances.download({ id: box.id, path })).url
  const fetched = async (url: string, headers: Record<string, string> = {}) => {
    const answer = await server.fetch(url, { headers })
    return { answer, body: Buffer.from(await answer.arrayBuffer()) }
  }

  test('are listed in pages, with what each is', async () => {
    await box.run(
      'mkdir -p /workspace/a/sub && cd /workspace/a && printf hello >file && ln -s / out && mkfifo pipe',
    )
    const { items } = await list('/workspace/a')
    expect(items.map(({ name, kind, bytes }) => [name, kind, kind === 'file' ? bytes : 0])).toEqual([
      ['file', 'file', 5],
      ['out', 'link', 0],
      ['pipe', 'other', 0],
      ['sub', 'folder', 0],
    ])
    const first = await list('/workspace/a', { limit: 3 })
    expect(first.items.map(({ name }) => name)).toEqual(['file', 'out', 'pipe'])
    const second = await list('/workspace/a', { limit: 3, cursor: first.next_cursor })
    expect(second).toMatchObject({ items: [{ name: 'sub', mode: '0755' }], next_cursor: null })
  })

  test('are made, moved and deleted; what is wrong with a path is said at its field', async () => {
    const { client } = user
    const { id } = box
    await client.instances.makeFolder({ id, path: '/workspace/new' })
    await client.instances.makeFolder({ id, path: '/workspace/new' })
    await box.run('printf 1 >/workspace/new/one; printf 2 >/workspace/new/two')
    await client.instances.moveFile({ id, path: '/workspace/new/one', to: '/workspace/new/three' })
    expect(await names('/workspace/new')).toEqual(['three', 'two'])
    const over = client.instances.moveFile({ id, path: '/workspace/new/two', to: '/workspace/new/three' })
    await expect(over).rejects.toMatchObject(refused('to', 'Something with this name is already there.'))
    const nothing = client.instances.moveFile({ id, path: '/workspace/no', to: '/workspace/x' })
    await expect(nothing).rejects.toMatchObject(refused('path', 'There is no such file or folder.'))
    await client.instances.deleteFile({ id, path: '/workspace/new' })
    await client.instances.deleteFile({ id, path: '/workspace/new' })
    await expect(list('/workspace/new')).rejects.toMatchObject(refused('path'))
    for (const path of ['/', '//', '/workspace/..', '/.'])
      await expect(client.instances.deleteFile({ id, path })).rejects.toMatchObject(refused('path', /root/))
    await expect(list(`/${'x'.repeat(300)}`)).rejects.toMatchObject(refused('path'))
    expect(await names('/workspace/../workspace/a/./sub/..')).toContain('file')
  })

  test('of one name in two forms of Unicode are two files', async () => {
    await box.run(`mkdir /workspace/forms; cd /workspace/forms; printf 1 >$'\\u00e9'; printf 2 >$'e\\u0301'`)
    expect(await names('/workspace/forms')).toEqual(['e\u0301', '\u00e9'])
    expect((await fetched(await link('/workspace/forms/\u00e9'))).body.toString()).toBe('1')
  })

  test('lead nowhere but into the machine, by links, dots or devices', async () => {
    await box.run('ln -s /etc/hostname /workspace/host; ln -s ../../../../../../etc /workspace/up; true')
    expect((await fetched(await link('/workspace/host'))).body.toString()).toBe(
      await box.run('cat /etc/hostname'),
    )
    expect(await names('/workspace/up')).toEqual((await box.run('LC_ALL=C ls -A /etc')).trim().split('\n'))
    for (const path of ['/dev/zero', '/workspace/a/pipe', '/workspace/none'])
      await expect(link(path)).rejects.toMatchObject(refused('path'))
  })

  test('are also there while it is stopped', async () => {
    const other = await machines.instance(user)
    await other.run('printf kept >/workspace/file')
    await user.client.instances.stop({ id: other.id })
    await user.client.instances.wait({ id: other.id, status: 'stopped', timeout_s: 30 })
    const { url, name, bytes } = await user.client.instances.download({
      id: other.id,
      path: '/workspace/file',
    })
    expect([name, bytes]).toEqual(['file', 4])
    expect((await fetched(url)).body.toString()).toBe('kept')
    await user.client.instances.delete({ id: other.id })
    await expect(user.client.instances.files({ id: other.id })).rejects.toMatchObject({ code: 'not_found' })
    expect((await server.fetch(url)).status).toBe(404)
  })

  describe('a download', () => {
    test('is whole, or the part that was asked for, and nothing that a browser runs', async () => {
      await box.run('head -c 300000 /dev/urandom >/workspace/random.html')
      const sum = (await box.run('sha256sum /workspace/random.html')).slice(0, 64)
      const url = await link('/workspace/random.html')
      const { answer, body } = await fetched(url)
      expect(createHash('sha256').update(body).digest('hex')).toBe(sum)
      expect(Object.fromEntries(answer.headers)).toMatchObject({
        'content-type': 'application/octet-stream',
        'content-disposition': 'attachment; filename=random.html',
        'content-security-policy': "default-src 'none'; sandbox",
        'x-content-type-options': 'nosniff',
        'cache-control': 'no-store',
        'content-length': '300000',
        'accept-ranges': 'bytes',
      })
      const parts = ['bytes=0-99', 'bytes=100-', 'bytes=-1', 'bytes=299999-400000']
      const wanted = [body.subarray(0, 100), body.subarray(100), body.subarray(-1), body.subarray(-1)]
      for (const [at, range] of parts.entries()) {
        const part = await fetched(url, { range })
        expect(part.answer.status).toBe(206)
        expect(part.body.equals(wanted[at]!)).toBe(true)
      }
      const first = await fetched(url, { range: 'bytes=0-99' })
      expect(first.answer.headers.get('content-range')).toBe('bytes 0-99/300000')
      const behind = await fetched(url, { range: 'bytes=300000-' })
      expect([behind.answer.status, behind.answer.headers.get('content-range')]).toEqual([
        416,
        'bytes */300000',
      ])
      const tag = answer.headers.get('etag')!
      expect((await fetched(url, { range: 'bytes=0-0', 'if-range': tag })).answer.status).toBe(206)
      await box.run('printf more >>/workspace/random.html')
      const changed = await fetched(url, { range: 'bytes=0-0', 'if-range': tag })
      expect([changed.answer.status, changed.body.length]).toEqual([200, 300_004])
    })

    test('of a file that grows has the length that it had; of one that shrinks, it breaks', async () => {
      await box.run('truncate -s 60M /workspace/grows /workspace/shrinks')
      for (const [name, change, isWhole] of [
        ['grows', 'truncate -s 70M /workspace/grows', true],
        ['shrinks', 'truncate -s 1M /workspace/shrinks', false],
      ] as const) {
        const answer = await server.fetch(await link(`/workspace/${name}`))
        expect(answer.headers.get('content-length')).toBe(String(60 * 2 ** 20))
        await box.run(change)
        const body = answer.arrayBuffer().then(bytes => bytes.byteLength)
        if (isWhole) expect(await body).toBe(60 * 2 ** 20)
        else await expect(body).rejects.toThrow('terminated')
      }
    })

    test('of a folder is a tar of its files, which says what it left out', async () => {
      const long = 'long-'.repeat(40)
      await box.run(
        `mkdir -p /workspace/tree/${long}/${long}; cd /workspace/tree; printf deep >${long}/${long}/file; printf 1 >one; : >empty; ln -s /etc/passwd secret; ln -s / all; mkfifo pipe; printf x >bad$'\\xff'`,
      )
      const { url, name, bytes } = await user.client.instances.download({
        id: box.id,
        path: '/workspace/tree',
      })
      expect([name, bytes]).toEqual(['tree.tar', null])
      const { answer, body } = await fetched(url)
      expect(answer.headers.get('content-type')).toBe('application/x-tar')
      const entries = await unpackTar(body)
      const texts = Object.fromEntries(
        entries.flatMap(({ header, data }) =>
          header.type === 'file' ? [[header.name, Buffer.from(data!).toString()]] : [],
        ),
      )
      const { 'tree/left-out-of-this-download.txt': left, ...others } = texts
      expect(others).toEqual({ 'tree/one': '1', 'tree/empty': '', [`tree/${long}/${long}/file`]: 'deep' })
      for (const out of ['secret (a link)', 'all (a link)', 'pipe (not a file)', 'bad\ufffd (not readable)'])
        expect(left).toContain(`tree/${out}`)
      expect(left).not.toContain('one')
    })

    test('ends with the session, also while it is sent, and with its time', async () => {
      const session = await server.signIn(user.id)
      await box.run('truncate -s 200M /workspace/large')
      const { url } = await session.client.instances.download({ id: box.id, path: '/workspace/large' })
      const answer = await server.fetch(url)
      const reader = answer.body!.getReader()
      await reader.read()
      await server.services.database.kysely
        .deleteFrom('auth_session')
        .where('id', '=', session.sessionId)
        .execute()
      // The open connection is looked at once a second.
      await sleep(1_500)
      const rest = async () => {
        while (!(await reader.read()).done);
      }
      await expect(rest()).rejects.toThrow('terminated')
      expect((await server.fetch(url)).status).toBe(404)

      const old = await link('/workspace/large')
      await server.services.database.kysely
        .updateTable('file_ticket')
        .set({ expires_at: new Date(Date.now() - 1).toISOString() })
        .execute()
      expect((await server.fetch(old)).status).toBe(404)
      expect((await server.fetch('/v1/downloads/none')).status).toBe(404)
    })

    test('ends with the key that asked for it', async () => {
      const { key_value } = await user.client.accounts.generateApiKey({})
      const { url } = await server
        .client(key_value)
        .instances.download({ id: box.id, path: '/workspace/a/file' })
      expect((await server.fetch(url)).status).toBe(200)
      await user.client.accounts.revokeApiKey({})
      expect((await server.fetch(url)).status).toBe(404)
    })

    test('leaves no ticket in the log, and none in the database', async () => {
      const url = await link('/workspace/a/file')
      await box.run('rm /workspace/a/file')
      expect((await server.fetch(url)).status).toBe(404)
      const secret = url.split('/').at(-1)!
      expect(secret).toHaveLength(43)
      expect(logged.join('')).not.toContain(secret)
      const rows = await server.services.database.kysely.selectFrom('file_ticket').selectAll().execute()
      expect(rows.length).toBeGreaterThan(0)
      expect(JSON.stringify(rows)).not.toContain(secret)
    })

    test('is refused where its user takes six already', async () => {
      const url = await link('/workspace/large')
      const taken = await Promise.all(Array.from({ length: 6 }, () => server.fetch(url)))
      expect((await server.fetch(url)).status).toBe(429)
      for (const { body } of taken) await body!.cancel()
      await until(
        async () => {
          const { status, body } = await server.fetch(url)
          await body!.cancel()
          return status
        },
        status => status === 200,
      )
    })
  })
})
