/** One file, sent in pieces. What was cut off goes on where the service says that it stands. */
import { IngotError } from '@ingot/contracts/errors'
import { maxChunkBytes } from '@ingot/contracts/files'
import { api } from '../shell/api.ts'
import type { FileSource } from './source.ts'

/** Pauses before the next try of a piece; the last failure is said. */
const pausesMs = [1_000, 3_000, 10_000]

export interface Sending {
  readonly source: FileSource
  readonly path: string
  readonly replace: boolean
  readonly file: Blob
  /** Of an upload that was begun before. */
  readonly begun: string | null
  readonly signal: AbortSignal
  onBegun(id: string): void
  onReceived(bytes: number): void
}

export async function uploadFile(sending: Sending): Promise<void> {
  const { source, path, replace, file, begun, signal } = sending
  let upload = begun
    ? await api.files.upload({ id: begun }, { signal })
    : await api[source.kind].beginUpload({ id: source.id, path, bytes: file.size, replace }, { signal })
  sending.onBegun(upload.id)
  for (let tries = 0; upload.received_bytes < file.size;) {
    const offset = upload.received_bytes
    const bytes = new Uint8Array(await file.slice(offset, offset + maxChunkBytes).arrayBuffer())
    const piece = { id: upload.id, offset, sha256: await sha256Of(bytes) }
    try {
      upload = await api.files.putPiece(piece, { body: bytes, signal })
      tries = 0
    } catch (error) {
      const pause = signal.aborted || !mayPass(error) ? undefined : pausesMs[tries++]
      if (pause === undefined) throw error
      await new Promise(resolve => setTimeout(resolve, pause))
      // The answer alone may have been lost.
      upload = await api.files.upload({ id: upload.id }, { signal }).catch(() => upload)
    }
    sending.onReceived(upload.received_bytes)
  }
  await api.files.finishUpload({ id: upload.id }, { signal })
}

/** The connection, or the machine, may be back in a moment. */
const mayPass = (error: unknown): boolean =>
  error instanceof IngotError ? error.code === 'unavailable' || error.code === 'internal' : true

const sha256Of = async (bytes: Uint8Array<ArrayBuffer>): Promise<string> =>
  [...new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))]
    .map(byte => byte.toString(16).padStart(2, '0'))
    .join('')

/** Browsers make checksums only in pages that nobody in between could have changed. */
export const whyNoUploads = (): string | null =>
  globalThis.isSecureContext ? null : 'A browser sends files only from a page that came by HTTPS.'
