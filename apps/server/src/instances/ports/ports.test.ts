/** Ports through the server: who comes in, what passes, and what ends it. */
import { expect, test } from 'vitest'
import { sql } from 'kysely'
import { until, useTestServer } from '../../product/test-server.ts'
import { cookieOf, machinesOf, pathOf, programPort, silentPort, useProgram, visitors } from './test-apps.ts'

const program = useProgram()
const server = useTestServer({ drivers: machinesOf(program) })
const { send, openSocket, box } = visitors(server)
const echoed = (text: string) =>
  JSON.parse(text) as { method: string; url: string; headers: Record<string, string>; body: string }

test('ports come with the deploy, are added, renamed, made public and removed, and a clone has them privately', async () => {
  const user = await server.user('25')
  const { id } = await box(user, { ports: [8888, 6006, 8888] })
  const { instances } = user.client
  const list = async (of = id) => (await instances.ports({ id: of })).items
  expect((await list()).map(({ port, name }) => [port, name])).toEqual([
    [6006, 'Port 6006'],
    [8888, 'Port 8888'],
  ])
  const { ssh_user } = await server.owner
    .selectFrom('gpu_instances')
    .select('ssh_user')
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  expect((await list())[1]!.url).toBe(`http://8888-${ssh_user}.apps.localhost:0/`)

  const added = await instances.addPort({ id, port: 7860, name: ' Web UI ', path: '/lab?x=1' })
  expect(added).toMatchObject({
    port: 7860,
    name: 'Web UI',
    path: '/lab?x=1',
    visibility: 'private',
    shares: [],
  })
  await expect(instances.addPort({ id, port: 7860 })).rejects.toMatchObject({ code: 'validation_failed' })
  for (const path of ['//evil.example', '/\\evil.example', 'https://evil.example', '/a b'])
    await expect(instances.addPort({ id, port: 7, path })).rejects.toMatchObject({
      code: 'validation_failed',
    })
  for (const port of [0, 65_536, 1.5])
    await expect(instances.addPort({ id, port })).rejects.toMatchObject({ code: 'validation_failed' })
  expect(await instances.updatePort({ id, port: 7860, visibility: 'public' })).toMatchObject({
    name: 'Web UI',
    visibility: 'public',
  })
  await instances.sharePort({ id, port: 7860 })
  const { id: copy } = await instances.clone({ id, start: false })
  expect((await list(copy)).map(({ port, visibility, shares }) => [port, visibility, shares.length])).toEqual(
    [
      [6006, 'private', 0],
      [7860, 'private', 0],
      [8888, 'private', 0],
    ],
  )
  await instances.deletePort({ id, port: 6006 })
  await expect(instances.deletePort({ id, port: 6006 })).rejects.toMatchObject({ code: 'not_found' })
  await expect(instances.openPort({ id, port: 6006 })).rejects.toMatchObject({ code: 'not_found' })
  for (let port = 1; port <= 18; port++) await instances.addPort({ id, port })
  await expect(instances.addPort({ id, port: 19 })).rejects.toMatchObject({
    fields: { port: expect.any(String) },
  })
  const { items } = await instances.instanceEvents({ id })
  expect(items.map(({ action, message }) => `${action}: ${message}`)).toContain(
    'instance_port_changed: Port 7860 is public now',
  )

  await instances.delete({ id })
  const left = await sql`select from instance_port where instance_id = ${id}`.execute(server.owner)
  expect(left.rows).toEqual([])
})

