/** Folders of an instance or a volume, page by page. A machine's own programs change them without a word, so a screen asks again. */
import { type FileEntry, maxPreviewBytes, previewImageTypes } from '@ingot/contracts/files'
import { usePages } from '../list/use-pages.ts'
import { api } from '../shell/api.ts'
import type { FileSource } from './source.ts'

const pageSize = 500
const refetchMs = 30_000

export const folderKey = (id: string, path: string) => ['files', id, path] as const

export const useFolder = ({ kind, id }: FileSource, path: string) =>
  usePages<FileEntry>({
    queryKey: folderKey(id, path),
    pageSize,
    refetchMs,
    fetch: ({ limit, cursor }, { signal }) => api[kind].files({ id, path, limit, cursor }, { signal }),
  })

/** Saves it by the browser's own means: a link for this one file, or for a folder as a tar. */
export async function saveFile({ kind, id }: FileSource, path: string): Promise<void> {
  const { url, name } = await api[kind].download({ id, path })
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
}

/** Of an image that is shown. */
const maxImageBytes = 8 * 1024 * 1024

export type Preview =
  | { readonly kind: 'text'; readonly text: string; readonly isCut: boolean }
  | { readonly kind: 'image'; readonly url: string }
  | { readonly kind: 'none'; readonly why: string }

/** Text that is UTF-8, and raster images. Nothing of a file is ever opened as a page. */
export async function previewOf(
  { kind, id }: FileSource,
  path: string,
  signal: AbortSignal,
): Promise<Preview> {
  const { url, bytes } = await api[kind].download({ id, path }, { signal })
  if (!bytes) return { kind: 'none', why: 'This file is empty.' }
  const fetched = async (most: number) => {
    const answer = await fetch(url, { signal, headers: { range: `bytes=0-${most - 1}` } })
    if (!answer.ok) throw new TypeError('failed to fetch the file')
    return new Uint8Array(await answer.arrayBuffer())
  }
  const head = await fetched(Math.min(bytes, maxPreviewBytes))
  const type = imageType(head)
  if (type) {
    if (bytes > maxImageBytes) return { kind: 'none', why: 'This image is too large to be shown here.' }
    const whole = head.length < bytes ? await fetched(bytes) : head
    return { kind: 'image', url: await dataUrl(new Blob([whole], { type })) }
  }
  const text = textOf(head, head.length < bytes)
  if (text === null) return { kind: 'none', why: 'This file is neither text nor an image that can be shown.' }
  return { kind: 'text', text, isCut: head.length < bytes }
}

/** By its first bytes: a name says nothing. */
export function imageType(bytes: Uint8Array): (typeof previewImageTypes)[number] | null {
  const text = String.fromCharCode(...bytes.subarray(0, 12))
  if (text.startsWith('\x89PNG\r\n\x1a\n')) return 'image/png'
  if (text.startsWith('\xff\xd8\xff')) return 'image/jpeg'
  if (/^GIF8[79]a/.test(text)) return 'image/gif'
  if (/^RIFF....WEBP/s.test(text)) return 'image/webp'
  return /^....ftypavi[fs]/s.test(text) ? 'image/avif' : null
}

/** Null: it is no text. The last letter of a part may be cut in two. */
export function textOf(bytes: Uint8Array, isCut: boolean): string | null {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: isCut })
    // oxlint-disable-next-line no-control-regex
    return /[\u0000-\u0008\u000e-\u001a\u001c-\u001f]/.test(text) ? null : text
  } catch {
    return null
  }
}

const dataUrl = (blob: Blob): Promise<string> =>
  new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.addEventListener('load', () => resolve(String(reader.result)))
    reader.addEventListener('error', () => reject(new TypeError('failed to read the image')))
    reader.readAsDataURL(blob)
  })
