/**
 * What is stored of a snapshot: a tar with the image or the files, without their holes. It is made of something that
 * nobody writes to meanwhile, and only ever unpacked by the sum that it had then.
 */
import { runTool, tool } from './run-tool.ts'
import { ownFolder } from './images.ts'
import type { Kind } from './volume-files.ts'

const contentOf = (kind: Kind): string => (kind === 'image' ? 'image' : ownFolder)

export async function pack(kind: Kind, folder: string, content: string): Promise<void> {
  const what = ['--sparse', '--numeric-owner', '--xattrs', '--one-file-system']
  await tool('tar', ['--create', ...what, '--file', content, '--directory', folder, '--', contentOf(kind)])
  await tool('sync', ['--', content])
}

export async function unpack(kind: Kind, content: string, folder: string): Promise<void> {
  const what = ['--sparse', '--numeric-owner', '--xattrs', '--same-permissions']
  await tool('tar', ['--extract', ...what, '--file', content, '--directory', folder, '--', contentOf(kind)])
  if (kind === 'image') await tool('sync', ['--', `${folder}/image`])
}

/** In hexadecimal digits; none where it can't be read. */
export async function sumOf(content: string): Promise<string> {
  const { code, output } = await runTool('sha256sum', ['--', content])
  return code === 0 ? (/^\\?([0-9a-f]{64}) /.exec(output)?.[1] ?? '') : ''
}
