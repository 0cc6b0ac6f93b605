/** What lies at a path of a container, looked at from outside. Of the engine's answer no more is read than is needed. */
import { type Engine, statusOf } from '../engine.ts'

const blockBytes = 512
const maxBytes = 2 ** 20
/** Kinds of entries in a tar: a folder, a file, and notes on the entry that follows. */
const [folder, file, notes] = ['5', '0', ['x', 'g']]

interface Entry {
  readonly kind: string
  readonly data: Buffer
}

/** The beginning of a tar, without what was cut off. */
export function entriesOf(head: Buffer): Entry[] {
  const entries: Entry[] = []
  for (let at = 0; at + blockBytes <= head.length;) {
    const block = head.subarray(at, at + blockBytes)
    if (block.every(byte => byte === 0)) break
    const kind = String.fromCharCode(block[156]!)
    const bytes = Number.parseInt(block.toString('latin1', 124, 136), 8) || 0
    const data = head.subarray(at + blockBytes, at + blockBytes + bytes)
    if (!notes.includes(kind)) entries.push({ kind, data })
    at += blockBytes + Math.ceil(bytes / blockBytes) * blockBytes
  }
  return entries
}

/** Null: nothing is there. */
async function headOf(engine: Engine, container: string, path: string): Promise<Buffer | null> {
  const parts: Buffer[] = []
  let bytes = 0
  try {
    const archive = await engine.read(`/containers/${container}/archive?path=${encodeURIComponent(path)}`)
    for await (const part of archive as AsyncIterable<Buffer>) {
      parts.push(part)
      bytes += part.length
      if (bytes > maxBytes) break
    }
  } catch (error) {
    if (statusOf(error) === 404) return null
    throw error
  }
  return Buffer.concat(parts)
}

/** Whether a mount there would hide anything. */
export async function isTaken(engine: Engine, container: string, path: string): Promise<boolean> {
  const head = await headOf(engine, container, path)
  if (head === null) return false
  const entries = entriesOf(head)
  return entries.length !== 1 || entries[0]!.kind !== folder
}

/** Empty where there is no such file. */
export async function textAt(engine: Engine, container: string, path: string): Promise<string> {
  const head = await headOf(engine, container, path)
  return head === null
    ? ''
    : (entriesOf(head)
        .find(({ kind }) => kind === file)
        ?.data.toString() ?? '')
}
