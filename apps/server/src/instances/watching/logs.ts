/**
 * A machine's log as a stream, line by line as its reader takes them. Followed, it ends with the run, when the instance
 * has stopped, and when its reader goes or may call no more (`gone`). What a program writes is data: in `ndjson` it is
 * quoted, in `text` control characters are shown, so that no line does anything to a terminal.
 */
import type { Driver, LogLine } from '@ingot/compute/driver'
import { IngotError } from '@ingot/contracts/errors'
import type { instances } from '@ingot/contracts/instances'
import type { Parsed } from '@ingot/contracts/operation'
import type { Region } from '../../catalog/regions.ts'
import type { Db } from '../../db/database.ts'
import type { Bytes } from '../../http/bytes.ts'
import type { Signals } from '../../worker/signals.ts'
import { findInstance, type InstanceRow } from '../queries.ts'
import { driverNamed } from '../reconcile/ask.ts'

/** The contract of drivers has 16 KiB; a line that is longer all the same is cut. */
const longestLine = 16 * 1024
/** Of the end of a log that is held at a time. */
const tailBytes = 4 * 2 ** 20
const aliveMs = 15_000
/** After the instance has stopped, for the last lines on their way. */
const lastLinesMs = 1_000

export interface LogNeeds {
  readonly regions: readonly Region[]
  readonly signals: Signals
}

type Wish = Parsed<typeof instances.logs>
type Stream = Extract<Awaited<ReturnType<Driver['logs']>>, { kind: 'done' }>['value']

export async function readLogs(
  db: Db,
  needs: LogNeeds,
  userId: string,
  wish: Wish,
  gone: AbortSignal,
): Promise<Bytes> {
  const row = await findInstance(db, userId, wish.id)
  const driver = driverNamed(needs.regions, row.driver)
  const text = wish.format === 'text' ? lineText : lineJson
  const source = driver && row.driver_ref !== null ? { db, needs, driver, row, wish, gone } : null
  // Before anything is answered: what fails here is an error.
  const first = source && (await open(source, wish.tail === undefined && wish.follow))
  const lines = source ? linesOf(source, first) : nothing()
  return {
    fileName: `${row.name}.${wish.format === 'text' ? 'log' : 'ndjson'}`,
    mediaType: wish.format === 'text' ? 'text/plain' : 'application/x-ndjson',
    body: wish.follow ? kept(lines, text, gone) : textsOf(lines, text),
  }
}

async function* nothing(): AsyncGenerator<LogLine> {}

async function* textsOf(
  lines: AsyncIterable<LogLine>,
  text: (line: LogLine) => string,
): AsyncGenerator<string> {
  for await (const line of lines) yield text(line)
}

/** An empty line at once and while nothing comes: its reader knows that it is open, and no proxy takes it for dead. */
async function* kept(
  lines: AsyncGenerator<LogLine>,
  text: (line: LogLine) => string,
  gone: AbortSignal,
): AsyncGenerator<string> {
  yield '\n'
  const ask = () => {
    const next = lines.next()
    // Whoever stops reading leaves nobody to be told.
    next.catch(() => {})
    return next
  }
  let next = ask()
  while (!gone.aborted) {
    const line = await orAlive(next)
    if (line === null) {
      yield '\n'
      continue
    }
    if (line.done) return
    next = ask()
    yield text(line.value)
  }
}

async function orAlive<T>(next: Promise<T>): Promise<T | null> {
  let timer: NodeJS.Timeout | undefined
  const quiet = new Promise<null>(resolve => {
    timer = setTimeout(resolve, aliveMs, null)
  })
  try {
    return await Promise.race([next, quiet])
  } finally {
    clearTimeout(timer)
  }
}

interface Source {
  readonly db: Db
  readonly needs: LogNeeds
  readonly driver: Driver
  readonly row: InstanceRow
  readonly wish: Wish
  readonly gone: AbortSignal
}

