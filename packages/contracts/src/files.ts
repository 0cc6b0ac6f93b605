/**
 * Files of an instance (running or stopped) and of a volume, without renting a card: the same calls for both. Paths are
 * absolute: an instance's as its programs see them, a volume's from its own root.
 */
import * as z from 'zod/mini'
import { id, nothing, operation, timestamp } from './operation.ts'

export const maxFilePath = 4_096
/** Of one piece of an upload: 8 MB. */
export const maxChunkBytes = 8 * 1024 * 1024
/** Of one file that is uploaded or imported: 1 TB. */
export const maxFileBytes = 10 ** 12
/** Uploads of one account that have not ended, and imports of it. */
export const maxTransfers = 20
export const maxImportUrl = 2_000
/** Imports of one account that run; others wait. */
export const importsAtOnce = 3
/** How long one import may take. */
export const importHours = 12
/** How long one that has ended is told of. */
export const importKeptHours = 24
/** How long a link to a download works. */
export const downloadMinutes = 10
/** How long an upload may stand still before it is dropped. */
export const uploadIdleHours = 24
/** Of a text that is shown. */
export const maxPreviewBytes = 256 * 1024
/** Raster images that a browser shows; everything else is text or is only downloaded. */
export const previewImageTypes = ['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif'] as const

export const filePath = z.string().check(z.minLength(1), z.maxLength(maxFilePath), z.regex(/^\/\P{Cc}*$/u))

const sha256 = z.string().check(z.regex(/^[0-9a-f]{64}$/))
const size = z.int().check(z.minimum(0), z.maximum(maxFileBytes))

export const fileKinds = ['file', 'folder', 'link', 'other'] as const
export const fileEntry = z.object({
  name: z.string(),
  kind: z.enum(fileKinds),
  bytes: z.int(),
  modified_at: timestamp,
  /** The permission bits, such as `0644`. */
  mode: z.string(),
})
export type FileEntry = z.infer<typeof fileEntry>

/** A file that comes in pieces. `received_bytes` is where the next piece begins. */
export const upload = z.object({
  id,
  /** Whose file it becomes. */
  instance_id: z.nullable(id),
  volume_id: z.nullable(id),
  path: z.string(),
  bytes: z.int(),
  received_bytes: z.int(),
  /** `done`: the file is at its path, whole. `failed`: see the message. */
  state: z.enum(['open', 'done', 'failed']),
  message: z.nullable(z.string()),
  created_at: timestamp,
  /** When what came so far is dropped if nothing more comes. */
  expires_at: timestamp,
})
export type Upload = z.infer<typeof upload>

/** A file that the service fetches from an address. */
export const fileImport = z.object({
  id,
  instance_id: z.nullable(id),
  volume_id: z.nullable(id),
  /** Without its query, which may hold a key. */
  url: z.string(),
  path: z.string(),
  /** `done`: the file is at its path, whole. `failed`: see the message. Nothing is left of one that failed or was cancelled. */
  state: z.enum(['waiting', 'running', 'done', 'failed', 'cancelled']),
  message: z.nullable(z.string()),
  received_bytes: z.int(),
  /** Null where the other side does not say, and before it was asked. */
  total_bytes: z.nullable(z.int()),
  /** Of the whole file, once it is done. */
  sha256: z.nullable(z.string()),
  created_at: timestamp,
  updated_at: timestamp,
})
export type FileImport = z.infer<typeof fileImport>

const holders = {
  instances: { segment: 'instances', Noun: 'Instance', of: 'of an instance' },
  volumes: { segment: 'volumes', Noun: 'Volume', of: 'of a network volume' },
} as const

/**
 * `unavailable`: its machine does not answer now. `invalid_state`: it has no disk yet, or no longer. What is wrong with a
 * path is `validation_failed`, with its words at the field: `not_found` is said of the instance or volume alone.
 */
const errors = ['not_found', 'invalid_state', 'unavailable'] as const

