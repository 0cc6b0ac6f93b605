/** What may be written to a simulated machine, what is kept of it, and what its shell shows. */
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { readTerminal } from '../conformance/reader.ts'
import type { Answer, Driver, MachineFiles, MachineSpec, Ref } from '../driver.ts'
import { maxAllBytes, maxEntries, maxFileBytes, maxMachineBytes } from './disks.ts'
import { createSimulatedDriver } from './driver.ts'

let nowMs = Date.UTC(2026, 10, 21, 14, 5, 9)
let dir: string
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'ingot-simulated-'))
})
afterEach(() => rm(dir, { recursive: true, force: true }))

const open = (folder: string | null = dir): Driver =>
  createSimulatedDriver({ dir: folder, now: () => nowMs, startMs: 0, stopMs: 0, wait: soon })
const soon = (ms: number, then: () => void) => {
  const handle = setTimeout(then, ms / 200)
  return () => clearTimeout(handle)
}

const spec: MachineSpec = {
  instanceId: 'one',
  tenant: 'a-tenant',
  name: 'demo',
  gpuType: 'A40',
  gpuCount: 1,
  gpuMemoryGb: 48,
  cpuCores: 2,
  memoryGb: 2,
  storageGb: 2,
  image: '',
  region: 'US-East',
  host: null,
  cards: [],
  command: null,
  env: {},
  volume: null,
}

function valueOf<T>(answer: Answer<T>): T {
  if (answer.kind !== 'done') throw new Error(JSON.stringify(answer))
  return answer.value
}
async function running(driver: Driver, instanceId = 'one'): Promise<Ref> {
  const ref = valueOf(await driver.create({ ...spec, instanceId }, instanceId))
  valueOf(await driver.start(ref))
  return ref
}
const write = (files: MachineFiles, path: string, data: string | Buffer = '', from?: number) =>
  files.write(path, Readable.from([Buffer.from(data)]), { from })
const read = async (files: MachineFiles, path: string) => text(valueOf(await files.read(path)).data)
const namesIn = async (files: MachineFiles, path: string) =>
  valueOf(await files.list(path)).entries.map(({ name }) => name)

