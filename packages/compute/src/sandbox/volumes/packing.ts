/**
 * What is stored of a snapshot: a tar with the image or the files, without their holes. It is made of something that
 * nobody writes to meanwhile, and only ever unpacked by the sum that it had then.
 */
import { join } from 'node:path'
import { ownFolder } from './images.ts'
import { tool } from './run-tool.ts'
import type { Kind } from './volume-files.ts'

const contentOf = (kind: Kind): string => (kind === 'image' ? 'image' : ownFolder)

async function summed(args: readonly string[]): Promise<string> {
  const said = await tool(process.execPath, [join(import.meta.dirname, 'sum-program.ts'), ...args])
  const sum = /^[0-9a-f]{64}$/m.exec(said)?.[0]
  if (!sum) throw new Error(`there is no sum in: ${said.slice(0, 500)}`)
  return sum
}

/** Answers the sum of what is in `content` then. */
export function pack(kind: Kind, folder: string, content: string): Promise<string> {
  const what = ['--sparse', '--numeric-owner', '--xattrs', '--one-file-system']
  const tar = ['tar', '--create', ...what, '--file', '-', '--directory', folder, '--', contentOf(kind)]
  return summed(['keep', content, ...tar])
}

export async function unpack(kind: Kind, content: string, folder: string): Promise<void> {
  const what = ['--sparse', '--numeric-owner', '--xattrs', '--same-permissions']
  await tool('tar', ['--extract', ...what, '--file', content, '--directory', folder, '--', contentOf(kind)])
  if (kind === 'image') await tool('sync', ['--', join(folder, 'image')])
}

/** In hexadecimal digits. */
export const sumOf = (content: string): Promise<string> => summed(['sum', content])
