/** What a tenant can build is taken away again: deep, wide, linked, with any name. */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { removeFiles } from './remove-files.ts'

const patienceMs = 2_000
let dir = ''
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'ingot-remove-'))
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))
const at = (...names: string[]) => join(dir, ...names)

it('a file, a link, a tree and what is not there are removed, and nothing that a link leads to', async () => {
  mkdirSync(at('outside'))
  writeFileSync(at('outside/file'), 'kept')
  mkdirSync(at('tree/a/b/c'), { recursive: true })
  for (const name of ['tree/1', 'tree/a/2', 'tree/a/b/c/3']) writeFileSync(at(name), '')
  for (const name of ['tree/a/out', 'tree/out', 'link']) symlinkSync(at('outside'), at(name))
  expect(spawnSync('mkfifo', [at('tree/a/pipe')]).status).toBe(0)
  writeFileSync(Buffer.concat([Buffer.from(at('tree/a/b/')), Buffer.from([0xff, 0xfe])]), '')
  for (const path of ['tree', 'link', 'nothing']) expect(await removeFiles(at(path), patienceMs)).toBe(true)
  expect(readdirSync(dir, { recursive: true })).toEqual(['outside', 'outside/file'])
})

it(
  'a tree that is deeper than a path can be long goes, in small steps as well',
  { timeout: 60_000 },
  async () => {
    const deep = 'my $d = "d" x 200; for (1 .. 300) { mkdir $d; open(my $f, ">", "file"); chdir $d or die }'
    mkdirSync(at('deep'))
    expect(spawnSync('perl', ['-e', deep], { cwd: at('deep') }).status).toBe(0)
    let steps = 1
    while (!(await removeFiles(at('deep'), 20))) steps++
    expect(steps).toBeGreaterThan(1)
    expect(readdirSync(dir)).toEqual([])
  },
)

it('of very many names the event loop takes no notice', { timeout: 60_000 }, async () => {
  mkdirSync(at('wide'))
  for (let name = 0; name < 10_000; name++) writeFileSync(at('wide', String(name)), '')
  const delay = monitorEventLoopDelay({ resolution: 1 })
  delay.enable()
  while (!(await removeFiles(at('wide'), patienceMs)));
  delay.disable()
  expect(delay.max / 1e6).toBeLessThan(200)
})

it('what a path leads up to is not removed', async () => {
  mkdirSync(at('folder/inner'), { recursive: true })
  for (const path of ['folder/.', 'folder/inner/..'])
    await expect(removeFiles(`${dir}/${path}`, patienceMs)).rejects.toThrow('bad_path')
  expect(existsSync(at('folder/inner'))).toBe(true)
})
