/**
 * A folder as a tar, read as fast as its reader takes it. Links are not followed. What is left out (links, what is no
 * file, what can't be read) is named in a text at the end. A file that becomes shorter while it is read ends the stream:
 * no half passes for the whole.
 */
import { Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'
import type { FileEntry, MachineFiles } from '@ingot/compute/driver'
import { IngotError } from '@ingot/contracts/errors'
import { createTarPacker, type TarPackController } from 'modern-tar'
import { ask } from './ask.ts'

const mostLeftOut = 10_000

interface Left {
  readonly names: string[]
  count: number
}

export function tarOf(files: MachineFiles, path: string, name: string): Readable {
  const { readable, controller } = createTarPacker()
  const left: Left = { names: [], count: 0 }
  void (async () => {
    await addFolder(files, controller, path.replace(/\/+$/, ''), name, left)
    if (left.count) await addText(controller, `${name}/left-out-of-this-download.txt`, textOf(left))
    controller.finalize()
  })().catch(error => controller.error(error))
  return Readable.fromWeb(readable as ReadableStream<Uint8Array>)
}

async function addFolder(
  files: MachineFiles,
  tar: TarPackController,
  path: string,
  name: string,
  left: Left,
): Promise<void> {
  await tar.add({ name: `${name}/`, size: 0, type: 'directory', mode: 0o755 }).close()
  let after: string | undefined
  for (;;) {
    const { entries, hasMore } = await ask(() => files.list(path || '/', { after }))
    for (const entry of entries) {
      const [at, as] = [`${path}/${entry.name}`, `${name}/${entry.name}`]
      const isIn = await orFault(async () => {
        if (entry.kind === 'folder') await addFolder(files, tar, at, as, left)
        return entry.kind === 'folder' || (entry.kind === 'file' && (await addFile(files, tar, at, as)))
      })
      if (isIn) continue
      left.count++
      if (left.names.length < mostLeftOut) left.names.push(`${as} (${whyOut[entry.kind]})`)
    }
    after = entries.at(-1)?.name
    if (!hasMore || after === undefined) return
  }
}

const whyOut: Readonly<Record<FileEntry['kind'], string>> = {
  link: 'a link',
  other: 'not a file',
  file: 'not readable',
  folder: 'not readable',
}

/** False where this file or folder can't be read; what else goes wrong ends the tar. */
async function orFault(work: () => Promise<boolean>): Promise<boolean> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof IngotError && error.code === 'validation_failed') return false
    throw error
  }
}

async function addFile(
  files: MachineFiles,
  tar: TarPackController,
  path: string,
  name: string,
): Promise<boolean> {
  const { entry, data } = await ask(() => files.read(path))
  data.on('error', () => {})
  try {
    const header = {
      name,
      size: entry.bytes,
      type: 'file' as const,
      mode: entry.mode & 0o777,
      mtime: new Date(Math.max(0, entry.modifiedAt)),
    }
    const writer = tar.add(header).getWriter()
    // Whoever stops reading ends the tar: that is heard where it is written.
    writer.closed.catch(() => {})
    for await (const part of data) await writer.write(part as Buffer)
    await writer.close()
  } finally {
    data.destroy()
  }
  return true
}

async function addText(tar: TarPackController, name: string, text: string): Promise<void> {
  const bytes = Buffer.from(text)
  const writer = tar.add({ name, size: bytes.length, type: 'file', mode: 0o644 }).getWriter()
  writer.closed.catch(() => {})
  await writer.write(bytes)
  await writer.close()
}

const textOf = ({ names, count }: Left): string =>
  [
    'These were left out of this download:',
    ...names,
    ...(count > names.length ? [`and ${count - names.length} more`] : []),
    '',
  ].join('\n')
