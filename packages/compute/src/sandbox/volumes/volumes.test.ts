/** Both designs keep the contract of volumes, and nothing is left of them on the host. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { describeVolumes } from '../../volume-conformance.ts'
import { createSandboxDriver } from '../driver.ts'
import { designs } from '../launch/launch.ts'
import { designsHere, isRoot } from '../testing/sandbox.ts'

/** Files, mounts and devices. */
export function leftovers(dir: string): string[] {
  const files = ['volumes', 'snapshots', 'trash'].flatMap(name =>
    existsSync(join(dir, name)) ? readdirSync(join(dir, name)) : [],
  )
  const mounts = readFileSync('/proc/self/mountinfo', 'utf8')
    .split('\n')
    .filter(line => line.includes(dir))
  const devices = isRoot ? execFileSync('losetup', ['-nO', 'BACK-FILE'], { encoding: 'utf8' }).split('\n') : []
  return [...files, ...mounts, ...devices.filter(file => file.includes(dir))]
}

for (const design of designs)
  describeVolumes(`sandbox by ${design}`, dir => createSandboxDriver({ dir, design, maxMachines: 4 }), {
    skip: designsHere.includes(design) ? null : 'it does not work on this machine',
    leftovers,
  })
