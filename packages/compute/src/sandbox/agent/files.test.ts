/** The calls on a folder of the host: what they do, and what a tenant can put in their way. */
import { spawn, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import {
  appendFileSync,
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { PassThrough, Readable, Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { FileEntry } from '../../driver.ts'
import { type FilesCall, type FilesReply, maxFileCalls } from '../wire/files.ts'
import { answerFiles } from './files.ts'

let dir = ''
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'ingot-files-'))
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

const at = (...names: string[]) => join(dir, ...names)

async function call(
  call: FilesCall,
  input: Readable = Readable.from([]),
): Promise<FilesReply & { said: string }> {
  const output = new PassThrough()
  const said = text(output)
  const reply = await answerFiles(call, { input, output })
  output.end()
  return { ...reply, said: await said }
}
const write = (path: string, data: string | Readable, from: number | null = null) =>
  call({ op: 'write', path, from }, typeof data === 'string' ? Readable.from([Buffer.from(data)]) : data)
const read = async (path: string, from = 0, length: number | null = null) => {
  const { said, ...reply } = await call({ op: 'read', path, from, length })
  const end = said.indexOf('\n') + 1
  return {
    ...reply,
    entry: said ? (JSON.parse(said.slice(0, end)) as FileEntry) : null,
    data: said.slice(end),
  }
}
const list = async (path: string, after: string | null = null, limit = 1_000) => {
  const { said, ...reply } = await call({ op: 'list', path, after, limit })
  const entries = said.split('\n').slice(0, -1)
  return { ...reply, entries: entries.map(line => JSON.parse(line) as FileEntry) }
}
const remove = (path: string) => call({ op: 'remove', path })
const rename = (path: string, to: string) => call({ op: 'rename', path, to })
const fault = (name: string) => ({ ok: false, fault: name })

/** A name of any bytes. */
const touch = (folder: string, ...names: Buffer[]) => {
  for (const name of names) writeFileSync(Buffer.concat([Buffer.from(`${folder}/`), name]), '')
}
const mkfifo = (path: string) => expect(spawnSync('mkfifo', [path]).status).toBe(0)

async function pages(path: string, limit: number): Promise<string[]> {
  const names: string[] = []
  for (;;) {
    const page = await list(path, names.at(-1) ?? null, limit)
    expect(page.ok).toBe(true)
    names.push(...page.entries.map(({ name }) => name))
    if (!('hasMore' in page) || !page.hasMore) return names
  }
}

describe('a listing', () => {
  it('is in the order of UTF-8 bytes, whatever the size of a page', async () => {
    const names = ['a', 'B', 'ab', 'a.b', 'é', 'z', '～', '😀', '\u{1}', 'with\nline', ' ']
    for (const name of names) writeFileSync(at(name), name)
    const sorted = names.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
    for (const limit of [1, 2, 3, 1_000]) expect(await pages(dir, limit)).toEqual(sorted)
    expect((await list(dir, 'ab', 2)).entries.map(({ name }) => name)).toEqual(
      sorted.slice(sorted.indexOf('ab') + 1, sorted.indexOf('ab') + 3),
    )
  })

  it('tells what each is, and of a link the link', async () => {
    writeFileSync(at('file'), '12345', { mode: 0o640 })
    mkdirSync(at('folder'), { mode: 0o700 })
    symlinkSync('file', at('link'))
    mkfifo(at('pipe'))
    const { entries } = await list(dir)
    expect(entries.map(({ name, kind }) => [name, kind])).toEqual([
      ['file', 'file'],
      ['folder', 'folder'],
      ['link', 'link'],
      ['pipe', 'other'],
    ])
    expect(entries[0]).toMatchObject({ bytes: 5, mode: 0o640 })
    expect(Math.abs(entries[0]!.modifiedAt - Date.now())).toBeLessThan(60_000)
    expect(await call({ op: 'stat', path: at('link') })).toMatchObject({
      entry: { name: 'link', kind: 'link' },
    })
  })

  it('comes to an end also with names that are no UTF-8', async () => {
    touch(dir, Buffer.from([0x80]), Buffer.from([0xff]), Buffer.from('é'), Buffer.from([0x61, 0xfe]))
    writeFileSync(at('z'), '')
    for (const limit of [1, 2])
      expect(new Set(await pages(dir, limit))).toEqual(new Set(['a\ufffd', 'z', 'é', '\ufffd']))
  })

  it(
    'of very many names holds few of them, and the event loop goes round meanwhile',
    { timeout: 60_000 },
    async () => {
      const names = Array.from(
        { length: 20_000 },
        (_, at) => `name-${String((at * 7_919) % 20_000).padStart(6, '0')}`,
      )
      for (const name of names) writeFileSync(at(name), '')
      const delay = monitorEventLoopDelay({ resolution: 1 })
      delay.enable()
      const page = await list(dir, 'name-009999', 3)
      expect(page.entries.map(({ name }) => name)).toEqual(['name-010000', 'name-010001', 'name-010002'])
      delay.disable()
      expect(delay.max / 1e6).toBeLessThan(200)
    },
  )

  it('of what is no folder, or not there, is refused', async () => {
    writeFileSync(at('file'), '')
    expect(await list(at('file'))).toMatchObject(fault('not_a_folder'))
    expect(await list(at('file', 'below'))).toMatchObject(fault('not_a_folder'))
    expect(await list(at('nowhere'))).toMatchObject(fault('not_found'))
    expect(await list(at('x'.repeat(256)))).toMatchObject(fault('bad_path'))
  })
})

describe('reading', () => {
  it('gives the bytes of a range, fewer where the file ends', async () => {
    writeFileSync(at('file'), '0123456789')
    expect(await read(at('file'))).toMatchObject({
      ok: true,
      bytes: 10,
      data: '0123456789',
      entry: { bytes: 10 },
    })
    expect(await read(at('file'), 3, 4)).toMatchObject({ bytes: 4, data: '3456' })
    expect(await read(at('file'), 8, 100)).toMatchObject({ bytes: 2, data: '89' })
    for (const [from, length] of [
      [10, 5],
      [1_000, null],
      [0, 0],
    ] as const)
      expect(await read(at('file'), from, length)).toMatchObject({ ok: true, bytes: 0, data: '' })
  })

  it('ends where a file ended when it was opened, and fails when it was cut short', async () => {
    for (const [name, change] of [
      ['grows', () => appendFileSync(at('grows'), 'more')],
      ['shrinks', () => truncateSync(at('shrinks'), 1)],
    ] as const) {
      writeFileSync(at(name), Buffer.alloc(1_000_000, 'x'))
      let bytes = 0
      const output = new Writable({
        highWaterMark: 1,
        write(chunk: Buffer, _, callback) {
          if (bytes === 0) change()
          bytes += chunk.length
          callback()
        },
      })
      const input = Readable.from([])
      const reply = await answerFiles(
        { op: 'read', path: at(name), from: 0, length: null },
        { input, output },
      )
      if (name === 'grows') expect(reply).toMatchObject({ ok: true, bytes: 1_000_000 })
      else expect(reply.ok).toBe(false)
    }
  })

  it('takes a file and nothing else that has a name, and no file of the kernel’s', async () => {
    mkfifo(at('pipe'))
    const waiting = spawn('cat', [at('pipe')])
    symlinkSync(at('pipe'), at('link'))
    for (const path of [
      at('pipe'),
      at('link'),
      dir,
      '/dev/zero',
      '/dev/ptmx',
      '/proc/self/mem',
      '/proc/version',
    ])
      for (const answer of [
        await read(path),
        await write(path, 'x', 0),
        path.startsWith('/proc') || (await write(path, 'x')),
      ])
        if (answer !== true) expect(answer, path).toMatchObject(fault('not_a_file'))
    expect((await write('/proc/self/oom_score_adj', '1000')).ok).toBe(false)
    expect(waiting.exitCode).toBeNull()
    waiting.kill()
  })

  it('that nobody takes ends', async () => {
    writeFileSync(at('file'), Buffer.alloc(1_000_000))
    const output = new Writable({ highWaterMark: 1, write() {} })
    const input = Readable.from([])
    const reply = await answerFiles(
      { op: 'read', path: at('file'), from: 0, length: null },
      { input, output },
      50,
    )
    expect(reply.ok).toBe(false)
    expect(output.destroyed).toBe(true)
  })
})

describe('writing', () => {
  it('replaces all of a file and keeps its mode; a new one gets 0644', async () => {
    expect(await write(at('new'), 'first')).toMatchObject({ ok: true, bytes: 5 })
    expect(lstatSync(at('new')).mode & 0o7777).toBe(0o644)
    chmodSync(at('new'), 0o4750)
    expect(await write(at('new'), '2nd')).toMatchObject({ ok: true, bytes: 3 })
    expect(readFileSync(at('new'), 'utf8')).toBe('2nd')
    expect(lstatSync(at('new')).mode & 0o7777).toBe(0o750)
    expect(await write(at('empty'), '')).toMatchObject({ ok: true, bytes: 0 })
  })

  it('that is cut off or falls silent leaves what was there, and nothing beside it', async () => {
    writeFileSync(at('file'), 'old')
    const cut = new PassThrough()
    cut.write('half')
    setTimeout(() => cut.destroy(), 20)
    expect((await write(at('file'), cut)).ok).toBe(false)
    const quiet = new PassThrough()
    quiet.write('half')
    const ends = { input: quiet, output: new PassThrough() }
    expect((await answerFiles({ op: 'write', path: at('file'), from: null }, ends, 50)).ok).toBe(false)
    expect(readFileSync(at('file'), 'utf8')).toBe('old')
    expect(readdirSync(dir)).toEqual(['file'])
  })

  it('goes through links to the file, also to one that is not there yet, and not for ever', async () => {
    mkdirSync(at('folder'))
    symlinkSync('folder/file', at('relative'))
    symlinkSync(at('relative'), at('absolute'))
    symlinkSync('loop', at('loop'))
    expect(await write(at('absolute'), 'new')).toMatchObject({ ok: true })
    expect(await write(at('relative'), 'er', 2)).toMatchObject({ ok: true, bytes: 4 })
    expect(readFileSync(at('folder/file'), 'utf8')).toBe('neer')
    expect(readlinkSync(at('relative'))).toBe('folder/file')
    expect(await write(at('loop'), 'x')).toMatchObject(fault('bad_path'))
  })

  it('from a byte on keeps the rest and makes the file where there is none', async () => {
    expect(await write(at('file'), 'cd', 2)).toMatchObject({ ok: true, bytes: 4 })
    expect(await write(at('file'), 'ab', 0)).toMatchObject({ ok: true, bytes: 4 })
    expect(readFileSync(at('file'), 'utf8')).toBe('abcd')
    const parts = await Promise.all(
      [0, 1, 2, 3, 4, 5, 6, 7].map(part => write(at('parts'), String(part), part)),
    )
    expect(parts.every(({ ok }) => ok)).toBe(true)
    expect(readFileSync(at('parts'), 'utf8')).toBe('01234567')
  })

  it('to a folder, below a file or below nothing is refused', async () => {
    mkdirSync(at('folder'))
    writeFileSync(at('file'), '')
    for (const from of [null, 0]) {
      expect(await write(at('folder'), 'x', from)).toMatchObject(fault('not_a_file'))
      expect(await write(at('file/x'), 'x', from)).toMatchObject(fault('not_a_folder'))
      expect(await write(at('no/x'), 'x', from)).toMatchObject(fault('not_found'))
    }
  })

  it('to a full disk says so and leaves what was there (needs root)', async context => {
    mkdirSync(at('small'))
    const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', at('small')])
    if (mounted.status !== 0) context.skip('no disk of its own can be mounted here')
    try {
      writeFileSync(at('small/file'), 'old')
      const much = Readable.from([Buffer.alloc(2_000_000)])
      expect(await write(at('small/file'), much)).toMatchObject(fault('no_space'))
      expect(readFileSync(at('small/file'), 'utf8')).toBe('old')
      expect(readdirSync(at('small'))).toEqual(['file'])
      expect(await remove(at('small'))).toMatchObject(fault('no_access'))
      expect(readdirSync(at('small'))).toEqual(['file'])
    } finally {
      spawnSync('umount', [at('small')])
    }
  })

  it('much is written as it is', async () => {
    const data = randomBytes(5_000_000)
    expect(
      await write(at('file'), Readable.from([data.subarray(0, 70_001), data.subarray(70_001)])),
    ).toMatchObject({
      bytes: data.length,
    })
    expect(readFileSync(at('file')).equals(data)).toBe(true)
  })
})

describe('a new folder', () => {
  it('is done also when it is there, and not when something else is', async () => {
    for (let round = 0; round < 2; round++)
      expect(await call({ op: 'makeFolder', path: at('folder') })).toMatchObject({ ok: true })
    writeFileSync(at('file'), '')
    expect(await call({ op: 'makeFolder', path: at('file') })).toMatchObject(fault('exists'))
    expect(await call({ op: 'makeFolder', path: at('no', 'folder') })).toMatchObject(fault('not_found'))
  })
})

describe('renaming', () => {
  it('moves a file, a link or a folder, and nothing else with it', async () => {
    mkdirSync(at('folder'))
    writeFileSync(at('folder/file'), 'kept')
    symlinkSync('nowhere', at('link'))
    expect(await rename(at('link'), at('folder/link'))).toMatchObject({ ok: true })
    expect(await rename(at('folder/file'), at('file'))).toMatchObject({ ok: true })
    expect(await rename(at('folder'), at('moved'))).toMatchObject({ ok: true })
    expect(readlinkSync(at('moved/link'))).toBe('nowhere')
    expect(readFileSync(at('file'), 'utf8')).toBe('kept')
    expect(readdirSync(dir)).toEqual(['file', 'moved'])
  })

  it('never goes over something that is there', async () => {
    for (const name of ['folder', 'full', 'other']) mkdirSync(at(name))
    for (const name of ['file', 'full/file', 'second']) writeFileSync(at(name), name)
    symlinkSync('nowhere', at('link'))
    for (const path of ['file', 'folder', 'link'])
      for (const to of ['second', 'other', 'full', 'link', 'file', 'folder'])
        expect(await rename(at(path), at(to))).toMatchObject(fault('exists'))
    expect(readFileSync(at('second'), 'utf8')).toBe('second')
    expect(readlinkSync(at('link'))).toBe('nowhere')
  })

  it('that can’t be done leaves nothing at the new name', async context => {
    mkdirSync(at('folder'))
    writeFileSync(at('folder/file'), '')
    expect(await rename(at('folder'), at('folder/inner'))).toMatchObject(fault('bad_path'))
    expect(await rename(at('gone'), at('here'))).toMatchObject(fault('not_found'))
    expect(readdirSync(dir, { recursive: true })).toEqual(['folder', 'folder/file'])
    if (lstatSync('/dev/shm').dev === lstatSync(dir).dev) context.skip('there is one disk alone')
    const away = `/dev/shm/${dir.split('/').at(-1)}`
    for (const path of ['folder', 'folder/file'])
      expect(await rename(at(path), away)).toMatchObject(fault('other_disk'))
    expect(existsSync(away)).toBe(false)
  })
})

it('calls are as many at once as allowed; what ends makes room', async () => {
  const inputs = Array.from({ length: maxFileCalls }, () => new PassThrough())
  const writes = inputs.map((input, part) => write(at(`file-${part}`), input))
  await expect.poll(() => readdirSync(dir).length).toBe(maxFileCalls)
  expect(await list(dir)).toMatchObject(fault('busy'))
  for (const input of inputs) input.end()
  for (const reply of await Promise.all(writes)) expect(reply.ok).toBe(true)
  expect((await list(dir)).entries).toHaveLength(maxFileCalls)
})
