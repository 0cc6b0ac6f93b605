/** Logs, events, waiting and what Prometheus reads. */
import { PassThrough } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { done, type Driver, failed, type LogLine } from '@ingot/compute/driver'
import { createSimulatedDriver } from '@ingot/compute/simulated/driver'
import { beforeEach, describe, expect, test } from 'vitest'
import type { DriverName } from '../../config.ts'
import { type TestUser, until, useTestServer } from '../../product/test-server.ts'
import { a40 } from '../test-rows.ts'

/** What machines say instead of their own log; null: their own. */
let log: Driver['logs'] | null = null
let streams: PassThrough[] = []

const server = useTestServer({
  drivers: now => {
    const machines = createSimulatedDriver({ dir: null, now, startMs: 0, stopMs: 0 })
    const driver: Driver = {
      ...machines,
      logs: (ref, options) => (log ?? machines.logs)(ref, options),
    }
    return new Map<DriverName, Driver>([['simulated', driver]])
  },
})
beforeEach(() => {
  log = null
  streams = []
})

async function running(user: TestUser, changes: Parameters<typeof a40>[0] = {}): Promise<string> {
  const { id } = await user.client.instances.create(a40(changes))
  await user.client.instances.wait({ id, status: 'running' })
  return id
}
const streamOf = (lines: readonly LogLine[], isOver = true) => {
  const stream = new PassThrough({ objectMode: true })
  for (const line of lines) stream.write(line)
  if (isOver) stream.end()
  streams.push(stream)
  return done(stream)
}
const lineAt = (at: number, text: string): LogLine => ({ at, stream: 'stdout', text })
const parsed = (text: string) =>
  text
    .split('\n')
    .filter(Boolean)
    .map(line => JSON.parse(line) as { at: string; stream: string; text: string })

