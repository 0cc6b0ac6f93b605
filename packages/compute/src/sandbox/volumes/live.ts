/** Mounts that come and go while a machine runs, as root and where the kernel has the calls for it (`enter.pl`). */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isArchitecture } from '../launch/seccomp.ts'
import type { ProcessIdentity } from '../processes.ts'
import { runTool } from './run-tool.ts'

const everywhere = { open_tree: 428, move_mount: 429, mount_setattr: 442 }
const numbers = {
  x64: { ...everywhere, setns: 308, umount2: 166, unshare: 272 },
  arm64: { ...everywhere, setns: 268, umount2: 39, unshare: 97 },
} as const

/** What it ends with when somebody uses the mount. */
const busy = 16

export interface Uids {
  /** Of the files. */
  readonly from: number
  /** Of the machine that gets them. */
  readonly to: number
}

function enter(init: ProcessIdentity, args: readonly string[]) {
  const calls = isArchitecture(process.arch) ? Object.entries(numbers[process.arch]) : []
  const words = calls.map(([name, number]) => `${name}=${number}`)
  const program = join(import.meta.dirname, 'enter.pl')
  return runTool('perl', [program, String(init.pid), init.startTime, ...args, ...words])
}

export async function mountInside(
  init: ProcessIdentity,
  target: string,
  source: string,
  readOnly: boolean,
  { from, to }: Uids,
): Promise<void> {
  const mode = readOnly ? 'ro' : 'rw'
  const { code, output } = await enter(init, ['attach', target, source, mode, String(from), String(to)])
  if (code !== 0) throw new Error(`mounting in the machine ended with ${code}: ${output}`)
}

/** False: a program there uses it. */
export async function unmountInside(init: ProcessIdentity, target: string): Promise<boolean> {
  const { code, output } = await enter(init, ['detach', target])
  if (code !== 0 && code !== busy) throw new Error(`unmounting in the machine ended with ${code}: ${output}`)
  return code === 0
}

/** False: a program there has a file open for writing. */
export async function setReadOnlyInside(
  init: ProcessIdentity,
  target: string,
  readOnly: boolean,
): Promise<boolean> {
  const { code, output } = await enter(init, ['change', target, readOnly ? 'ro' : 'rw'])
  if (code !== 0 && code !== busy)
    throw new Error(`changing a mount in the machine ended with ${code}: ${output}`)
  return code === 0
}

/**
 * By path, each with its flags. Nobody in a machine can mount, so there are as many lines as it began with, and ours.
 */
export function mountsInside({ pid }: ProcessIdentity): ReadonlyMap<string, readonly string[]> {
  const lines = readFileSync(`/proc/${pid}/mountinfo`, 'utf8').split('\n')
  const mounts = lines.map(line => line.split(' ')).filter(fields => fields.length > 5)
  return new Map(mounts.map(fields => [fields[4]!, fields[5]!.split(',')]))
}