test('a ticket opens the port once, at its own origin, and leaves the address; the program sees nothing of ours', async () => {
  const user = await server.user('25')
  const mine = await box(user, { ports: [programPort, silentPort] })
  expect((await send(mine.host(), '/')).status).toBe(401)

  await user.client.instances.updatePort({ id: mine.id, port: programPort, path: '/lab' })
  const { url } = await user.client.instances.openPort({ id: mine.id, port: programPort })
  expect((await send(mine.host(silentPort), pathOf(url))).status).toBe(410)
  const way = await send(mine.host(), pathOf(url))
  expect(way).toMatchObject({ status: 303, headers: { location: '/lab', 'referrer-policy': 'no-referrer' } })
  const [set] = way.headers['set-cookie']!
  expect(set).toMatch(/^ingot-port=[^;]+; Path=\/; HttpOnly; SameSite=Lax$/)
  expect((await send(mine.host(), pathOf(url))).status).toBe(410)

  const cookie = cookieOf(way)
  const answer = await send(mine.host(), '/echo?a=1', {
    method: 'POST',
    body: 'hello',
    headers: {
      cookie: `theme=dark; ${cookie}; lang=en`,
      authorization: `Bearer ${user.token}`,
      origin: `http://${mine.host()}`,
      referer: `http://${mine.host()}/lab?x`,
      'x-forwarded-for': '6.6.6.6',
      'x-forwarded-proto': 'gopher',
      forwarded: 'for=6.6.6.6',
      connection: 'close, x-secret',
      'x-secret': '1',
    },
  })
  const { headers, ...rest } = echoed(answer.text)
  expect(rest).toEqual({ method: 'POST', url: '/echo?a=1', body: 'hello' })
  expect(headers).toMatchObject({
    host: 'localhost:8888',
    origin: 'http://localhost:8888',
    referer: 'http://localhost:8888/lab?x',
    'x-forwarded-for': '127.0.0.1',
    'x-forwarded-host': mine.host(),
    'x-forwarded-proto': 'http',
    'content-length': '5',
  })
  for (const name of ['authorization', 'cookie', 'forwarded', 'x-secret'])
    expect(headers).not.toHaveProperty(name)

  // Another port of the same instance has a door of its own.
  expect((await send(mine.host(silentPort), '/', { headers: { cookie } })).status).toBe(401)
})

test('a stranger gets no ticket, and a pass opens no other instance', async () => {
  const [ada, eve] = [await server.user('25'), await server.user('25')]
  const [hers, evil] = [await box(ada), await box(eve)]
  await expect(eve.client.instances.openPort({ id: hers.id, port: programPort })).rejects.toMatchObject({
    code: 'not_found',
  })
  const { url } = await eve.client.instances.openPort({ id: evil.id, port: programPort })
  expect((await send(hers.host(), pathOf(url))).status).toBe(410)
  const cookie = await evil.enter()
  expect((await send(evil.host(), '/', { headers: { cookie } })).status).toBe(200)
  expect((await send(hers.host(), '/', { headers: { cookie } })).status).toBe(401)
  // Planted beside the true one, it keeps nobody out.
  const own = await hers.enter()
  expect((await send(hers.host(), '/', { headers: { cookie: `${cookie}; ${own}` } })).status).toBe(200)
  // Not the very last letter: not all of its bits count.
  const forged = own.replace(/.(?=.$)/, letter => (letter === 'A' ? 'B' : 'A'))
  expect((await send(hers.host(), '/', { headers: { cookie: forged } })).status).toBe(401)
})

test('a stream and a WebSocket end within two seconds of the session, the link, the port and the instance', async () => {
  const user = await server.user('25')
  const mine = await box(user)
  program.on = (_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write('data: 1\n\n')
  }
  const endings: [string, (session: { sessionId: string }, share: string) => Promise<unknown>][] = [
    [
      'session',
      ({ sessionId }) =>
        server.services.database.kysely.deleteFrom('auth_session').where('id', '=', sessionId).execute(),
    ],
    ['link', (_, share) => user.client.instances.deletePortShare({ id: share })],
    ['port', () => user.client.instances.deletePort({ id: mine.id, port: programPort })],
    ['instance', () => user.client.instances.stop({ id: mine.id })],
  ]
  for (const [what, end] of endings) {
    const session = await server.signIn(user.id)
    const share = await user.client.instances.sharePort({ id: mine.id, port: programPort })
    const { url } =
      what === 'link' ? share : await session.client.instances.openPort({ id: mine.id, port: programPort })
    const cookie = cookieOf(await send(mine.host(), pathOf(url)))
    const stream = send(mine.host(), '/events', { headers: { cookie } }).then(
      () => 'whole',
      () => 'cut',
    )
    const { socket, seen, status, received } = openSocket(mine.host(), { cookie })
    expect(await status).toBe(101)
    socket.send('hello')
    await until(
      async () => received,
      all => all.includes('hello'),
    )
    const began = Date.now()
    await end(session, share.id)
    expect(await stream).toBe('cut')
    await until(
      async () => seen.closed,
      closed => closed,
    )
    expect(Date.now() - began, what).toBeLessThan(2_000)
    const { status: after } = await send(mine.host(), '/echo', { headers: { cookie } })
    expect(after, what).toBe({ port: 421, instance: 503 }[what] ?? 401)
    if (what === 'port') await user.client.instances.addPort({ id: mine.id, port: programPort })
  }
})

