/** What a page, a program or a visitor may try at the origin of a port. */
import { createHash, randomBytes } from 'node:crypto'
import { get, request } from 'node:http'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { until, useTestServer } from '../../product/test-server.ts'
import { machinesOf, pathOf, programPort, useProgram, visitors } from './test-apps.ts'

const program = useProgram()
const server = useTestServer({ drivers: machinesOf(program) })
const { send, sendRaw, openSocket, box } = visitors(server)

test('the name alone decides: a port’s has no call and no page of ours, ours no port, and any other gets 421', async () => {
  const user = await server.user('25')
  const mine = await box(user)
  const cookie = await mine.enter()
  const listens = new URL(server.url).port
  program.on = (incoming, response) => void response.end(`program ${incoming.url}`)
  for (const path of [
    '/v1/wallet',
    '/auth/v1/user',
    '/health',
    '/v1/openapi.json',
    '/dev/api/mail',
    '/console',
  ])
    expect((await send(mine.host(), path, { headers: { cookie } })).text).toBe(`program ${path}`)
  const bearer = { cookie, authorization: `Bearer ${user.token}` }
  expect((await send(mine.host(), '/v1/wallet', { headers: bearer })).text).toBe('program /v1/wallet')

  const [label] = mine.host().split('.')
  for (const host of [
    'apps.localhost',
    `x.${mine.host()}`,
    `0${label}.apps.localhost`,
    '99999-abcdefgh.apps.localhost',
    '8888-zzzzzzzz.apps.localhost',
    '7777-'.concat(mine.host().slice(5)),
    `${label!.slice(5)}.apps.localhost`,
    'a.b.apps.localhost',
  ])
    expect((await send(host, '/v1/wallet', { headers: bearer })).status, host).toBe(421)
  // Letters of either case, a dot at the end and any port are the same name.
  for (const host of [
    mine.host().toUpperCase(),
    mine.host().replace(/:\d+$/, '.'),
    `${label}.apps.localhost:1`,
  ])
    expect((await send(host, '/', { headers: { cookie } })).status, host).toBe(200)

  for (const host of [`localhost:${listens}`, `127.0.0.1:${listens}`, 'ingot', '[::1]:80', 'evil.example'])
    expect(
      (await send(host, '/health', { headers: { 'x-forwarded-host': mine.host() } })).text,
      host,
    ).toContain('ok')
  expect(await sendRaw(`GET http://${mine.host()}/ HTTP/1.1\r\nHost: localhost\r\n\r\n`)).not.toContain(
    'program',
  )
  expect(
    await sendRaw(
      `GET http://localhost/health HTTP/1.1\r\nHost: ${mine.host()}\r\nCookie: ${cookie}\r\n\r\n`,
    ),
  ).toMatch(/^HTTP\/1\.1 400 /)
  expect(
    await sendRaw(`GET / HTTP/1.1\r\nHost: ${mine.host()}\r\nHost: localhost\r\nCookie: ${cookie}\r\n\r\n`),
  ).toMatch(/^HTTP\/1\.1 400 /)
})

test('no request hides in another: both framings at once, two lengths, odd ones and lines without an end are refused', async () => {
  const user = await server.user('25')
  const mine = await box(user)
  const cookie = await mine.enter()
  const seen: string[] = []
  program.on = (incoming, response) => {
    seen.push(incoming.url!)
    incoming.resume().on('end', () => response.end('ok'))
  }
  const hidden = 'GET /hidden HTTP/1.1\r\nHost: localhost\r\n\r\n'
  const head = `POST /outer HTTP/1.1\r\nHost: ${mine.host()}\r\nCookie: ${cookie}\r\n`
  for (const framing of [
    `Content-Length: ${hidden.length + 5}\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${hidden}`,
    `Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n${hidden}`,
    `Content-Length: 0\r\nContent-Length: ${hidden.length}\r\n\r\n${hidden}`,
    `Content-Length: +${hidden.length}\r\n\r\n${hidden}`,
    `Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n${hidden}`,
    `Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n${hidden}`,
    `Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n${hidden}`,
    `X: 1\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${hidden}`,
    `Transfer-Encoding: chunked\r\n\r\n0x5\r\nhello\r\n0\r\n\r\n${hidden}`,
  ]) {
    const answer = await sendRaw(head + framing)
    expect(answer.match(/HTTP\/1\.1 200/g), framing).toBeNull()
  }
  expect(seen).not.toContain('/hidden')
  // What `Connection` names does not take the frame from a message.
  const body = 'a=1'
  await sendRaw(`${head}Content-Length: ${body.length}\r\nConnection: content-length, close\r\n\r\n${body}`)
  expect(seen).toEqual(['/outer'])
})

