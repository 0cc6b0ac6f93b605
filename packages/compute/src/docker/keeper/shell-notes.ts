/** Which shells the engine runs for us: a file each, so that whoever comes after a keeper that was killed can end them. */
import { randomUUID } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export interface ShellNote {
  readonly containerId: string
  /** In the container. */
  readonly pid: number
  /** Clock ticks after boot: the number may pass to another process. */
  readonly startTime: string
}

export type ShellNotes = ReturnType<typeof openShellNotes>

export function openShellNotes(dir: string) {
  const folder = join(dir, 'shells')
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const own = new Map<string, ShellNote>()
  // What is there now was left by others; it goes when those shells have been ended.
  const left = readdirSync(folder)

  return {
    own: (): ShellNote[] => [...own.values()],
    /** Those that a keeper before this one has left. */
    taken(): ShellNote[] {
      return left.flatMap(name => {
        const path = join(folder, name)
        try {
          return [JSON.parse(readFileSync(path, 'utf8')) as ShellNote]
        } catch {
          return []
        } finally {
          rmSync(path, { force: true })
        }
      })
    },
    /** Answers how to forget it. */
    add(note: ShellNote): () => void {
      const name = randomUUID()
      own.set(name, note)
      try {
        writeFileSync(join(folder, `${name}.new`), JSON.stringify(note), { mode: 0o600 })
        renameSync(join(folder, `${name}.new`), join(folder, name))
      } catch {
        // The folder is gone: this keeper ends in a moment, and all its shells with it.
      }
      return () => {
        own.delete(name)
        rmSync(join(folder, name), { force: true })
      }
    },
  }
}