describe('a log', () => {
  test('is what the machine said, a line an object; since a time, and what holds a text', async () => {
    const user = await server.user('25')
    const id = await running(user)
    const file = await user.client.instances.logs({ id })
    expect(file).toMatchObject({ fileName: 'box.ndjson', mediaType: 'application/x-ndjson' })
    const lines = parsed(await file.text())
    expect(lines.map(({ text }) => text)).toContain('The machine started.')
    expect(lines[0]!.stream).toBe('machine')
    const found = await (await user.client.instances.logs({ id, search: 'STARTED' })).text()
    expect(parsed(found).map(({ text }) => text)).toEqual(['The machine started.'])
    const since = new Date(server.services.clock.now() + 60_000).toISOString()
    expect(await (await user.client.instances.logs({ id, since })).text()).toBe('')
    const never = await user.client.instances.create(a40({ start: false }))
    expect(await (await user.client.instances.logs({ id: never.id, follow: true })).text()).toBe('\n')
  })

  test('of lines that are huge, or hold whatever they can, is still one line each and does nothing to a terminal', async () => {
    const user = await server.user('25')
    const id = await running(user)
    const nasty = [
      '\u001b]0;owned\u0007\u001b[2J\r\b',
      'a\nb',
      '\u202eevil\u2028',
      '\ud800',
      '\u009b2J',
      'tab\there',
      '',
    ]
    const huge = 'x'.repeat(5_000_000)
    log = async () => streamOf([huge, ...nasty].map((text, n) => lineAt(n, text)))
    const lines = parsed(await (await user.client.instances.logs({ id })).text())
    expect(lines).toHaveLength(8)
    expect(lines[0]!.text).toHaveLength(16_384)
    expect(lines[1]!.text).toBe(nasty[0])
    const text = await (await user.client.instances.logs({ id, format: 'text' })).text()
    expect(text.split('\n')).toHaveLength(9)
    // oxlint-disable-next-line no-control-regex
    expect(text).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u202e]/)
    expect(text).toContain('␛]0;owned␇')
    expect(text).toContain('tab\there')
    log = async () => streamOf([{ at: NaN, stream: 'stdout', text: 'when' }, lineAt(1e300, 'later')])
    expect(parsed(await (await user.client.instances.logs({ id })).text())).toHaveLength(2)
  })

  test('the last lines of it, and what follows them, are told once each', async () => {
    const user = await server.user('25')
    const id = await running(user)
    const past = Array.from({ length: 5_000 }, (_, n) => lineAt(Math.floor(n / 3), `line ${n}`))
    const more = [lineAt(1_666, 'line 5000'), lineAt(1_667, 'line 5001')]
    log = async (_, { since = 0, follow } = {}) =>
      streamOf((follow ? [...past, ...more] : past).filter(({ at }) => at >= since))
    const lines = parsed(await (await user.client.instances.logs({ id, tail: 10, follow: true })).text())
    expect(lines.map(({ text }) => text)).toEqual(Array.from({ length: 12 }, (_, n) => `line ${4_990 + n}`))
  })

  test('of a machine that can’t tell is an error, not an empty file', async () => {
    const user = await server.user('25')
    const id = await running(user)
    log = async () => failed('transient', 'The host does not answer.')
    for (const follow of [false, true])
      await expect(user.client.instances.logs({ id, follow })).rejects.toMatchObject({
        code: 'unavailable',
        message: 'The host does not answer.',
      })
    log = async () => failed('lost', 'It is gone.')
    expect(await (await user.client.instances.logs({ id })).text()).toBe('')
  })

  const followed = async (user: TestUser, id: string, token = user.token) => {
    const response = await server.fetch(`/v1/instances/${id}/logs?follow=true`, { token })
    expect(response.status).toBe(200)
    const began = performance.now()
    const over = response
      .text()
      .catch(() => 'cut')
      .then(text => ({ text, ms: performance.now() - began }))
    return { over, response }
  }

  test('that is followed ends with the session, the key, the instance and the run, within two seconds', async () => {
    const user = await server.user('25')
    const id = await running(user)
    log = async () => streamOf([lineAt(1, 'one')], false)
    const { key_value } = await user.client.accounts.generateApiKey({})
    const other = await server.signIn(user.id)
    const bySession = await followed(user, id, other.token)
    const byKey = await followed(user, id, key_value)
    const byInstance = await followed(user, id)
    const byRun = await followed(user, id)
    await sleep(100)
    streams.at(-1)!.end(lineAt(2, 'the last'))
    expect((await byRun.over).text).toContain('the last')
    const ended = performance.now()
    await server.services.database.kysely
      .deleteFrom('auth_session')
      .where('id', '=', other.sessionId)
      .execute()
    await user.client.accounts.revokeApiKey({})
    await Promise.all([bySession.over, byKey.over])
    expect(performance.now() - ended).toBeLessThan(2_000)
    const stopped = performance.now()
    await user.client.instances.delete({ id })
    expect((await byInstance.over).text).toContain('one')
    expect(performance.now() - stopped).toBeLessThan(2_500)
    await until(
      async () => streams.filter(({ destroyed }) => !destroyed).length,
      open => open === 0,
    )
  })

  test('lets go of the machine when its reader goes', async () => {
    const user = await server.user('25')
    const id = await running(user)
    log = async () => streamOf([lineAt(1, 'one')], false)
    const leaving = new AbortController()
    const file = await user.client.instances.logs({ id, follow: true }, { signal: leaving.signal })
    await file.stream().getReader().read()
    leaving.abort()
    await until(
      async () => streams[0]!.destroyed,
      isOver => isOver,
    )
  })
})

describe('events', () => {
  test('say who did what by which call, a page at a time', async () => {
    const user = await server.user('25')
    const id = await running(user)
    const { key_value } = await user.client.accounts.generateApiKey({})
    await server.client(key_value).instances.update({ id, name: 'renamed' })
    await user.client.instances.stop({ id })
    await user.client.instances.wait({ id, status: 'stopped' })
    const { items } = await user.client.instances.instanceEvents({ id })
    const told = items.map(({ action, actor, operation }) => [action, actor, operation])
    expect(told).toContainEqual(['instance_created', 'user', 'createInstance'])
    expect(told).toContainEqual(['instance_updated', 'api_key', 'updateInstance'])
    expect(told).toContainEqual(['instance_started', 'system', null])
    const paged: string[] = []
    for (let cursor: string | undefined; ;) {
      const page = await user.client.instances.instanceEvents({ id, limit: 1, cursor })
      paged.push(...page.items.map(each => each.id))
      if (page.next_cursor === null) break
      cursor = page.next_cursor
    }
    expect(paged).toEqual(items.map(each => each.id))
  })
})