test('no cookie is for more than its origin, ours is not overwritten, and others may not frame, read or run what is here', async () => {
  const user = await server.user('25')
  const mine = await box(user)
  const cookie = await mine.enter()
  program.on = (_, response) => {
    for (const cookie of [
      'a=1; Path=/',
      'b=1; Domain=apps.localhost',
      'c=1;domain=.localhost',
      'd=1; HttpOnly; DOMAIN = apps.localhost',
      'ingot-port=evil; Path=/',
      'e=x=y; HttpOnly',
    ])
      response.appendHeader('Set-Cookie', cookie)
    response.setHeader('Content-Security-Policy', "default-src 'self'")
    response.setHeader('Cross-Origin-Resource-Policy', 'cross-origin')
    response.setHeader('Strict-Transport-Security', 'max-age=9; includeSubDomains')
    response.setHeader('Connection', 'X-Hop')
    response.setHeader('X-Hop', '1')
    response.setHeader('Location', 'http://localhost:8888/lab?a')
    response.end('page')
  }
  const { headers } = await send(mine.host(), '/', { headers: { cookie } })
  expect(headers['set-cookie']).toEqual([
    'a=1; Path=/',
    expect.stringMatching(/^a\.[\w-]{22}=1; Path=\/; HttpOnly$/),
    expect.stringMatching(/^e\.[\w-]{22}=x=y; HttpOnly$/),
  ])
  // What the program set comes back to it, what somebody planted does not.
  const kept = headers['set-cookie']!.slice(1).map(each => each.split(';')[0])
  const all = [cookie, 'a=planted', 'e=planted', 'f=planted', ...kept].join('; ')
  const back = await send(mine.host(), '/echo', { headers: { cookie: all } })
  expect((JSON.parse(back.text) as { headers: unknown }).headers).toMatchObject({ cookie: 'a=1; e=x=y' })
  expect(headers).toMatchObject({
    'content-security-policy': "default-src 'self', frame-ancestors 'self'",
    'cross-origin-resource-policy': 'same-origin',
    'x-frame-options': 'SAMEORIGIN',
    location: `http://${mine.host()}/lab?a`,
  })
  for (const name of ['strict-transport-security', 'x-hop']) expect(headers).not.toHaveProperty(name)
})

test('a page of another customer, which is of the same site, gets nothing and does nothing with a visitor’s pass', async () => {
  const [ada, eve] = [await server.user('25'), await server.user('25')]
  const [hers, evil] = [await box(ada), await box(eve)]
  const cookie = await hers.enter()
  const seen: string[] = []
  program.on = (incoming, response) => {
    seen.push(`${incoming.method} ${incoming.headers.cookie ?? ''}`)
    response.end('secret')
  }
  const origin = `http://${evil.host()}`
  const site = (mode: string, dest: string) => ({
    'sec-fetch-site': 'same-site',
    'sec-fetch-mode': mode,
    'sec-fetch-dest': dest,
  })
  for (const [method, headers] of [
    ['GET', site('no-cors', 'script')],
    ['GET', site('cors', 'empty')],
    ['GET', site('navigate', 'iframe')],
    ['POST', site('navigate', 'document')],
    ['POST', { origin }],
    ['POST', { origin: 'null' }],
    ['GET', { origin }],
    ['GET', { ...site('cors', 'empty'), origin: `http://${hers.host()}`, 'sec-fetch-site': 'cross-site' }],
  ] as [string, Record<string, string>][])
    expect((await send(hers.host(), '/', { method, headers: { cookie, ...headers } })).status).toBe(403)
  expect(seen).toEqual([])
  // Following a link is no harm.
  expect(
    (await send(hers.host(), '/', { headers: { cookie, ...site('navigate', 'document') } })).status,
  ).toBe(200)
  expect(await openSocket(hers.host(), { cookie, origin }).status).toBe(403)
  expect(await openSocket(hers.host(), { cookie, origin: server.url }).status).toBe(403)
  const own = openSocket(hers.host(), { cookie, origin: `http://${hers.host()}` })
  expect(await own.status).toBe(101)
  await until(
    async () => own.received,
    ([first]) => first === '{"origin":"http://localhost:8888","host":"localhost:8888"}',
  )
  own.socket.close()
  // A way in that is shown in a frame is none.
  const { url } = await ada.client.instances.openPort({ id: hers.id, port: programPort })
  expect((await send(hers.host(), pathOf(url), { headers: site('navigate', 'iframe') })).status).toBe(403)

  // A public port answers everybody, without what the visitor has there.
  await ada.client.instances.updatePort({ id: hers.id, port: programPort, visibility: 'public' })
  seen.length = 0
  await until(
    () => send(hers.host(), '/', { headers: { cookie: 'session=1', ...site('cors', 'empty') } }),
    ({ status }) => status === 200,
  )
  await send(hers.host(), '/', { headers: { cookie: 'session=1' } })
  expect(seen).toEqual(['GET ', 'GET session=1'])
})

