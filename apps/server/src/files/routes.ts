import type { files, filesOf } from '@ingot/contracts/files'
import type { Operation } from '@ingot/contracts/operation'
import type { Db } from '../db/database.ts'
import type { Caller, Handlers } from '../http/bind.ts'
import type { LiveCallers } from '../http/live-callers.ts'
import { createTurns } from './ask.ts'
import { deleteFile, listFiles, makeFolder, moveFile, readNameCursor } from './browse.ts'
import { fetchDownload, findTarget } from './download.ts'
import { dropUpload } from './drop-upload.ts'
import { finishUpload } from './finish-upload.ts'
import { type HolderKind, holderOf, openFiles } from './holder.ts'
import { makeTicket } from './tickets.ts'
import { beginImport, type BeginImportNeeds } from './imports/begin-import.ts'
import { cancelImport } from './imports/cancel-import.ts'
import { getImport, listImports } from './imports/import-rows.ts'
import { type FileAct, tellFile } from './tell-file.ts'
import { findUpload, shownUpload } from './upload-rows.ts'
import { beginUpload, putPiece } from './uploads.ts'

/** Each server process counts for itself, over instances and volumes together. */
const inTurn = createTurns()

/** The files of one noun's rows. */
export function fileHandlers<Kind extends HolderKind>(
  needs: BeginImportNeeds,
  kind: Kind,
): Handlers<ReturnType<typeof filesOf<Kind>>> {
  const open = (db: Db, { userId }: Caller, id: string, use: 'read' | 'change' = 'change') =>
    openFiles(db, needs, userId, holderOf(kind, id), use)
  const tell = (db: Db, { userId }: Caller, id: string, act: FileAct) =>
    tellFile(db, needs, userId, holderOf(kind, id), act)
  const handlers: Handlers<ReturnType<typeof filesOf<'instances'>>> = {
    files: ({ id, path, cursor, limit }, { db, caller }) => {
      const after = readNameCursor(cursor)
      return inTurn(caller.userId, async () =>
        listFiles(await open(db, caller, id, 'read'), { path, limit, after }),
      )
    },
    makeFolder: ({ id, path }, { db, caller }) =>
      inTurn(caller.userId, async () => {
        await makeFolder(await open(db, caller, id), path)
        await tell(db, caller, id, 'folder_made')
        return {}
      }),
    moveFile: ({ id, path, to }, { db, caller }) =>
      inTurn(caller.userId, async () => {
        await moveFile(await open(db, caller, id), path, to)
        await tell(db, caller, id, 'file_moved')
        return {}
      }),
    deleteFile: ({ id, path }, { db, caller }) =>
      inTurn(caller.userId, async () => {
        await deleteFile(await open(db, caller, id), path)
        await tell(db, caller, id, 'file_deleted')
        return {}
      }),
    download: ({ id, path }, { db, caller }) =>
      inTurn(caller.userId, async () => {
        const { isFolder, entry } = await findTarget(await open(db, caller, id, 'read'), path)
        const name = path.split('/').findLast(Boolean) ?? 'files'
        return {
          ...(await makeTicket(db, caller, holderOf(kind, id), path)),
          name: isFolder ? `${name}.tar` : name,
          bytes: isFolder ? null : entry.bytes,
        }
      }),
    beginUpload: ({ id, path, bytes, replace }, { db, caller }) =>
      inTurn(caller.userId, () =>
        beginUpload(db, needs, caller.userId, holderOf(kind, id), { path, bytes, replace }),
      ),
    beginImport: ({ id, url, path, replace }, { db, caller }) =>
      inTurn(caller.userId, () =>
        beginImport(db, needs, caller.userId, holderOf(kind, id), { url, path, replace }),
      ),
    imports: async ({ id }, { db, caller }) => ({
      items: await listImports(db, caller.userId, holderOf(kind, id)),
      next_cursor: null,
    }),
  }
  return handlers as Record<string, Handlers<Record<string, Operation>>[string]> as never
}

interface FileNeeds extends BeginImportNeeds {
  readonly liveCallers: LiveCallers
}

/** What is on its way, whosever file it is. */
export function fileRoutes(needs: FileNeeds): Handlers<typeof files> {
  return {
    fetch: ({ ticket }, { db, request, gone, readBy }) =>
      fetchDownload(db, needs, ticket, request.headers, { gone, readBy }),
    upload: async ({ id }, { db, caller }) => shownUpload(await findUpload(db, caller.userId, id)),
    putPiece: (piece, { db, caller, body, gone }) => putPiece(db, needs, caller.userId, piece, body, gone),
    finishUpload: ({ id, sha256 }, { db, caller }) =>
      inTurn(caller.userId, () => finishUpload(db, needs, caller.userId, id, sha256 ?? null)),
    dropUpload: ({ id }, { db, caller }) =>
      inTurn(caller.userId, async () => {
        await dropUpload(db, needs, caller.userId, id)
        return {}
      }),
    import: ({ id }, { db, caller }) => getImport(db, caller.userId, id),
    cancelImport: async ({ id }, { db, caller }) => {
      await cancelImport(db, needs, caller.userId, id)
      return {}
    },
  }
}
