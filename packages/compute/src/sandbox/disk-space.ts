/**
 * How much disks may take: what is free where they are, and what they already take. The second is measured beside the
 * server every ten minutes, and given up where a tenant has made it take long: it then counts as before, so less is
 * offered and never more.
 */
import { spawn } from 'node:child_process'
import { statfs } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'

const everyMs = 10 * 60_000
const longestMs = 5 * 60_000
/** How long an answer waits for the first measurement. */
const patienceMs = 2_000
const kibibyte = 1024

export interface DiskSpace {
  bytes(): Promise<number>
  close(): void
}

/** What disks take, in bytes; null: it was not found out. */
type Measure = (signal: AbortSignal) => Promise<number | null>

/** Of several folders on one file system, of which the first is asked for what is free. */
export const createDiskSpace = (...folders: [string, ...string[]]): DiskSpace =>
  diskSpaceOf(folders[0], signal => diskUsage(folders, signal))

export function diskSpaceOf(folder: string, taken: Measure): DiskSpace {
  const closing = new AbortController()
  let takenBytes = 0
  let measuring: Promise<void> | null = null
  let dueAt = 0

  async function measure(): Promise<void> {
    const limit = AbortSignal.any([closing.signal, AbortSignal.timeout(longestMs)])
    takenBytes = (await taken(limit).catch(() => null)) ?? takenBytes
    measuring = null
  }

  return {
    async bytes() {
      if (!measuring && performance.now() >= dueAt && !closing.signal.aborted) {
        dueAt = performance.now() + everyMs
        measuring = measure()
        await Promise.race([measuring, sleep(patienceMs, undefined, { ref: false })])
      }
      const { bavail, bsize } = await statfs(folder)
      return bavail * bsize + takenBytes
    },
    close: () => closing.abort(),
  }
}

/** Of this file system alone. */
export const diskUsage = (folders: readonly string[], signal: AbortSignal): Promise<number | null> =>
  new Promise(resolve => {
    const du = spawn('nice', ['-n', '19', 'du', '-scxk', '--', ...folders], {
      stdio: ['ignore', 'pipe', 'ignore'],
      signal,
      killSignal: 'SIGKILL',
    })
    let text = ''
    du.stdout.setEncoding('utf8').on('data', part => void (text += part))
    du.on('error', () => resolve(null))
    // It ends with a failure also when a file went away under it, and tells of all others.
    du.on('close', () => resolve(totalOf(text)))
  })

/** The last line has the sum of all, in KiB. */
function totalOf(text: string): number | null {
  const total = /^\d+/.exec(text.trimEnd().split('\n').at(-1)!)?.[0]
  return total === undefined ? null : Number(total) * kibibyte
}
