/** The files of a machine that is stopped, and who comes and goes for them. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, globSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import type { Driver, Ref } from '../driver.ts'
import { createSandboxDriver } from './driver.ts'
import { isAlive, type ProcessIdentity } from './processes.ts'
import { controlPlane, designsHere, openShell, running, specOf, useDriver, value } from './testing/sandbox.ts'

const write = (driver: Driver, ref: Ref, path: string, data: string) =>
  value(() => driver.files(ref).write(path, Readable.from([Buffer.from(data)])))
const read = async (driver: Driver, ref: Ref, path: string) =>
  text((await value(() => driver.files(ref).read(path))).data)

for (const design of designsHere)
  describe(`the files of a stopped machine by ${design}`, { timeout: 60_000 }, () => {
    const { dir, driver } = useDriver(design)
    const folder = (ref: Ref) => join(dir, 'machines', ref)
    const create = (id: string) => value(() => driver().create(specOf(id), id))
    const state = async (ref: Ref) => (await value(() => driver().observe(ref))).state
    /** The clerks of a machine, as they are noted, and whether they run. */
    const clerks = (ref: Ref) =>
      globSync(join(folder(ref), 'clerk/*/launcher.json')).map(
        path => (JSON.parse(readFileSync(path, 'utf8')) as { launcher: ProcessIdentity }).launcher,
      )
    const alive = (ref: Ref) => clerks(ref).filter(isAlive)

    it('are there before it ever ran and after it has stopped, and it stays stopped', async () => {
      const ref = await create('stopped')
      expect(await write(driver(), ref, '/workspace/early', 'written early')).toEqual({ bytes: 13 })
      const [clerk] = alive(ref)
      expect(await state(ref)).toBe('stopped')
      expect(await value(() => driver().observe(ref))).toMatchObject({ run: null })
      await value(() => driver().start(ref))
      const shell = await openShell(driver(), ref)
      expect((await shell.run('cat early; stat -c %a:%U early; echo late > late')).output).toBe(
        'written early644:root',
      )
      await value(() => driver().stop(ref))
      const { run } = await value(() => driver().observe(ref))
      expect(await read(driver(), ref, '/workspace/late')).toBe('late\n')
      expect(await value(() => driver().observe(ref))).toMatchObject({ state: 'stopped', run })
      expect(clerk).toBeDefined()
    })

    it('two who ask at once get one clerk, which is alone, without rights and out of sight', async () => {
      const ref = await create('two')
      const pages = await Promise.all(
        [0, 1, 2, 3].map(() => value(() => driver().files(ref).list('/workspace'))),
      )
      expect(pages).toHaveLength(4)
      expect(alive(ref)).toHaveLength(1)
      const names = (await value(() => driver().files(ref).list('/proc'))).entries.map(({ name }) => name)
      expect(names.filter(name => /^\d+$/.test(name)).length).toBeLessThanOrEqual(3)
      expect((await driver().exec(ref, { command: ['true'] })).kind).toBe('failed')
      expect(await driver().cpuTime(ref)).toMatchObject({ kind: 'failed' })
    })

    it('a start while somebody writes leaves that alone, and the keeper answers from then on', async () => {
      const ref = await create('uploading')
      const data = new PassThrough()
      data.write('first half, ')
      const written = driver().files(ref).write('/workspace/upload', data)
      const upload = () => readdirSync(join(folder(ref), 'disk/workspace'))
      await expect.poll(upload).toHaveLength(1)
      await value(() => driver().start(ref))
      expect((await value(() => driver().files(ref).list('/workspace'))).entries).toHaveLength(1)
      data.end('second half')
      expect(await written).toEqual({ kind: 'done', value: { bytes: 23 } })
      expect(await read(driver(), ref, '/workspace/upload')).toBe('first half, second half')
      expect(await (await openShell(driver(), ref)).run('cat upload')).toMatchObject({
        output: 'first half, second half',
      })
    })

    it('a delete in the middle ends it, and leaves nothing', async () => {
      const ref = await create('deleted')
      const data = new PassThrough()
      data.write('half')
      const written = driver().files(ref).write('/workspace/upload', data)
      await expect.poll(() => alive(ref)).toHaveLength(1)
      const [clerk] = alive(ref)
      await value(() => driver().destroy(ref))
      expect(isAlive(clerk!)).toBe(false)
      expect(await written).toMatchObject({ kind: 'failed' })
      expect(existsSync(folder(ref))).toBe(false)
      expect(await driver().files(ref).list('/')).toMatchObject({ failure: 'lost' })
    })

    it('a clerk that is killed is followed by another', async () => {
      const ref = await create('killed')
      await write(driver(), ref, '/workspace/file', 'kept')
      const [clerk] = alive(ref)
      process.kill(clerk!.pid, 'SIGKILL')
      await expect.poll(() => alive(ref)).toEqual([])
      // Its connections may end a moment after it.
      await expect.poll(() => read(driver(), ref, '/workspace/file').catch(() => null)).toBe('kept')
      expect(alive(ref)).not.toEqual([clerk])
    })

    it('two control planes on one folder serve the same files, and one of them deletes for both', async () => {
      const ref = await create('shared')
      const other = await createSandboxDriver({ dir, design, maxMachines: 8 })
      await Promise.all([driver(), other].map((each, at) => write(each, ref, `/workspace/${at}`, String(at))))
      expect(await read(driver(), ref, '/workspace/1')).toBe('1')
      expect(await read(other, ref, '/workspace/0')).toBe('0')
      const all = clerks(ref)
      await value(() => other.destroy(ref))
      expect(all.filter(isAlive)).toEqual([])
      expect(await driver().files(ref).list('/')).toMatchObject({ failure: 'lost' })
      await other.close()
    })

    it('a clerk whose control plane was killed ends by itself, and so does one that nobody asks', async () => {
      const child = spawn(...commandOf(controlPlane(dir, design, 'left', 'create files die')), {
        stdio: 'ignore',
      })
      expect(await once(child, 'exit')).toEqual([null, 'SIGKILL'])
      expect(alive('left')).toHaveLength(1)
      const ref = await create('idle')
      await value(() => driver().files(ref).stat('/workspace'))
      await expect
        .poll(() => [...alive('left'), ...alive(ref)], { timeout: 20_000, interval: 200 })
        .toEqual([])
      expect(await read(driver(), 'left', '/workspace/file')).toBe('left')
    })

    it('a folder that is deleted with all in it ends its clerk', async () => {
      const ref = await create('lost')
      await value(() => driver().files(ref).stat('/workspace'))
      const [clerk] = alive(ref)
      const inside = join(folder(ref), 'inside')
      const kept = readdirSync(inside).map(name => [name, readFileSync(join(inside, name))] as const)
      await import('node:fs/promises').then(({ rm }) => rm(inside, { recursive: true }))
      await expect.poll(() => isAlive(clerk!), { timeout: 5_000, interval: 100 }).toBe(false)
      expect(kept.length).toBeGreaterThan(0)
      // The next one is told again.
      expect(await value(() => driver().files(ref).stat('/workspace'))).toMatchObject({ kind: 'folder' })
    })

    it('as many are in use at once as allowed, and one that ends makes room', async () => {
      const refs = [await create('first'), await create('next')]
      const few = await createSandboxDriver({ dir, design, maxMachines: 8, maxClerks: 1 })
      const [first, next] = refs.map(ref => few.files(ref))
      await value(() => first!.stat('/workspace'))
      expect(await next!.stat('/workspace')).toMatchObject({ kind: 'failed', failure: 'transient' })
      await value(() => first!.stat('/workspace'))
      await value(() => few.destroy('first'))
      await expect.poll(async () => (await next!.stat('/workspace')).kind).toBe('done')
      await few.close()
    })

    it('the log is told too', async () => {
      const ref = await running(driver(), 'log', { command: ['sh', '-c', 'echo said; exec sleep 1000'] })
      const linesOf = async () =>
        (
          (await (await value(() => driver().logs(ref, { follow: false }))).toArray()) as { text: string }[]
        ).map(({ text }) => text)
      await expect.poll(linesOf).toContain('said')
      await value(() => driver().stop(ref))
      expect(await linesOf()).toContain('said')
      writeFileSync(join(folder(ref), 'disk/var/log/ingot/main.log'), '')
      expect(await linesOf()).not.toContain('said')
    })
  })

const commandOf = ([command = '', ...args]: string[]) => [command, args] as const
