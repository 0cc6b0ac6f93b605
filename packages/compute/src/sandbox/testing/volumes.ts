/** What volumes may leave on a host: their files, mounts and devices. */
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isRoot } from './sandbox.ts'

export function leftovers(dir: string): string[] {
  const files = ['volumes', 'snapshots', 'trash'].flatMap(name =>
    existsSync(join(dir, name)) ? readdirSync(join(dir, name)) : [],
  )
  const mounts = readFileSync('/proc/self/mountinfo', 'utf8').split('\n')
  const devices = isRoot
    ? execFileSync('losetup', ['-nO', 'BACK-FILE'], { encoding: 'utf8' }).split('\n')
    : []
  return [...files, ...[...mounts, ...devices].filter(line => line.includes(dir))]
}
