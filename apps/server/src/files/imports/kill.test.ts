/** SIGKILL of the process that fetches an import: the next one brings it to its end, and nothing half stands at its path. */
import { type ChildProcess, fork } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import type { StoringDriver } from '@ingot/compute/volumes'
import { afterAll, describe, expect, test } from 'vitest'
import { newId } from '../../db/ids.ts'
import { until } from '../../product/test-server.ts'
import { noMachines, useMachines } from '../test-machines.ts'
import { openTestSource, serving, somewhere } from './test-source.ts'

const source = await openTestSource()
const dir = mkdtempSync(join(tmpdir(), 'ingot-import-kill-'))
writeFileSync(join(dir, 'ca.pem'), source.ca)
const machines = await useMachines({ outside: source.outside, worker: false })
const { server } = machines
let child: ChildProcess | null = null
afterAll(async () => {
  await kill()
  await source.close()
  rmSync(dir, { recursive: true, force: true })
})

async function kill(signal: 'SIGKILL' | 'SIGTERM' = 'SIGKILL'): Promise<void> {
  if (!child || child.exitCode !== null || child.signalCode !== null) return
  const gone = once(child, 'exit')
  child.kill(signal)
  await gone
}

async function startWorker(): Promise<void> {
  const { url } = server.services.database
  const main = fileURLToPath(new URL('test-worker.ts', import.meta.url))
  child = fork(main, [url, machines.dir, dir, String(source.port), join(dir, 'ca.pem'), somewhere], {
    execArgv: [],
    stdio: 'inherit',
  })
  await once(child, 'message')
}

const mb = 2 ** 20

describe.skipIf(noMachines)('an import whose server is killed', { timeout: 90_000 }, () => {
  test('while it is fetched goes on behind what was written; while it is put at its path is there once', async () => {
    const user = await server.user('25')
    const store = (server.services.regions[0]!.compute as StoringDriver).volumes
    const id = newId()
    for (let answer = await store.create({ volumeId: id, tenant: user.id, sizeGb: 10 }, id); ;) {
      if (answer.kind === 'failed') throw new Error(answer.message)
      if (answer.kind === 'done') break
      answer = await store.create({ volumeId: id, tenant: user.id, sizeGb: 10 }, id)
    }
    await insertVolume(id, user.id)
    const body = randomBytes(14 * mb)
    const sum = createHash('sha256').update(body).digest('hex')
    const good = serving(body)
    // The first two answers are never whole: whoever asked for them is stopped or killed.
    source.answer((request, response) => {
      const from = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0)
      if (source.requests.length > 2) return good(request, response)
      response.writeHead(from > 0 ? 206 : 200, {
        'content-length': body.length - from,
        'content-range': `bytes ${from}-${body.length - 1}/${body.length}`,
        etag: '"one"',
      })
      response.write(body.subarray(from, (source.requests.length === 1 ? 5 : 10) * mb))
    })
    await startWorker()
    const begun = await user.client.volumes.beginImport({ id, url: 'https://files.example/a', path: '/set' })
    const now = () => user.client.files.import({ id: begun.id })
    await until(now, ({ received_bytes }) => received_bytes >= 4 * mb)
    // Whoever ends in peace stops between two pieces, and holds on to nothing.
    await kill('SIGTERM')
    await startWorker()
    await until(now, ({ received_bytes }) => received_bytes >= 8 * mb)
    await kill()
    const { items } = await user.client.volumes.files({ id })
    expect(items.map(({ name }) => name)).toEqual([`.${begun.id}.ingot-part`])

    await startWorker()
    expect(await until(now, ({ state }) => state === 'done' || state === 'failed', 30_000)).toMatchObject({
      state: 'done',
      sha256: sum,
    })
    expect(source.requests.map(({ headers }) => headers.range)).toEqual([
      undefined,
      expect.stringMatching(/^bytes=[45]\d{6}-$/),
      expect.stringMatching(/^bytes=[89]\d{6}-$/),
    ])
    const listed = async () => (await user.client.volumes.files({ id })).items.map(({ name }) => name)
    expect(await listed()).toEqual(['set'])

    // As a kill behind each step leaves it, over a file that is there: noted; moved away; moved in.
    const files = store.files(id)
    const [part, former] = [`/.${begun.id}.ingot-part`, `/.${begun.id}.ingot-former`]
    const before = () => files.write('/before', Readable.from(['before']))
    const steps = [
      async () => {
        await files.rename('/set', part)
        await files.rename('/before', '/set')
      },
      async () => {
        await files.rename('/set', part)
        await files.rename('/before', former)
      },
      () => files.rename('/before', former),
    ]
    for (const step of steps) {
      await before()
      await step()
      await server.owner
        .updateTable('file_import')
        .set({ state: 'placing', replaces: true, due_at: new Date().toISOString(), lock_expires_at: null })
        .where('id', '=', begun.id)
        .execute()
      server.services.signals.send('file_import')
      expect(await until(now, ({ state }) => state !== 'running')).toMatchObject({ state: 'done' })
      expect(await listed()).toEqual(['set'])
    }
    const { url } = await user.client.volumes.download({ id, path: '/set' })
    const bytes = Buffer.from(await (await server.fetch(url)).arrayBuffer())
    expect(createHash('sha256').update(bytes).digest('hex')).toBe(sum)
    for (let answer = await store.destroy(id); answer.kind === 'not_yet';) answer = await store.destroy(id)
  })
})

const insertVolume = (id: string, userId: string) => {
  const now = new Date().toISOString()
  return server.owner
    .insertInto('network_volumes')
    .values({
      id,
      user_id: userId,
      name: 'data',
      size_gb: 10,
      region: 'US-East',
      driver: 'sandbox',
      host_id: null,
      status: 'available',
      status_message: null,
      month_micro: 0n,
      lapsed_at: null,
      used_bytes: null,
      used_at: null,
      restored_from: null,
      driver_ref: id,
      created_at: now,
      updated_at: now,
      due_at: null,
      lock_token: null,
      lock_expires_at: null,
    })
    .execute()
}
