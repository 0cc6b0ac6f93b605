/** What a link to a download answers: a file, or a part of it, or a folder as a tar. */
import { posix } from 'node:path'
import type { IncomingHttpHeaders } from 'node:http'
import type { FileEntry, MachineFiles } from '@ingot/compute/driver'
import { IngotError } from '@ingot/contracts/errors'
import { files as contract } from '@ingot/contracts/files'
import type { Db } from '../db/database.ts'
import { type Bytes, rangeOf, type Reading } from '../http/bytes.ts'
import type { LiveCallers } from '../http/live-callers.ts'
import { ask } from './ask.ts'
import { type HolderNeeds, openFiles } from './holder.ts'
import { tarOf } from './tar.ts'
import { findTicket } from './tickets.ts'

/** Where a file is written while it is read. */
const mostTries = 3

export interface Found {
  readonly isFolder: boolean
  readonly entry: FileEntry
}

/** A file or a folder, also where a link leads to it. */
export async function findTarget(files: MachineFiles, path: string): Promise<Found> {
  const entry = await ask(() => files.stat(path))
  if (entry.kind === 'folder') return { isFolder: true, entry }
  if (entry.kind === 'link') {
    const inside = await files.list(path, { limit: 1 })
    if (inside.kind === 'done') return { isFolder: true, entry }
  }
  // Opens it: what is neither a file nor a folder says so.
  return { isFolder: false, entry: await opened(files, path) }
}

/** As it is when somebody opens it. */
async function opened(files: MachineFiles, path: string): Promise<FileEntry> {
  const { entry, data } = await ask(() => files.read(path, { length: 0 }))
  data.on('error', () => {}).destroy()
  return entry
}

interface DownloadNeeds extends HolderNeeds {
  readonly liveCallers: LiveCallers
}

export async function fetchDownload(
  db: Db,
  needs: DownloadNeeds,
  secret: string,
  headers: IncomingHttpHeaders,
  { readBy }: Reading,
): Promise<Bytes> {
  const ticket = await findTicket(db, secret)
  await needs.liveCallers.assertMayCall(contract.fetch, ticket).catch(error => {
    throw error instanceof IngotError ? new IngotError('not_found') : error
  })
  readBy(ticket)
  const { path } = ticket
  try {
    const files = await openFiles(db, needs, ticket.userId, ticket, 'read')
    const { isFolder } = await findTarget(files, path)
    const name = posix.basename(posix.normalize(path)) || 'files'
    if (isFolder)
      return { fileName: `${name}.tar`, mediaType: 'application/x-tar', body: tarOf(files, path, name) }
    return await readPart(files, path, name, headers)
  } catch (error) {
    // Nobody gave a field here: the link is at fault.
    if (error instanceof IngotError && error.code === 'validation_failed')
      throw new IngotError('not_found', { message: error.message })
    throw error
  }
}

async function readPart(
  files: MachineFiles,
  path: string,
  fileName: string,
  headers: IncomingHttpHeaders,
): Promise<Bytes> {
  for (let tries = 0; tries < mostTries; tries++) {
    const asked = headers.range === undefined ? null : await opened(files, path)
    const range = asked && rangeOf(headers, { total: asked.bytes, tag: tagOf(asked) })
    const { entry, data } = await ask(() => files.read(path, range ?? {}))
    if (range && tagOf(entry) !== tagOf(asked!)) {
      data.on('error', () => {}).destroy()
      continue
    }
    return {
      fileName,
      mediaType: 'application/octet-stream',
      body: data,
      length: range?.length ?? entry.bytes,
      tag: tagOf(entry),
      part: range && { from: range.from, total: entry.bytes },
    }
  }
  throw new IngotError('unavailable', { message: 'This file is being written. Try again in a moment.' })
}

/** Of what a look at the file shows: two writes within one millisecond, of as many bytes, look alike. */
const tagOf = ({ bytes, modifiedAt }: FileEntry): string =>
  `"${bytes.toString(36)}-${modifiedAt.toString(36)}"`