export const filesOf = <const Holder extends keyof typeof holders>(holder: Holder) => {
  const { segment, Noun, of } = holders[holder]
  type Id<
    Before extends string,
    After extends string,
  > = `${Before}${(typeof holders)[Holder]['Noun']}${After}`
  const name = <Before extends string, After extends string>(before: Before, after: After) =>
    `${before}${Noun}${after}` as Id<Before, After>
  return {
    files: operation({
      id: name('list', 'Files'),
      method: 'GET',
      path: `/v1/${segment}/{id}/files`,
      who: 'user',
      summary: `A page of a folder ${of}, in the order of its names' bytes`,
      input: z.object({
        id,
        path: z._default(filePath, '/'),
        cursor: z.optional(z.string().check(z.maxLength(2_000))),
        limit: z._default(z.int().check(z.minimum(1), z.maximum(1_000)), 200),
      }),
      output: z.object({
        /** As it was asked for. */
        path: z.string(),
        items: z.array(fileEntry),
        next_cursor: z.nullable(z.string()),
      }),
      status: 200,
      errors,
    }),
    makeFolder: operation({
      id: name('make', 'Folder'),
      method: 'POST',
      path: `/v1/${segment}/{id}/files/folders`,
      who: 'user',
      summary: `Make a folder ${of}; done also when it is there`,
      input: z.object({ id, path: filePath }),
      output: nothing,
      status: 201,
      transaction: false,
      errors,
    }),
    moveFile: operation({
      id: name('move', 'File'),
      method: 'POST',
      path: `/v1/${segment}/{id}/files/move`,
      who: 'user',
      summary: `Rename or move a file or folder ${of}, never over something that is there`,
      input: z.object({ id, path: filePath, to: filePath }),
      output: nothing,
      status: 200,
      transaction: false,
      errors,
    }),
    deleteFile: operation({
      id: name('delete', 'File'),
      method: 'DELETE',
      path: `/v1/${segment}/{id}/files`,
      who: 'user',
      summary: `Delete a file, or a folder with all that is in it, ${of}`,
      input: z.object({ id, path: filePath }),
      output: nothing,
      status: 200,
      transaction: false,
      errors,
    }),
    download: operation({
      id: name('download', 'File'),
      method: 'POST',
      path: `/v1/${segment}/{id}/files/downloads`,
      who: 'user',
      duringMaintenance: true,
      summary: `A link to one file ${of}, or to a folder as a tar, for ten minutes`,
      input: z.object({ id, path: filePath }),
      output: z.object({
        /** Behind the address of this service, for whoever has it; it ends with your session or key. */
        url: z.string(),
        expires_at: timestamp,
        name: z.string(),
        /** Null of a folder: nobody knows before it is read. */
        bytes: z.nullable(z.int()),
      }),
      status: 201,
      transaction: false,
      errors,
    }),
    beginUpload: operation({
      id: name('beginUploadTo', ''),
      method: 'POST',
      path: `/v1/${segment}/{id}/files/uploads`,
      who: 'user',
      summary: `Begin a file ${of}: its pieces follow, and it is at its path when all of it has come`,
      input: z.object({ id, path: filePath, bytes: size, replace: z._default(z.boolean(), false) }),
      output: upload,
      status: 201,
      transaction: false,
      errors,
    }),
    beginImport: operation({
      id: name('beginImportTo', ''),
      method: 'POST',
      path: `/v1/${segment}/{id}/files/imports`,
      who: 'user',
      summary: `Fetch a file from an https address to a path ${of}: it is there when all of it has come`,
      input: z.object({
        id,
        url: z.string().check(z.minLength(1), z.maxLength(maxImportUrl)),
        path: filePath,
        replace: z._default(z.boolean(), false),
      }),
      output: fileImport,
      status: 201,
      transaction: false,
      errors,
    }),
    imports: operation({
      id: name('list', 'Imports'),
      method: 'GET',
      path: `/v1/${segment}/{id}/files/imports`,
      who: 'user',
      summary: `The imports ${of} that have not ended, or ended within the last day, oldest first`,
      input: z.object({ id }),
      output: z.object({ items: z.array(fileImport), next_cursor: z.null() }),
      status: 200,
      errors: ['not_found'],
    }),
  }
}

/** What was begun, whosever file it becomes. */
export const files = {
  fetch: operation({
    id: 'fetchDownload',
    method: 'GET',
    path: '/v1/downloads/{ticket}',
    who: 'public',
    summary:
      'The file of a link, or the part of it that `Range` names; a folder as a tar, which has no parts',
    input: z.object({ ticket: z.string().check(z.maxLength(100)) }),
    transport: 'bytes',
    mediaTypes: ['application/octet-stream', 'application/x-tar'],
    status: 200,
    errors: ['not_found', 'invalid_state', 'unavailable', 'range_not_satisfiable'],
  }),
  upload: operation({
    id: 'getUpload',
    method: 'GET',
    path: '/v1/uploads/{id}',
    who: 'user',
    summary: 'How far an upload has come: where its next piece begins',
    input: z.object({ id }),
    output: upload,
    status: 200,
    errors: ['not_found'],
  }),
  putPiece: operation({
    id: 'putUploadPiece',
    method: 'PUT',
    path: '/v1/uploads/{id}/pieces/{offset}',
    who: 'user',
    summary: 'The next piece of an upload: the bytes from `offset` on, at most 8 MB, and their SHA-256',
    input: z.object({ id, offset: size, sha256 }),
    output: upload,
    transport: 'upload',
    bodyLimit: maxChunkBytes,
    status: 200,
    errors: ['not_found', 'invalid_state', 'unavailable', 'body_too_large'],
  }),
  finishUpload: operation({
    id: 'finishUpload',
    method: 'POST',
    path: '/v1/uploads/{id}/finish',
    who: 'user',
    summary:
      'All pieces have come: the file is put at its path, once it has the SHA-256 that you name, if you name one',
    input: z.object({ id, sha256: z.optional(sha256) }),
    output: upload,
    status: 200,
    transaction: false,
    errors: ['not_found', 'invalid_state', 'unavailable'],
  }),
  dropUpload: operation({
    id: 'dropUpload',
    method: 'DELETE',
    path: '/v1/uploads/{id}',
    who: 'user',
    duringMaintenance: true,
    summary: 'End an upload; nothing of it stays',
    input: z.object({ id }),
    output: nothing,
    status: 200,
    transaction: false,
    errors: ['not_found', 'unavailable'],
  }),
  import: operation({
    id: 'getImport',
    method: 'GET',
    path: '/v1/imports/{id}',
    who: 'user',
    summary: 'How far an import has come, and how it ended',
    input: z.object({ id }),
    output: fileImport,
    status: 200,
    errors: ['not_found'],
  }),
  cancelImport: operation({
    id: 'cancelImport',
    method: 'DELETE',
    path: '/v1/imports/{id}',
    who: 'user',
    duringMaintenance: true,
    summary: 'Cancel an import: nothing of it stays. One that has ended is told of no more',
    input: z.object({ id }),
    output: nothing,
    status: 200,
    errors: ['not_found', 'invalid_state'],
  }),
}
