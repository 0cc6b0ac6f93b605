import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { IngotError } from '@ingot/contracts/errors'
import { id, operation } from '@ingot/contracts/operation'
import { call } from '@ingot/sdk/transport'
import type { Received } from '@ingot/sdk/received'
import Fastify, { type FastifyInstance } from 'fastify'
import { afterEach, beforeEach, expect, test } from 'vitest'
import * as z from 'zod/mini'
import { bindAll, type SessionCaller } from './bind.ts'
import { takeBodies } from './body.ts'
import type { Bytes } from './bytes.ts'
import { until } from '../product/test-server.ts'
import { sendError } from './errors.ts'

const file = operation({
  id: 'getFile',
  method: 'GET',
  path: '/v1/files/{id}',
  who: 'user',
  summary: 'A file',
  input: z.object({ id, part: z.optional(z.int()) }),
  transport: 'bytes',
  mediaTypes: ['text/csv', 'application/octet-stream'],
  status: 200,
  errors: [],
})
const caller: SessionCaller = { userId: 'ada', sessionId: 'hers', keyId: null, role: 'user' }
const fileId = '01980000-0000-7000-8000-0000000000ff'

let app: FastifyInstance
let url: string
let answer: (gone: AbortSignal) => Bytes | Promise<Bytes>
/** Ends what the caller has open. */
let endSession: () => void
const requestTimeoutMs = 200

