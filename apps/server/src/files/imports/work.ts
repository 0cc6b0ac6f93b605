/**
 * Brings imports to their end, a few of each user's at a time. The bytes go in pieces to the disk, by the driver's own
 * calls, into a file beside the path; the row moves on with each piece. After a kill the next one goes on behind the last
 * piece where the other side has that, and begins anew where not. The file is put at its path when it is whole.
 */
import { createHash, type Hash } from 'node:crypto'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { MachineFiles } from '@ingot/compute/driver'
import { IngotError } from '@ingot/contracts/errors'
import { importHours, importKeptHours, importsAtOnce, maxFileBytes } from '@ingot/contracts/files'
import { sql } from 'kysely'
import type { Logger } from 'pino'
import type { Clock } from '../../db/clock.ts'
import type { Database } from '../../db/database.ts'
import type { Vault } from '../../vault.ts'
import type { Outcome } from '../../worker/claimable.ts'
import type { Claim, Work } from '../../worker/loop.ts'
import type { Signals } from '../../worker/signals.ts'
import { ask, look } from '../ask.ts'
import { discard } from '../drop-upload.ts'
import { place } from '../finish-upload.ts'
import { type HolderNeeds, openFiles } from '../holder.ts'
import { appendFileFact } from '../tell-file.ts'
import { partOf } from '../upload-rows.ts'
import { type ImportRow, underWay, urlContext } from './import-rows.ts'
import { openSource, type Source, SourceFailure } from './open-source.ts'
import type { Outside } from './outside.ts'

export interface ImportNeeds extends HolderNeeds {
  readonly database: Database
  readonly clock: Clock
  readonly signals: Signals
  readonly vault: Vault
  readonly log: Logger
  readonly outside: Outside
}

const concurrency = 8
const hourMs = 3_600_000
/** A piece is written when it is so large, or so old. */
const maxPieceBytes = 4 * 1024 * 1024
const maxPieceMs = 1_000
/** How often whoever fetches sees whether it was cancelled. */
const lookMs = 1_000
/** Between tries; the last failure is said. A machine that restarts is back within these. */
const pausesMs = [1_000, 3_000, 10_000, 30_000, 60_000]
/** Where what is left of one can't be taken away now. */
const laterMs = 30 * 60_000
const gibibyte = 2 ** 30

type Changes = Omit<Outcome<'file_import'>, 'due_at'>
/** Somebody cancelled it, took it over, or this server ends. */
class Interrupted extends Error {}

const fromNow = (ms = 0) => new Date(Date.now() + ms).toISOString()

export function importWork(needs: ImportNeeds): Work<'file_import'> {
  return {
    table: 'file_import',
    key: 'id',
    clock: 'real',
    concurrency,
    longestMs: (importHours + 1) * hourMs,
    // The oldest of each user's. What is over is only taken away.
    only: () => sql`(state <> all(${underWay}::text[]) or (select count(*) from file_import other
      where other.user_id = file_import.user_id and other.state = any(${underWay}::text[])
        and other.id < file_import.id) < ${importsAtOnce})`,
    async perform(row, claim) {
      if (row.state === 'done' || row.state === 'failed' || row.state === 'cancelled')
        return leave(needs, row, claim)
      const job: Job = { ...needs, row, claim, received: Number(row.received_bytes) }
      try {
        const whole = row.state === 'placing' ? row : await transfer(job)
        await finish(job, whole)
      } catch (error) {
        if (error instanceof Interrupted) await claim.apply(async () => ({ due_at: fromNow() }))
        else await fail(job, error)
      }
      needs.signals.send('file_import')
      needs.signals.send(`user:${row.user_id}`)
    },
  }
}

interface Job extends ImportNeeds {
  readonly row: ImportRow
  readonly claim: Claim<'file_import'>
  /** Written. */
  received: number
}

/** While it is under way, and this claim stands. */
async function note({ database, row }: Job, changes: Changes): Promise<void> {
  const noted = await database.kysely
    .updateTable('file_import')
    .set({ ...changes, updated_at: fromNow() })
    .where('id', '=', row.id)
    .where('lock_token', '=', row.lock_token)
    .where('state', 'in', underWay)
    .returning('id')
    .executeTakeFirst()
  if (!noted) throw new Interrupted()
}

