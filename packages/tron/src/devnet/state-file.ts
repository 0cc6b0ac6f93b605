/**
 * The devnet's record on disk: one JSON line for each change, only ever appended, flushed before it counts. A kill or
 * a power cut can leave half a line at the end; nothing was answered on its strength, so it is cut off when the file
 * is opened again. A bad line anywhere else means that someone changed the file, and is refused.
 */
import {
  closeSync,
  fdatasyncSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readFileSync,
  writeSync,
} from 'node:fs'
import { dirname } from 'node:path'
import type { ChainRecord } from './chain.ts'
import type { RecordStore } from './node.ts'

const newline = 0x0a

export function openStateFile(path: string): RecordStore {
  mkdirSync(dirname(path), { recursive: true })
  const file = openSync(path, 'a+', 0o600)
  const bytes = readFileSync(file)
  const whole = bytes.lastIndexOf(newline) + 1
  if (whole < bytes.length) ftruncateSync(file, whole)
  let size = whole
  const lines = bytes.subarray(0, whole).toString('utf8').split('\n').slice(0, -1)
  return {
    records: lines.map((line, index) => readRecord(line, index, path)),
    append(records) {
      const text = Buffer.from(records.map(record => `${JSON.stringify(record)}\n`).join(''))
      try {
        writeAll(file, text)
        fdatasyncSync(file)
        size += text.length
      } catch (error) {
        // A full disk must not leave half a line in front of the next one.
        ftruncateSync(file, size)
        throw error
      }
    },
    close: () => closeSync(file),
  }
}

export const memoryStore = (): RecordStore => ({ records: [], append: () => {}, close: () => {} })

const kinds: readonly string[] = [
  'genesis',
  'transaction',
  'block',
  'drop',
  'freeze',
] satisfies ChainRecord['kind'][]

function readRecord(line: string, index: number, path: string): ChainRecord {
  try {
    const record: ChainRecord = JSON.parse(line)
    if (kinds.includes(record.kind)) return record
  } catch {
    // Reported below.
  }
  throw new Error(`${path}: line ${index + 1} is damaged; delete the file to begin a new devnet`)
}

function writeAll(file: number, bytes: Buffer): void {
  let written = 0
  while (written < bytes.length) written += writeSync(file, bytes, written)
}