async function* linesOf(source: Source, first: Stream | null): AsyncGenerator<LogLine> {
  const { follow, tail, search } = source.wish
  const wanted = search?.toLowerCase()
  const isWanted = (line: LogLine) => wanted === undefined || line.text.toLowerCase().includes(wanted)
  let last: { readonly at: number; readonly count: number } | null = null
  if (tail !== undefined) {
    const end = await endOf(read(first), tail, isWanted)
    yield* end.lines
    if (!follow) return
    last = end.last
  }
  const stream = tail === undefined ? first : await open(source, true, last?.at)
  const leave = follow ? endWithInstance(source, stream) : () => {}
  // The lines of the same moment that were told of already.
  let told = last?.count ?? 0
  try {
    for await (const line of read(stream)) {
      if (told > 0 && line.at === last!.at) told--
      else if (isWanted(line)) yield line
    }
  } finally {
    leave()
  }
}

/** Ends when nobody reads it any more. */
async function open(
  { driver, row, wish, gone }: Source,
  follow: boolean,
  since = wish.since === undefined ? undefined : Date.parse(wish.since),
): Promise<Stream | null> {
  const answer = await driver.logs(row.driver_ref!, { since, follow })
  if (answer.kind === 'done') {
    const stream = answer.value
    // Whoever reads it is told; until then nobody listens.
    stream.on('error', () => {})
    const leave = () => stream.destroy()
    if (gone.aborted) leave()
    else gone.addEventListener('abort', leave, { once: true })
    return stream
  }
  // Of a machine that is gone there is no log any more.
  if (answer.kind === 'failed' && answer.failure === 'lost') return null
  throw new IngotError('unavailable', {
    message: answer.kind === 'failed' ? answer.message : 'The machine is not there yet. Try again shortly.',
  })
}

/** Its lines, until it ends or is let go of. */
async function* read(stream: Stream | null): AsyncGenerator<LogLine> {
  if (!stream) return
  try {
    for await (const line of stream) yield { ...line, text: line.text.slice(0, longestLine) }
  } catch (error) {
    // It was destroyed here, by whoever stopped reading.
    if (!stream.destroyed || stream.errored) throw error
  } finally {
    stream.destroy()
  }
}

/** The last lines, and how many lines there are of the last moment. */
async function endOf(lines: AsyncIterable<LogLine>, most: number, isWanted: (line: LogLine) => boolean) {
  const kept: LogLine[] = []
  let [bytes, at, count] = [0, 0, 0]
  for await (const line of lines) {
    count = line.at === at ? count + 1 : 1
    at = line.at
    if (!isWanted(line)) continue
    kept.push(line)
    bytes += line.text.length
    while (kept.length > most || bytes > tailBytes) bytes -= kept.shift()!.text.length
  }
  return { lines: kept, last: count ? { at, count } : null }
}

/** A host that is away ends no stream, so what the row says does. */
function endWithInstance({ db, needs, row }: Source, stream: Stream | null): () => void {
  let timer: NodeJS.Timeout | undefined
  const look = async () => {
    const now = await db
      .selectFrom('gpu_instances')
      .select('status')
      .where('id', '=', row.id)
      .executeTakeFirst()
    if (now && ['running', 'starting', 'stopping'].includes(now.status)) return
    timer ??= setTimeout(() => stream?.destroy(), lastLinesMs)
  }
  const unsubscribe = needs.signals.on(`user:${row.user_id}`, () => void look().catch(() => {}))
  return () => {
    unsubscribe()
    clearTimeout(timer)
  }
}

const lineJson = ({ at, stream, text }: LogLine): string =>
  `${JSON.stringify({ at: iso(at), stream, text: text.toWellFormed() })}\n`

const lineText = ({ at, stream, text }: LogLine): string =>
  `${iso(at)} ${stream} ${text.toWellFormed().replace(controls, shown)}\n`

const iso = (ms: number): string =>
  new Date(Number.isFinite(ms) ? Math.min(Math.max(0, ms), 8.64e15) : 0).toISOString()

/** All but the tab: of C0 as Unicode pictures them, of C1 and what ends lines elsewhere as a replacement. */
// oxlint-disable-next-line no-control-regex
const controls = /[\u0000-\u0008\u000a-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g
const shown = (control: string): string => {
  const code = control.charCodeAt(0)
  if (code < 0x20) return String.fromCharCode(0x2400 + code)
  return code === 0x7f ? '\u2421' : '\ufffd'
}