const filesOf = ({ database, row, ...needs }: Job): Promise<MachineFiles> =>
  openFiles(database.kysely, needs, row.user_id, row, 'change').catch(error => {
    if (error instanceof IngotError && error.code === 'not_found')
      throw new IngotError('invalid_state', { message: 'The disk that this import was for is gone.' })
    throw error
  })

/** Ends with all of it written beside its path. */
async function transfer(job: Job): Promise<ImportRow> {
  const { row, claim, vault, outside } = job
  const startedAt = row.started_at ?? fromNow()
  await note(job, { state: 'running', started_at: startedAt })
  const over = AbortSignal.timeout(Math.max(0, Date.parse(startedAt) + importHours * hourMs - Date.now()))
  const ended = new AbortController()
  const signal = AbortSignal.any([claim.stopping, over, ended.signal])
  const looking = setInterval(
    () => void note(job, {}).catch(error => error instanceof Interrupted && ended.abort()),
    lookMs,
  )
  try {
    const { hash, from } = await written(job)
    const url = new URL(vault.open(row.url_sealed!, urlContext(row.id)).toString())
    const source = await openSource(outside, url, { from, tag: row.tag, signal })
    try {
      return await receive(job, source, hash)
    } finally {
      source.body.destroy()
    }
  } catch (error) {
    if (claim.stopping.aborted || ended.signal.aborted) throw new Interrupted()
    if (over.aborted)
      throw new SourceFailure(`It did not end within ${importHours} hours, and was given up.`, true)
    throw error
  } finally {
    clearInterval(looking)
  }
}

/** What came before, with its checksum so far; nothing of it where it can't be gone on with. */
async function written(job: Job): Promise<{ readonly hash: Hash; readonly from: number }> {
  const { row } = job
  const hash = createHash('sha256')
  if (job.received === 0 || row.tag === null) return { hash, from: 0 }
  const files = await filesOf(job)
  const part = await look(files, partOf(row))
  if (part?.kind !== 'file' || part.bytes < job.received) return { hash, from: 0 }
  const { data } = await ask(() => files.read(partOf(row), { length: job.received }))
  await pipeline(data, hash, { end: false }).catch(() => {
    throw new IngotError('unavailable', { message: 'What has come so far could not be read back.' })
  })
  return { hash, from: job.received }
}

async function receive(job: Job, source: Source, seeded: Hash): Promise<ImportRow> {
  const { row } = job
  const hash = source.from === 0 ? createHash('sha256') : seeded
  if (source.from === 0) {
    // It may be longer than what comes now.
    const files = await filesOf(job)
    await ask(() => files.remove(partOf(row)))
    job.received = 0
    await write(job, Buffer.alloc(0))
  }
  const most = await mostBytes(job)
  const tooLarge = () =>
    new SourceFailure(`It is larger than the disk, which has ${most / gibibyte} GB.`, true)
  if ((source.total ?? 0) > most) throw tooLarge()
  const total = source.total === null ? null : BigInt(source.total)
  await note(job, { received_bytes: BigInt(job.received), total_bytes: total, tag: source.tag })
  for await (const piece of piecesOf(source.body)) {
    if (job.received + piece.length > most) throw tooLarge()
    await write(job, piece)
    hash.update(piece)
    job.received += piece.length
    await note(job, { received_bytes: BigInt(job.received), attempts: 0 })
  }
  if (!source.body.complete || (source.total !== null && source.total !== job.received))
    throw new SourceFailure('The connection ended before all of it had come.', false)
  const whole = {
    state: 'placing' as const,
    received_bytes: BigInt(job.received),
    total_bytes: BigInt(job.received),
    sha256: hash.digest('hex'),
    url_sealed: null,
  }
  await note(job, whole)
  return { ...row, ...whole }
}

async function write(job: Job, piece: Buffer): Promise<void> {
  // Asked each time: a volume may lapse or be deleted meanwhile.
  const files = await filesOf(job)
  await ask(() => files.write(partOf(job.row), Readable.from([piece]), { from: job.received }))
}