describe('waiting', () => {
  test('ends with the status, with the time, or where nothing starts or stops', async () => {
    const user = await server.user('25')
    const { id } = await user.client.instances.create(a40())
    expect((await user.client.instances.wait({ id })).status).toBe('running')
    const began = performance.now()
    expect((await user.client.instances.wait({ id, status: 'stopped', timeout_s: 1 })).status).toBe('running')
    expect(performance.now() - began).toBeGreaterThan(900)
    const stopped = user.client.instances.wait({ id, status: 'stopped', timeout_s: 10 })
    await sleep(50)
    await user.client.instances.stop({ id })
    expect((await stopped).status).toBe('stopped')
    const gone = user.client.instances.wait({ id, status: 'terminated', timeout_s: 10 })
    const other = user.client.instances.wait({ id, status: 'running', timeout_s: 10 })
    const refused = other.catch((error: unknown) => error)
    await sleep(50)
    await user.client.instances.delete({ id })
    expect((await gone).status).toBe('terminated')
    expect(await refused).toMatchObject({ code: 'not_found' })
    await expect(user.client.instances.wait({ id, timeout_s: 61 })).rejects.toMatchObject({
      code: 'validation_failed',
    })
  })

  test('is over when the session is, and at most twenty wait at a time', async () => {
    const user = await server.user('25')
    const { id } = await user.client.instances.create(a40({ start: false }))
    const leaving = new AbortController()
    const { signal } = leaving
    const waiting = Array.from({ length: 20 }, () =>
      user.client.instances.wait({ id, status: 'running', timeout_s: 60 }, { signal }).catch(error => error),
    )
    await sleep(500)
    await expect(user.client.instances.wait({ id })).rejects.toMatchObject({ code: 'rate_limited' })
    leaving.abort()
    await Promise.all(waiting)
    await until(
      () => user.client.instances.wait({ id }).catch(() => null),
      answer => answer !== null,
    )
    const other = await server.signIn(user.id)
    const began = performance.now()
    const one = other.client.instances.wait({ id, status: 'running', timeout_s: 60 })
    const refused = one.catch((error: unknown) => error)
    await sleep(100)
    await server.services.database.kysely
      .deleteFrom('auth_session')
      .where('id', '=', other.sessionId)
      .execute()
    expect(await refused).toMatchObject({ code: 'not_authenticated' })
    expect(performance.now() - began).toBeLessThan(3_000)
  })
})

describe('what Prometheus reads', () => {
  const line =
    /^[a-z_]+\{[a-z_]+="(?:[^"\\\n]|\\[\\"n])*"(?:,[a-z_]+="(?:[^"\\\n]|\\[\\"n])*")*\} [0-9.e+-]+$/
  test('is the caller’s instances alone, with names that cannot end a label', async () => {
    const [user, stranger] = [await server.user('25'), await server.user('25')]
    const name = 'a"} 1\\\nfake{x="\u2028y'
    const id = await running(user, { name })
    await user.client.instances.create(a40({ start: false, name: 'stopped' }))
    const foreign = await running(stranger, { name: 'not yours' })
    const { key_value } = await user.client.accounts.generateApiKey({})
    const response = await server.fetch('/v1/metrics', { token: key_value })
    expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8')
    const text = await response.text()
    expect(text).not.toContain(foreign)
    expect(text).not.toContain('not yours')
    const samples = text
      .trimEnd()
      .split('\n')
      .filter(each => !each.startsWith('# '))
    for (const sample of samples) expect(sample).toMatch(line)
    expect(text.endsWith('\n')).toBe(true)
    const up = samples.filter(each => each.startsWith('ingot_instance_up{'))
    expect(up).toHaveLength(2)
    expect(up.find(each => each.includes(id))).toContain(String.raw`name="a\"} 1\\\nfake{x=\" y"`)
    expect(samples.find(each => each.startsWith('ingot_card_load_ratio{'))).toContain('simulated="true"')
    expect(samples.some(each => each.startsWith('ingot_instance_processor'))).toBe(false)
    // Each family is together, and named once.
    const families = text.split('\n').filter(each => each.startsWith('# TYPE '))
    expect(new Set(families).size).toBe(families.length)
    expect(await (await server.fetch('/v1/metrics', { token: (await server.user()).token })).text()).toBe('')
  })
})