test('a link opens the port for whoever has it, and ends; a public port asks nobody', async () => {
  const user = await server.user('25')
  const mine = await box(user)
  const { instances } = user.client
  const share = await instances.sharePort({ id: mine.id, port: programPort, hours: 1 })
  expect(Date.parse(share.expires_at) - Date.now()).toBeLessThanOrEqual(3_600_000)
  const [first, second] = [
    cookieOf(await send(mine.host(), pathOf(share.url))),
    cookieOf(await send(mine.host(), pathOf(share.url))),
  ]
  for (const cookie of [first, second])
    expect((await send(mine.host(), '/echo', { headers: { cookie } })).status).toBe(200)
  expect((await instances.ports({ id: mine.id })).items[0]!.shares).toMatchObject([{ id: share.id }])
  await sql`update port_share set expires_at = now()`.execute(server.owner)
  expect((await send(mine.host(), pathOf(share.url))).status).toBe(410)
  await until(
    async () => (await send(mine.host(), '/echo', { headers: { cookie: first } })).status,
    status => status === 401,
    2_000,
  )
  expect((await instances.ports({ id: mine.id })).items[0]!.shares).toEqual([])

  await instances.updatePort({ id: mine.id, port: programPort, visibility: 'public' })
  await until(
    async () => (await send(mine.host(), '/echo')).status,
    status => status === 200,
    2_000,
  )
})

test('what changes something counts as activity, also a message on a WebSocket; looking does not', async () => {
  const user = await server.user('25')
  const mine = await box(user)
  program.on = (_, response) => void response.end('hello')
  const cookie = await mine.enter()
  const notedOf = async (id: string) =>
    (
      await server.owner
        .selectFrom('gpu_instances')
        .select('last_request_at')
        .where('id', '=', id)
        .executeTakeFirstOrThrow()
    ).last_request_at
  const noted = () => notedOf(mine.id)
  const before = await noted()
  for (const method of ['GET', 'HEAD', 'OPTIONS'])
    expect((await send(mine.host(), '/', { method, headers: { cookie } })).status).toBe(200)
  const { socket, status, received } = openSocket(mine.host(), { cookie })
  expect(await status).toBe(101)
  socket.ping()
  socket.send('2')
  await until(
    async () => received,
    all => all.includes('2'),
  )
  expect(await noted()).toBe(before)
  socket.send('run this')
  await until(noted, at => at !== before)
  socket.close()

  const other = await box(user)
  expect(await notedOf(other.id)).toBeNull()
  await send(other.host(), '/echo', { method: 'POST', body: 'x', headers: { cookie: await other.enter() } })
  await until(
    () => notedOf(other.id),
    at => at !== null,
  )
})

test('people are told what is wrong: nothing listens, the instance is stopped, the program breaks off', async () => {
  const user = await server.user('25')
  const mine = await box(user, { ports: [programPort, silentPort] })
  const headers = { accept: 'text/html', cookie: await mine.enter(silentPort) }
  const silent = await send(mine.host(silentPort), '/', { headers })
  expect(silent.status).toBe(502)
  expect(silent.text).toContain('Nothing listens on port 9999 yet')
  expect(silent.text).toContain('http-equiv="refresh"')
  program.on = request => void request.socket.destroy()
  const cookie = await mine.enter()
  const broken = await send(mine.host(), '/', { headers: { cookie } })
  expect(broken).toMatchObject({ status: 502, headers: { 'content-type': 'text/plain; charset=utf-8' } })
  await user.client.instances.update({ id: mine.id, name: '<b>box</b>' })
  await user.client.instances.stop({ id: mine.id })
  const stopped = await until(
    () => send(mine.host(), '/', { headers: { cookie, accept: 'text/html' } }),
    ({ text }) => text.includes('is stop') && text.includes('&#60;b&#62;box'),
  )
  expect(stopped.status).toBe(503)
  await expect(user.client.instances.openPort({ id: mine.id, port: programPort })).rejects.toMatchObject({
    code: 'invalid_state',
  })
})
