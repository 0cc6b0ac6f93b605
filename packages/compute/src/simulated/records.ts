/**
 * Small JSON records that survive a killed process: one file each, written beside and renamed into place, so that a
 * reader finds the old record or the new one and never half of one. A file that cannot be read as a record (torn by a
 * full disk, or something else's) counts as absent. Without a folder the records live in memory alone.
 *
 * Writes are synchronous: a record is on disk when the call that made it answers. They throw what the disk throws,
 * and memory then still holds what is on disk.
 */
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export interface Records<T> extends Iterable<readonly [id: string, record: T]> {
  get(id: string): T | undefined
  put(id: string, record: T): void
  drop(id: string): void
}

const suffix = '.json'

/** `id` becomes a file name: whoever chooses it keeps it to letters, digits, dots and hyphens. */
export function openRecords<T>(dir: string | null, isRecord: (value: unknown) => value is T): Records<T> {
  const records = new Map<string, T>()
  const file = (id: string) => join(dir!, id + suffix)

  if (dir !== null) {
    mkdirSync(dir, { recursive: true, mode: 0o700 })
    for (const name of readdirSync(dir)) {
      const path = join(dir, name)
      if (name.endsWith('.tmp')) rmSync(path, { force: true })
      if (!name.endsWith(suffix)) continue
      const record = readRecord(path, isRecord)
      if (record !== undefined) records.set(name.slice(0, -suffix.length), record)
    }
  }

  return {
    [Symbol.iterator]: () => records.entries(),
    get: id => records.get(id),
    put(id, record) {
      if (dir !== null) {
        const beside = `${file(id)}.tmp`
        writeFileSync(beside, JSON.stringify(record), { mode: 0o600 })
        renameSync(beside, file(id))
      }
      records.set(id, record)
    },
    drop(id) {
      if (!records.has(id)) return
      if (dir !== null) rmSync(file(id), { force: true })
      records.delete(id)
    },
  }
}

function readRecord<T>(path: string, isRecord: (value: unknown) => value is T): T | undefined {
  try {
    const value: unknown = JSON.parse(readFileSync(path, 'utf8'))
    return isRecord(value) ? value : undefined
  } catch {
    return undefined
  }
}
