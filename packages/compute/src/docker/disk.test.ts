/** What disks already take on the engine's host counts as free, where one number can say it. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmdirSync, writeFileSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openDisk } from './disk.ts'
import type { Engine } from './engine.ts'
import { namesOf } from './names.ts'

const mebibyte = 2 ** 20

it('of machines, volumes and snapshots; of another file system nothing is said (needs root)', async context => {
  if (process.getuid?.() !== 0) context.skip('a file system of its own is mounted')
  const dir = mkdtempSync(join(tmpdir(), 'ingot-disk-'))
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64m', 'none', dir])
  try {
    for (const name of ['volumes', 'snapshots', 'engine']) mkdirSync(join(dir, name))
    const containers = [
      { Labels: { 'ingot.instance': 'a' }, SizeRw: 7 * mebibyte },
      // Ours, of no machine.
      { Labels: {}, SizeRw: 5 * mebibyte },
    ]
    const engine = { patient: { listContainers: async () => containers } } as unknown as Engine
    const bytes = async () => {
      const space = openDisk(engine, namesOf('test'), dir, join(dir, 'engine'))!
      const found = await space.bytes()
      space.close()
      const { bavail, bsize } = await statfs(dir)
      return found - bavail * bsize
    }
    expect(await bytes()).toBe(7 * mebibyte)
    writeFileSync(join(dir, 'volumes', 'image'), Buffer.alloc(20 * mebibyte, 1))
    writeFileSync(join(dir, 'snapshots', 'content'), Buffer.alloc(10 * mebibyte, 1))
    expect(Math.abs((await bytes()) - 37 * mebibyte)).toBeLessThan(mebibyte / 4)
    expect(openDisk(engine, namesOf('test'), dir, '/proc')).toBeNull()
    expect(openDisk(engine, namesOf('test'), dir, join(dir, 'none'))).toBeNull()
  } finally {
    execFileSync('umount', ['-l', dir])
    rmdirSync(dir)
  }
})