async function* piecesOf(body: Source['body']): AsyncGenerator<Buffer> {
  let held: Buffer[] = []
  let bytes = 0
  let since = Date.now()
  for await (const part of body as AsyncIterable<Buffer>) {
    held.push(part)
    bytes += part.length
    if (bytes < maxPieceBytes && Date.now() - since < maxPieceMs) continue
    yield Buffer.concat(held)
    held = []
    bytes = 0
    since = Date.now()
  }
  if (bytes > 0) yield Buffer.concat(held)
}

/** As much as its disk holds, also where nothing else limits it. */
async function mostBytes({ database, row }: Job): Promise<number> {
  const { rows } = await sql<{ gb: number }>`
    select storage_gb as gb from gpu_instances where id = ${row.instance_id}
    union all select size_gb from network_volumes where id = ${row.volume_id}`.execute(database.kysely)
  return Math.min(maxFileBytes, (rows[0]?.gb ?? 0) * gibibyte)
}

/** Every step may have been made before. */
async function finish(job: Job, row: ImportRow): Promise<void> {
  const files = await filesOf(job)
  const wrong = await place(files, { ...row, bytes: row.received_bytes })
  if (wrong !== null) throw new SourceFailure(wrong, true)
  await job.claim.apply(async tx => {
    await appendFileFact(
      tx,
      job,
      job.row.user_id,
      job.row,
      'file_imported',
      `${row.path}, from ${new URL(row.url).host}`,
    )
    return { ...over('done'), message: null }
  })
}

async function fail(job: Job, error: unknown): Promise<void> {
  const { row, claim, log } = job
  const known = error instanceof SourceFailure || error instanceof IngotError
  const mayPass =
    error instanceof SourceFailure
      ? !error.isFinal
      : !(error instanceof IngotError) || error.code === 'unavailable'
  if (!known) log.warn({ err: error, import: row.id }, 'an import was interrupted')
  // What moved on begins to count anew.
  const attempts = job.received > Number(row.received_bytes) ? 0 : row.attempts
  const pause = mayPass ? pausesMs[attempts] : undefined
  const message = wordsOf(error)
  await claim.apply(async (tx, now) => {
    // Cancelled meanwhile.
    if (now.state === 'cancelled') return { due_at: fromNow() }
    if (pause !== undefined) return { attempts: attempts + 1, due_at: fromNow(pause) }
    await appendFileFact(
      tx,
      job,
      job.row.user_id,
      job.row,
      'import_failed',
      `${row.path}, from ${new URL(row.url).host}: ${message}`,
    )
    return { ...over('failed'), message }
  })
}

function wordsOf(error: unknown): string {
  if (error instanceof SourceFailure) return error.message
  if (error instanceof IngotError) return Object.values(error.fields ?? {})[0] ?? error.message
  return 'The connection ended before all of it had come.'
}

/** Due at once: what is left of it is taken away. */
const over = (state: 'done' | 'failed'): Outcome<'file_import'> => ({
  state,
  url_sealed: null,
  updated_at: fromNow(),
  due_at: fromNow(),
})

/** After its end: its bytes go if it is not done, and a day later its row. */
async function leave(needs: ImportNeeds, row: ImportRow, claim: Claim<'file_import'>): Promise<void> {
  if (row.state !== 'done') {
    try {
      const files = await openFiles(needs.database.kysely, needs, row.user_id, row, 'read')
      await discard(files, row)
    } catch (error) {
      // With its disk it has gone too.
      const isGone = error instanceof IngotError && error.code !== 'unavailable'
      if (!isGone) {
        await claim.apply(async () => ({ due_at: fromNow(laterMs) }))
        return
      }
    }
  }
  const goesAt = Date.parse(row.updated_at) + importKeptHours * hourMs
  await claim.apply(async tx => {
    if (Date.now() < goesAt) return { due_at: new Date(goesAt).toISOString() }
    await tx.deleteFrom('file_import').where('id', '=', row.id).execute()
    return { due_at: null }
  })
}
