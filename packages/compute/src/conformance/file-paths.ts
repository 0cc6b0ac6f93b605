/**
 * The part of the suite about where paths lead: to files and folders of their machine, through its links, and nowhere
 * else, however they are made.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { expect, it, onTestFinished } from 'vitest'
import type { Ref } from '../driver.ts'
import { base, type FilesCall, home, namesOf, openFiles, rejectedFor } from './file-access.ts'
import type { Subject } from './subject.ts'

export const notPaths = [
  '',
  '.',
  '..',
  '~',
  'root',
  'root/a',
  './a',
  '../etc/passwd',
  '\0',
  '/a\0b',
  `${home}/\uD800`,
  `/${'a'.repeat(300)}`,
  `/${'é'.repeat(150)}`,
  '/a'.repeat(2_500),
]

/** Every call that takes a path. */
const callsAt = (path: string): Readonly<Record<string, FilesCall>> => ({
  list: files => files.list(path),
  stat: files => files.stat(path),
  read: files => files.read(path),
  write: files => files.write(path, Readable.from(['x'])),
  'write from': files => files.write(path, Readable.from(['x']), { from: 0 }),
  makeFolder: files => files.makeFolder(path),
  'rename from': files => files.rename(path, `${base}/renamed`),
  'rename to': files => files.rename(`${base}/file`, path),
  remove: files => files.remove(path),
})

export function describePaths(subject: Subject, machine: () => Ref): void {
  const { needRealShell, ran, value } = subject
  const on = () => openFiles(subject, machine())
  const sh = (script: string) => ran(machine(), ['sh', '-c', script])

  it('what is no absolute path, or longer than any, is one to no call', async () => {
    for (const path of notPaths)
      for (const [name, call] of Object.entries(callsAt(path)))
        expect(await on().fault(call), `${name} ${JSON.stringify(path).slice(0, 20)}`).toMatchObject(
          rejectedFor('bad_path'),
        )
  })

  it('no path leads to a file of the host', async context => {
    const dir = mkdtempSync(join(tmpdir(), 'ingot-canary-'))
    onTestFinished(() => rmSync(dir, { recursive: true }))
    const canary = join(dir, 'canary')
    writeFileSync(canary, 'of the host')
    const paths = [canary, `/..${canary}`, `${home}/../../../..${canary}`, `//${canary}`]
    for (const path of [
      ...paths,
      `/proc/1/root${canary}`,
      `/proc/self/root${canary}`,
      `/proc/self/cwd${canary}`,
    ])
      expect(await on().fault(files => files.read(path)), path).toMatchObject({ failure: 'rejected' })
    needRealShell(context)
    await sh(`cd ${base} && ln -s ${canary} to-file && ln -s ${dir} to-dir && ln -s /proc/1/root to-root`)
    for (const path of ['to-file', 'to-dir/canary', `to-root${canary}`, `to-root/../..${canary}`])
      for (const call of ['read', 'list', 'write'])
        expect(await on().fault(callsAt(`${base}/${path}`)[call]!), `${call} ${path}`).not.toMatchObject({
          kind: 'done',
        })
    expect(readFileSync(canary, 'utf8')).toBe('of the host')
  })

  it('links are followed, except where a call is about the link itself', async context => {
    needRealShell(context)
    const { write, read, stat, list, files, fault } = on()
    const folder = `${base}/links`
    await sh(
      `mkdir -p ${folder}/real && cd ${folder} && echo old > real/file && ln -s real dir && ln -s real/file link && ln -s loop loop && ln -s none dangling`,
    )
    expect((await read(`${folder}/link`)).toString()).toBe('old\n')
    await write(`${folder}/link`, 'new')
    await write(`${folder}/dir/other`, 'through the folder')
    expect((await read(`${folder}/real/file`)).toString()).toBe('new')
    expect((await read(`${folder}/real/other`)).toString()).toBe('through the folder')
    expect(await stat(`${folder}/link`)).toMatchObject({ name: 'link', kind: 'link' })
    expect((await list(folder)).map(({ name, kind }) => `${name} ${kind}`)).toEqual([
      'dangling link',
      'dir link',
      'link link',
      'loop link',
      'real folder',
    ])
    expect(await fault(files => files.read(`${folder}/loop`))).toMatchObject({ failure: 'rejected' })
    expect(await fault(files => files.read(`${folder}/dangling`))).toMatchObject(rejectedFor('not_found'))
    await value(() => files().rename(`${folder}/link`, `${folder}/renamed`))
    for (const name of ['dir', 'renamed']) await value(() => files().remove(`${folder}/${name}`))
    expect(namesOf(await list(`${folder}/real`))).toEqual(['file', 'other'])
    expect(namesOf(await list(folder))).toEqual(['dangling', 'loop', 'real'])
  })

  it('what is no file is neither read nor written, and keeps no call waiting', async context => {
    needRealShell(context)
    const { stat, fault } = on()
    await sh(`mkfifo ${base}/fifo`)
    expect(await stat(`${base}/fifo`)).toMatchObject({ kind: 'other' })
    for (const path of [`${base}/fifo`, '/dev/zero', '/dev/null'])
      for (const call of ['read', 'write', 'write from'])
        expect(await fault(callsAt(path)[call]!), `${call} ${path}`).toMatchObject(rejectedFor('not_a_file'))
  })
}