test('a ticket or link is stored as a hash, and neither is written down where it is asked for', async () => {
  const user = await server.user('25')
  const mine = await box(user)
  const { url } = await user.client.instances.openPort({ id: mine.id, port: programPort })
  const share = await user.client.instances.sharePort({ id: mine.id, port: programPort })
  const secrets = [url, share.url].map(each => each.slice(each.lastIndexOf('=') + 1))
  for (const table of ['port_ticket', 'port_share', 'event', 'idempotency']) {
    const { rows } = await sql<{ all: string }>`
      select coalesce(string_agg(t::text, ' '), '') as all from ${sql.table(table)} t`.execute(server.owner)
    for (const secret of secrets) expect(rows[0]!.all, table).not.toContain(secret)
  }
  const { rows } = await sql<{ hash: Buffer }>`select hash from port_ticket`.execute(server.owner)
  expect(rows.map(({ hash }) => hash.toString('hex'))).toContain(
    createHash('sha256').update(secrets[0]!).digest('hex'),
  )
  await sql`update port_ticket set expires_at = now()`.execute(server.owner)
  expect((await send(mine.host(), pathOf(url))).status).toBe(410)
})

test('100 MB pass whole both ways, and a reader that stops costs a bounded part of them', async () => {
  const user = await server.user('25')
  const mine = await box(user)
  const cookie = await mine.enter()
  const chunk = randomBytes(1_000_000)
  const chunks = 100
  let written = 0
  program.on = (incoming, response) => {
    if (incoming.method === 'PUT') {
      const hash = createHash('sha256')
      incoming
        .on('data', (part: Buffer) => hash.update(part))
        .on('end', () => response.end(hash.digest('hex')))
      return
    }
    const more = () => {
      while (written < chunks * chunk.length) {
        written += chunk.length
        if (!response.write(chunk)) return response.once('drain', more)
      }
      return response.end()
    }
    more()
  }
  const right = createHash('sha256')
  for (let n = 0; n < chunks; n++) right.update(chunk)
  const expected = right.digest('hex')
  const to = { host: '127.0.0.1', port: new URL(server.url).port, headers: { host: mine.host(), cookie } }

  const stalled = get({ ...to, path: '/' })
  const response = await new Promise<import('node:http').IncomingMessage>(resolve =>
    stalled.on('response', resolve),
  )
  response.pause()
  let before = -1
  await until(
    async () => {
      const same = before === written
      before = written
      await new Promise(resolve => setTimeout(resolve, 200))
      return same
    },
    same => same,
  )
  // What lies in the kernel's buffers of two connections and in our streams.
  expect(written).toBeLessThan(40_000_000)
  const hash = createHash('sha256')
  for await (const part of response) hash.update(part as Buffer)
  expect(hash.digest('hex')).toBe(expected)

  const upload = request({ ...to, path: '/', method: 'PUT' })
  const answered = new Promise<string>(resolve =>
    upload.on('response', answer => {
      let text = ''
      answer.on('data', part => (text += String(part))).on('end', () => resolve(text))
    }),
  )
  for (let n = 0; n < chunks; n++)
    if (!upload.write(chunk)) await new Promise(resolve => upload.once('drain', resolve))
  upload.end()
  expect(await answered).toBe(expected)
})

test('connections are used again; one that its program closed costs nobody an answer, and nothing is sent twice', async () => {
  const user = await server.user('25')
  const mine = await box(user)
  const cookie = await mine.enter()
  let posts = 0
  program.on = (incoming, response) => {
    if (incoming.method === 'POST') {
      posts++
      return void incoming.socket.destroy()
    }
    response.end('ok')
  }
  const ask = (method = 'GET') => send(mine.host(), '/', { method, headers: { cookie } })
  await ask()
  const made = program.sockets.length
  for (let n = 0; n < 5; n++) expect((await ask()).status).toBe(200)
  expect(program.sockets.length).toBe(made)
  for (const socket of program.sockets) socket.destroy()
  expect((await ask()).status).toBe(200)
  expect((await ask('POST')).status).toBe(502)
  expect(posts).toBe(1)
})

test('an instance has so many connections and no more, and gives each back', async () => {
  const user = await server.user('25')
  const mine = await box(user)
  const cookie = await mine.enter()
  const waiting: import('node:http').ServerResponse[] = []
  program.on = (incoming, response) => {
    if (incoming.url === '/wait') waiting.push(response)
    else response.end('ok')
  }
  const held = Array.from({ length: 128 }, () => send(mine.host(), '/wait', { headers: { cookie } }))
  await until(
    async () => waiting.length,
    length => length === 128,
  )
  expect(await send(mine.host(), '/', { headers: { cookie } })).toMatchObject({ status: 503 })
  for (const response of waiting) response.end()
  await Promise.all(held)
  expect((await send(mine.host(), '/', { headers: { cookie } })).status).toBe(200)
})