describe('what may be written to a simulated machine', () => {
  it('what every machine has is read and never changed, and lies beside what was written', async () => {
    const driver = open()
    const files = driver.files(await running(driver))
    expect(await read(files, '/etc/hostname')).toBe('demo\n')
    for (const fixed of ['/etc/hostname', '/root/README.md', '/usr/bin/ls']) {
      const noAccess = { failure: 'rejected', fault: 'no_access' }
      expect(await write(files, fixed, 'mine')).toMatchObject(noAccess)
      expect(await write(files, fixed, 'mine', 0)).toMatchObject(noAccess)
      expect(await files.rename(fixed, '/root/mine')).toMatchObject(noAccess)
      expect(await files.remove(fixed)).toMatchObject(noAccess)
    }
    for (const folder of ['/', '/root', '/usr'])
      expect(await files.remove(folder)).toMatchObject({ fault: 'no_access' })
    expect(await files.rename('/root', '/elsewhere')).toMatchObject({ fault: 'no_access' })
    valueOf(await write(files, '/root/.a', 'written'))
    expect(await namesIn(files, '/root')).toEqual([
      '.a',
      '.bashrc',
      'README.md',
      'datasets',
      'models',
      'notebooks',
    ])
    expect(await files.rename('/root/.a', '/etc/hostname')).toMatchObject({ fault: 'exists' })
  })

  it('a file holds 1 MiB, in one write or in many', async () => {
    const driver = open()
    const files = driver.files(await running(driver))
    const whole = Buffer.alloc(maxFileBytes, 'a')
    expect(valueOf(await write(files, '/root/a', whole))).toEqual({ bytes: maxFileBytes })
    const noSpace = { failure: 'rejected', fault: 'no_space' }
    expect(await write(files, '/root/a', Buffer.alloc(maxFileBytes + 1))).toMatchObject(noSpace)
    expect(await write(files, '/root/a', 'b', maxFileBytes)).toMatchObject(noSpace)
    expect(await write(files, '/root/b', '', 2 ** 52)).toMatchObject(noSpace)
    expect(await read(files, '/root/a')).toBe(String(whole))
  })

  it('data without end is not read beyond what may be kept, and its stream is left to its owner', async () => {
    const driver = open()
    const files = driver.files(await running(driver))
    let taken = 0
    const endless = new Readable({
      read() {
        taken += 1_000
        this.push(Buffer.alloc(1_000))
      },
    })
    expect(await files.write('/root/a', endless)).toMatchObject({ fault: 'no_space' })
    expect(taken).toBeLessThan(maxFileBytes + 200_000)
    expect(endless.destroyed).toBe(false)
    endless.destroy()
  })

  it('a machine holds 16 MiB, and 1,000 files and folders; what is removed makes room', async () => {
    const driver = open(null)
    const files = driver.files(await running(driver))
    const whole = Buffer.alloc(maxFileBytes)
    const count = maxMachineBytes / maxFileBytes
    for (let n = 0; n < count; n++) valueOf(await write(files, `/root/${n}`, whole))
    expect(await write(files, '/root/more', 'a')).toMatchObject({ fault: 'no_space' })
    valueOf(await write(files, '/root/0', 'shorter'))
    valueOf(await write(files, '/root/more', 'a'))
    for (let n = count + 1; n < maxEntries; n++) valueOf(await files.makeFolder(`/root/folder ${n}`))
    expect(await files.makeFolder('/root/one more')).toMatchObject({ fault: 'no_space' })
    expect(await write(files, '/root/one more')).toMatchObject({ fault: 'no_space' })
    valueOf(await files.remove('/root/more'))
    valueOf(await write(files, '/root/one more'))

    const other = driver.files(await running(driver, 'another machine'))
    valueOf(await write(other, '/root/a', whole))
  })

  it('all machines together hold 128 MiB', async () => {
    const driver = open(null)
    const whole = Buffer.alloc(maxFileBytes)
    const answers: Answer<unknown>[] = []
    for (let machine = 0; machine < 9; machine++) {
      const files = driver.files(await running(driver, `machine ${machine}`))
      for (let n = 0; n < 16; n++) answers.push(await write(files, `/root/${n}`, whole))
    }
    expect(answers.filter(({ kind }) => kind === 'done')).toHaveLength(maxAllBytes / maxFileBytes)
    expect(answers.at(-1)).toMatchObject({ failure: 'rejected', fault: 'no_space' })
  })

  it('16 writes wait for their data at once; what was destroyed meanwhile is lost to them', async () => {
    const driver = open()
    const ref = await running(driver)
    const sources = Array.from({ length: 16 }, () => new PassThrough())
    const writes = sources.map((data, n) => driver.files(ref).write(`/root/${n}`, data))
    expect(await write(driver.files(ref), '/root/more')).toMatchObject({ failure: 'transient' })
    for (const data of sources.slice(1)) data.end('whole')
    expect((await Promise.all(writes.slice(1))).map(valueOf)).toEqual(
      sources.slice(1).map(() => ({ bytes: 5 })),
    )
    valueOf(await write(driver.files(ref), '/root/more'))
    valueOf(await driver.destroy(ref))
    sources[0]!.end('late')
    expect(await writes[0]).toMatchObject({ failure: 'lost' })
    expect(await readdir(join(dir, 'files'))).toEqual([])
  })

  it('folders in folders as deep as may be cost no call much', async () => {
    const driver = open(null)
    const files = driver.files(await running(driver))
    let deep = '/tmp'
    for (let n = 0; n < maxEntries; n++) valueOf(await files.makeFolder((deep += '/a')))
    const began = performance.now()
    for (let n = 0; n < 100; n++) {
      expect(await files.stat(deep)).toMatchObject({ kind: 'done' })
      expect(await files.stat(`${deep}/a/a`)).toMatchObject({ fault: 'not_found' })
    }
    expect((performance.now() - began) / 200).toBeLessThan(20)
    valueOf(await files.rename('/tmp/a', '/root/b'))
    valueOf(await files.remove('/root/b'))
    expect(await namesIn(files, '/root')).not.toContain('b')
  })
})

