/**
 * A file as a call answers it. Its bytes are read once, in one of four ways; reading fails when the connection breaks
 * before the last byte, so what was read to the end is whole.
 */
import { parse } from 'content-disposition'

export interface Received {
  readonly fileName: string
  /** Without parameters: `text/csv`. */
  readonly mediaType: string
  /** As it arrives: what reads slowly slows the server down. */
  stream(): ReadableStream<Uint8Array>
  bytes(): Promise<Uint8Array>
  text(): Promise<string>
  blob(): Promise<Blob>
}

export function received(response: Response): Received {
  const disposition = response.headers.get('content-disposition') ?? ''
  return {
    fileName: parse(disposition).parameters['filename'] ?? 'file',
    mediaType: (response.headers.get('content-type') ?? '').split(';', 1)[0]!.trim(),
    stream: () => response.body ?? new Blob([]).stream(),
    bytes: async () => new Uint8Array(await response.arrayBuffer()),
    text: () => response.text(),
    blob: () => response.blob(),
  }
}