beforeEach(async () => {
  app = Fastify({
    serverFactory: handler =>
      createServer({ requestTimeout: requestTimeoutMs, connectionsCheckingInterval: 20 }, handler),
    forceCloseConnections: true,
  })
  app.setErrorHandler(sendError)
  takeBodies(app)
  const handlers = {
    files: { get: (_: unknown, { gone }: { gone: AbortSignal }) => Promise.resolve(answer(gone)) },
  }
  bindAll(app, { files: { get: file } }, handlers, {
    database: { kysely: null } as never,
    authenticate: request =>
      request.headers.authorization
        ? Promise.resolve(caller)
        : Promise.reject(new IngotError('not_authenticated')),
    liveCallers: { watch: (_, __, end) => ((endSession = end), () => {}), assertMayCall: async () => {} },
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
  url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`
})
afterEach(() => app.close())

const csv = (body: Bytes['body'], more: Partial<Bytes> = {}): Bytes => ({
  body,
  mediaType: 'text/csv',
  fileName: 'bill.csv',
  ...more,
})
const get = (signal?: AbortSignal) =>
  call({ baseUrl: url, token: () => 'x' }, file, { id: fileId }, { signal }) as Promise<Received>
const ask = (path = fileId, headers: Record<string, string> = { authorization: 'Bearer x' }) =>
  fetch(`${url}/v1/files/${path}`, { headers })

/** As undici says it: what was read so far is not the whole. */
const cut = /terminated|fetch failed/

// oxlint-disable-next-line require-yield
async function* refused(): AsyncGenerator<string> {
  await sleep(1)
  throw new IngotError('insufficient_funds')
}

async function* parts(count: number, pauseMs = 0) {
  for (let n = 0; n < count; n++) {
    if (pauseMs) await sleep(pauseMs)
    yield `${n}\r\n`
  }
}

test('a file arrives with its name and type, and a browser neither keeps it nor runs anything in it', async () => {
  for (const body of ['1\r\n2\r\n', Buffer.from('1\r\n2\r\n'), Readable.from(['1\r\n', '2\r\n'])]) {
    answer = () => csv(body)
    const response = await ask()
    expect(await response.text()).toBe('1\r\n2\r\n')
    expect(response.status).toBe(200)
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': 'attachment; filename=bill.csv',
      'content-security-policy': "default-src 'none'; sandbox",
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
    })
  }
})

test.each([
  ['Rechnung für März.csv', 'Rechnung für März.csv'],
  ['a "quoted"; name.csv', 'a "quoted"; name.csv'],
  ['../../etc/passwd', '__.._etc_passwd'],
  ['..\\run.bat', '__run.bat'],
  ['split\r\nset-cookie: a=b', 'split__set-cookie: a=b'],
  ['', 'file'],
])('the name %j is saved as %j', async (given, saved) => {
  answer = () => csv('x', { fileName: given })
  const received = await get()
  expect([received.fileName, received.mediaType, await received.text()]).toEqual([saved, 'text/csv', 'x'])
})

// An error of the source that nobody hears would end the process, and here the run of the tests.
test.each([
  ['before there is a source', 60, 0],
  ['before its first byte', 0, 1_000],
  ['at its first byte', 0, 20],
  ['at the first byte of one whose length is known', 0, 20, 9],
])('a reader that goes away %s ends the source and nothing else', async (_, handlerMs, firstMs, length?) => {
  for (let n = 0; n < 30; n++) {
    const body = new Readable({ read: () => {} })
    answer = async () => {
      await sleep(handlerMs)
      setTimeout(() => body.destroyed || body.push('1\r\n'), firstMs)
      return csv(body, length === undefined ? {} : { length })
    }
    const leaving = new AbortController()
    const leave = setTimeout(() => leaving.abort(), 15 + (n % 15))
    await get(leaving.signal).catch(() => {})
    leaving.abort()
    clearTimeout(leave)
    await until(
      async () => body.destroyed,
      isDestroyed => isDestroyed,
    )
  }
})

test('what fails before the first byte is an error as of any call', async () => {
  const errorOf = async (response: Response) => {
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8')
    expect(response.headers.get('content-disposition')).toBeNull()
    return [response.status, ((await response.json()) as { error: { code: string } }).error.code]
  }
  answer = () => csv('x')
  expect(await errorOf(await ask(fileId, {}))).toEqual([401, 'not_authenticated'])
  expect(await errorOf(await ask('nonsense'))).toEqual([422, 'validation_failed'])
  expect(await errorOf(await ask(`${fileId}?part=x`))).toEqual([422, 'validation_failed'])
  answer = () => {
    throw new IngotError('not_found')
  }
  expect(await errorOf(await ask())).toEqual([404, 'not_found'])
  await expect(get()).rejects.toMatchObject({ code: 'not_found' })
  answer = () => csv(refused())
  expect(await errorOf(await ask())).toEqual([402, 'insufficient_funds'])
  answer = () => csv(new Readable({ read() {} }).destroy(new Error('no such disk')))
  expect(await errorOf(await ask())).toEqual([500, 'internal'])
  answer = () => csv('x', { mediaType: 'text/html' })
  expect(await errorOf(await ask())).toEqual([500, 'internal'])
})

test('what fails after the first byte cuts the connection: half a file is never taken for the whole', async () => {
  answer = () =>
    csv(
      (async function* () {
        yield* parts(2)
        await sleep(20)
        throw new Error('the database went away')
      })(),
    )
  const received = await get()
  await expect(received.text()).rejects.toThrow(cut)
})

test('a stream that is longer or shorter than it said is cut, one that is as long says so beforehand', async () => {
  for (const length of [5, 7]) {
    answer = () => csv(parts(2, 10), { length })
    await expect(get().then(received => received.text())).rejects.toThrow(cut)
  }
  answer = () => csv(parts(2), { length: 6 })
  const response = await ask()
  expect([response.headers.get('content-length'), await response.text()]).toEqual(['6', '0\r\n1\r\n'])
})

test('a stream without a byte is an empty file', async () => {
  answer = () => csv(parts(0))
  expect(await (await get()).bytes()).toHaveLength(0)
})

test('a source is read as fast as its reader takes it, and ends when the reader goes away', async () => {
  let made = 0
  let ended: () => void
  const end = new Promise<void>(resolve => (ended = resolve))
  const block = Buffer.alloc(64 * 1024)
  answer = () =>
    csv(
      (async function* () {
        try {
          for (;;) {
            made += block.length
            yield block
          }
        } finally {
          ended()
        }
      })(),
    )
  const leaving = new AbortController()
  const reader = (await get(leaving.signal)).stream().getReader()
  await reader.read()
  // What is on its way fills the buffers of both kernels and stops there.
  let before = -1
  while (made !== before) {
    before = made
    await sleep(50)
  }
  expect(made).toBeLessThan(32 * 1024 * 1024)
  leaving.abort()
  await end
})

test('a source that has nothing to say yet is told when its reader has gone', async () => {
  let asked: () => void
  const waiting = new Promise<void>(resolve => (asked = resolve))
  let told: () => void
  const left = new Promise<void>(resolve => (told = resolve))
  answer = gone => {
    gone.addEventListener('abort', () => told())
    asked()
    return csv(new Readable({ read() {} }))
  }
  const leaving = new AbortController()
  const reading = get(leaving.signal)
  await waiting
  leaving.abort()
  await expect(reading).rejects.toThrow('aborted')
  await left
})

test('a file that is being sent ends with the session that asked for it', async () => {
  answer = () => csv(parts(1_000_000, 5))
  const received = await get()
  setTimeout(() => endSession(), 30)
  await expect(received.text()).rejects.toThrow(cut)
})

test('a user is sent so many files at a time, and the next as soon as one of them has ended', async () => {
  answer = () => csv(parts(1_000_000, 5))
  const open = await Promise.all(Array.from({ length: 6 }, () => ask()))
  expect(open.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200])
  const refused = await ask()
  expect(refused.status).toBe(429)
  expect(await refused.json()).toMatchObject({ error: { code: 'rate_limited' } })
  await open[0]!.body!.cancel()
  const next = await until(
    () => ask(),
    ({ status }) => status === 200,
  )
  expect((await ask()).status).toBe(429)
  await Promise.all([...open.slice(1), next].map(({ body }) => body!.cancel()))
})

test('no limit of time ends an answer that is being sent', async () => {
  answer = () => csv(parts(10, requestTimeoutMs / 5))
  expect(await (await get()).text()).toMatch(/9\r\n$/)
})

test('a file is not made for a HEAD', async () => {
  answer = () => csv('x')
  expect((await fetch(`${url}/v1/files/${fileId}`, { method: 'HEAD' })).status).toBe(404)
})
