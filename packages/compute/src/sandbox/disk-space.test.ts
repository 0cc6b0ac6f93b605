import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmdirSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createDiskSpace } from './disk-space.ts'

const mebibyte = 2 ** 20

it('what disks take counts as free, so that a disk that fills changes nothing (needs root)', async context => {
  if (process.getuid?.() !== 0) context.skip('a file system of its own is mounted')
  const dir = mkdtempSync(join(tmpdir(), 'ingot-space-'))
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64m', 'none', dir])
  try {
    const machines = join(dir, 'machines')
    mkdirSync(machines)
    const measured = async () => {
      const space = createDiskSpace(machines)
      const bytes = await space.bytes()
      space.close()
      return bytes
    }
    const before = await measured()
    expect(before).toBeGreaterThan(60 * mebibyte)
    writeFileSync(join(machines, 'filled'), Buffer.alloc(20 * mebibyte, 1))
    expect(Math.abs((await measured()) - before)).toBeLessThan(mebibyte / 4)
    writeFileSync(join(dir, 'of-somebody-else'), Buffer.alloc(20 * mebibyte, 1))
    expect(Math.abs((await measured()) - (before - 20 * mebibyte))).toBeLessThan(mebibyte / 4)
  } finally {
    execFileSync('umount', ['-l', dir])
    rmdirSync(dir)
  }
})
