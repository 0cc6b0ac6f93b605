/** What is asked of a keeper or a clerk about files, and how it ends. The bytes go beside it, on the channel. */
import type { FileEntry, FileFault } from '../../driver.ts'

export type FilesCall =
  /** Output: a line of JSON for each, a `FileEntry`. */
  | { readonly op: 'list'; readonly path: string; readonly after: string | null; readonly limit: number }
  | { readonly op: 'stat'; readonly path: string }
  /** Output: the file's `FileEntry` as a line of JSON, then the bytes. */
  | { readonly op: 'read'; readonly path: string; readonly from: number; readonly length: number | null }
  /** Input: the bytes. */
  | { readonly op: 'write'; readonly path: string; readonly from: number | null }
  | { readonly op: 'makeFolder'; readonly path: string }
  | { readonly op: 'rename'; readonly path: string; readonly to: string }
  | { readonly op: 'remove'; readonly path: string }

/**
 * What a call can end with instead of success. `other_disk`: the two paths lie on different mounts. `unfinished`: asked
 * again, it goes on. `busy`: too many calls at once. `unknown`: none of these.
 */
export type FilesFault = FileFault | 'other_disk' | 'unfinished' | 'busy' | 'unknown'

export type FilesReply =
  | {
      readonly ok: true
      /** Of `stat`. */
      readonly entry?: FileEntry
      /** Of `list`. */
      readonly hasMore?: boolean
      /** Of `read`: how many there were. Of `write`: the file's size. */
      readonly bytes?: number
    }
  | { readonly ok: false; readonly fault: FilesFault }

/** At once, in one machine. */
export const maxFileCalls = 16
