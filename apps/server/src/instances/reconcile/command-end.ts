/**
 * What follows when the start command of an instance has ended by itself. Its run is over and charged; a command that
 * failed is started again, at most five times within a minute each, so a loop of crashes costs minutes and ends. One
 * that ended with exit code 0 had nothing more to do: the instance stops.
 *
 * How it ended and its last lines are read from the machine's log, which its tenant can write. They decide nothing but
 * whether that tenant's own command runs again.
 */
import { type Driver, type ExitStatus, readExit, type Ref } from '@ingot/compute/driver'
import { IngotError } from '@ingot/contracts/errors'
import { assertNotBanned } from '../../auth/banned.ts'
import type { Tx } from '../../db/database.ts'
import { assertCanRun } from '../../ledger/ledger.ts'
import type { InstanceRow } from '../queries.ts'
import { type AskNeeds, driverNamed } from './ask.ts'

export interface LastWords {
  /** Null: the log does not say. */
  readonly exit: ExitStatus | null
  /** Each cut, of all streams but the machine's own; null: it wrote nothing. */
  readonly lines: string | null
}

/** An end within this time of the start is a quick one. */
const quickMs = 60_000
const mostQuickEnds = 5
const keptLines = 8
const keptLetters = 160
/** Of the end of the log: most ends are found within half a minute, the others after the server was away. */
const looksBackMs = [90_000, 24 * 3_600_000]
/** The log is not waited for longer. */
const patienceMs = 3_000

/** Null where its log can't be had. Never rejects. */
export async function lastWords(
  { regions }: Pick<AskNeeds, 'regions'>,
  row: InstanceRow,
): Promise<LastWords | null> {
  const driver = driverNamed(regions, row.driver)
  if (!driver || row.driver_ref === null) return null
  let words: LastWords | null = null
  for (const ms of looksBackMs) {
    words = await read(driver, row.driver_ref, Date.now() - ms).catch(() => null)
    if (words?.exit) break
  }
  return words
}

async function read(driver: Driver, ref: Ref, since: number): Promise<LastWords | null> {
  const answer = await driver.logs(ref, { since })
  if (answer.kind !== 'done') return null
  const log = answer.value
  const timer = setTimeout(() => log.destroy(), patienceMs)
  const last: string[] = []
  let exit: ExitStatus | null = null
  try {
    for await (const { stream, text } of log) {
      const isOwn = stream === 'machine'
      // Of an earlier run: this one began after it.
      if (exit || (isOwn && !readExit(text))) last.length = 0
      exit = isOwn ? readExit(text) : null
      if (!isOwn) last.push(shown(text))
      if (last.length > keptLines) last.shift()
    }
  } catch {
    // What was read so far stands.
  } finally {
    clearTimeout(timer)
    log.destroy()
  }
  return { exit, lines: last.length ? last.join('\n') : null }
}

/** All that a terminal would act on, or that would be read in another order. */
// oxlint-disable-next-line no-control-regex
const controls = /[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g

const shown = (text: string): string => text.slice(0, keptLetters).toWellFormed().replace(controls, '�')

export interface AfterCommand {
  readonly isToRestart: boolean
  /** It was stopped because it kept ending. */
  readonly isLoop: boolean
  readonly message: string
  readonly lines: string | null
}

/** Null: it was started for no command. `ran`: by the driver's clock. */
export async function afterCommand(
  tx: Tx,
  row: InstanceRow,
  ran: { readonly from: number; readonly to: number } | null,
  words: LastWords | null,
  at: string,
): Promise<AfterCommand | null> {
  const chosen = await tx
    .selectFrom('instance_template')
    .select(['command', 'quick_ends'])
    .where('instance_id', '=', row.id)
    .forUpdate()
    .executeTakeFirst()
  if (!chosen?.command) return null
  const ranMs = ran ? Math.max(0, ran.to - ran.from) : 0
  const quick_ends = ranMs < quickMs ? chosen.quick_ends + 1 : 0
  await tx.updateTable('instance_template').set({ quick_ends }).where('instance_id', '=', row.id).execute()
  const ended = `The start command ended${howOf(words?.exit ?? null)}, ${durationText(ranMs)} after its start.`
  const stays = (message: string, isLoop = false): AfterCommand => ({
    isToRestart: false,
    isLoop,
    message,
    lines: words?.lines ?? null,
  })
  if (words?.exit?.code === 0) return stays(ended)
  if (quick_ends >= mostQuickEnds)
    return stays(
      `${ended} It had ended ${mostQuickEnds} times, each within a minute, so it was not started again.`,
      true,
    )
  const refusal = await assertNotBanned(tx, row.user_id)
    .then(() => assertCanRun(tx, row.id, at, 'Restarting'))
    .then(() => null, refusalOf)
  if (refusal) return stays(`${ended} It was not started again: ${refusal}`)
  return {
    isToRestart: true,
    isLoop: false,
    message: `${ended} It is started again.`,
    lines: words?.lines ?? null,
  }
}

function refusalOf(error: unknown): string {
  if (error instanceof IngotError) return `${error.message.replace(/\.$/, '')}.`
  throw error
}

const howOf = (exit: LastWords['exit']): string => {
  if (!exit) return ''
  return exit.signal === null ? ` with exit code ${exit.code}` : ` by ${exit.signal}`
}

const durationText = (ms: number): string => {
  const seconds = Math.round(ms / 1000)
  if (seconds < 120) return seconds === 1 ? '1 second' : `${seconds} seconds`
  return seconds < 7_200 ? `${Math.floor(seconds / 60)} minutes` : `${Math.floor(seconds / 3600)} hours`
}