describe('what is kept of the files of a simulated machine', () => {
  it('a driver that was never closed is followed by one that has them all, each file and each name', async () => {
    const killed = open()
    const ref = await running(killed)
    const files = killed.files(ref)
    valueOf(await files.makeFolder('/workspace/data'))
    valueOf(await write(files, '/workspace/data/日本 😀', 'content'))
    nowMs += 5_000
    valueOf(await files.rename('/workspace/data', '/workspace/moved'))
    const before = valueOf(await files.list('/workspace/moved'))
    const next = open()
    expect(valueOf(await next.files(ref).list('/workspace/moved'))).toEqual(before)
    expect(await read(next.files(ref), '/workspace/moved/日本 😀')).toBe('content')
    expect(await next.files(ref).stat('/workspace/data')).toMatchObject({ fault: 'not_found' })
  })

  it('a move is one record, and the rest of a removal that was cut off is swept', async () => {
    const driver = open()
    const ref = await running(driver)
    const files = driver.files(ref)
    valueOf(await files.makeFolder('/root/folder'))
    const [folder] = await readdir(join(dir, 'files'))
    for (let n = 0; n < 5; n++) valueOf(await write(files, `/root/folder/${n}`, 'a'))
    const before = await contents(join(dir, 'files'))
    valueOf(await files.rename('/root/folder', '/tmp/moved'))
    const after = await contents(join(dir, 'files'))
    expect([...after].filter(([name, text]) => before.get(name) !== text).map(([name]) => name)).toEqual([
      folder,
    ])
    await rm(join(dir, 'files', folder!))
    expect(await open().files(ref).stat('/tmp/moved')).toMatchObject({ fault: 'not_found' })
    expect(await readdir(join(dir, 'files'))).toEqual([])
  })

  it('a torn record is an absent file, and a machine that is gone leaves none', async () => {
    const driver = open()
    const [torn, gone] = [await running(driver), await running(driver, 'gone')]
    valueOf(await write(driver.files(torn), '/root/a', 'a'))
    const [record] = await readdir(join(dir, 'files'))
    valueOf(await write(driver.files(gone), '/root/a', 'a'))
    for (const broken of ['', 'null', '{"ref":"', `{"ref":"${torn}","parent":"/root","name":"a"}`]) {
      await writeFile(join(dir, 'files', record!), broken)
      const next = open()
      expect(await next.files(torn).stat('/root/a')).toMatchObject({ fault: 'not_found' })
      expect(await namesIn(next.files(torn), '/')).toContain('root')
    }
    await rm(join(dir, 'machines', `${gone}.json`))
    open()
    expect(await readdir(join(dir, 'files'))).toEqual([record])
  })

  it('destroy leaves no file behind', async () => {
    const driver = open()
    const ref = await running(driver)
    valueOf(await driver.files(ref).makeFolder('/root/folder'))
    valueOf(await write(driver.files(ref), '/root/folder/a', 'a'))
    valueOf(await driver.destroy(ref))
    expect(await readdir(join(dir, 'files'))).toEqual([])
  })

  it('a disk that refuses is worth trying again, and nothing has changed', async () => {
    const driver = open()
    const files = driver.files(await running(driver))
    valueOf(await write(files, '/root/a', 'before'))
    await rm(dir, { recursive: true })
    for (const answer of [await write(files, '/root/a', 'after'), await files.rename('/root/a', '/root/b')])
      expect(answer).toMatchObject({ kind: 'failed', failure: 'transient' })
    expect(await read(files, '/root/a')).toBe('before')
  })
})

it('the shell shows what was written, also to whoever has been there before', async () => {
  const driver = open()
  const ref = await running(driver)
  const files = driver.files(ref)
  const stream = valueOf(await driver.attach(ref, 'main', { cols: 200, rows: 24 }))
  const reader = readTerminal(stream, 2_000)
  await reader.until(/# $/)
  valueOf(await files.makeFolder('/root/new'))
  valueOf(await write(files, '/root/new/file', 'one\ntwo\n\u001B[31m\ttab'))
  valueOf(await write(files, '/root/new/~', ''))
  valueOf(await write(files, '/root/new/\u001B[2J\n', ''))
  reader.type('ls\rcd new\rcat file\rls\rls -l\r')
  const shown = await reader.until(/ls -l\r\n[^]*# $/)
  expect(shown).toContain('README.md  datasets  models  new  notebooks')
  expect(shown).toContain('one\r\ntwo\r\n?[31m        tab\r\n')
  expect(shown).toContain('?[2J?  file  ~\r\n')
  expect(shown).toMatch(/-rw-r--r-- 1 root root {4}17 Nov 21 14:05 file/)
  expect(shown).toMatch(/-rw-r--r-- 1 root root {5}0 Nov 21 14:05 ~/)
  await driver.close()
})

/** Names and texts of the files in a folder. */
const contents = async (folder: string): Promise<Map<string, string>> =>
  new Map(
    await Promise.all(
      (await readdir(folder)).map(async name => [name, await readFile(join(folder, name), 'utf8')] as const),
    ),
  )
