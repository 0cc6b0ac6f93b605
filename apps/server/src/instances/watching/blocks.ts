/** Five minutes of what an instance used: put together in memory, and written as one row when they are over. */
import { sql } from 'kysely'
import type { Db } from '../../db/database.ts'
import { type Rates, ratesOf, type Reading } from './looks.ts'

export const lookMs = 30_000
export const looksOfBlock = 10
export const blockMs = lookMs * looksOfBlock
/** Lines of `figures` before those of cards, and of each card. */
export const commonLines = 5
export const cardLines = 4
/** Parts of `limits` before those of cards. */
export const commonLimits = 3

const dayMs = 86_400_000
const turnMs = 3 * dayMs
const turns = 12
/** Which partition holds this time. */
export const turnOf = (ms: number): number => Math.floor(ms / turnMs) % turns
/** The partitions of a time. */
export const turnsOf = (fromMs: number, toMs: number): number[] => {
  const first = Math.floor(fromMs / turnMs)
  const count = Math.min(turns, Math.floor(toMs / turnMs) - first + 1)
  return Array.from({ length: count }, (_, n) => (first + n) % turns)
}

export type Figure = number | null

export interface Block {
  readonly instanceId: string
  readonly beganMs: number
  readonly figures: Figure[][]
  limits: Figure[]
}

export const openBlock = (instanceId: string, ms: number): Block => ({
  instanceId,
  beganMs: Math.floor(ms / blockMs) * blockMs,
  figures: [],
  limits: [],
})

export function addReading(block: Block, reading: Reading, before: Reading | null): void {
  const at = Math.floor((reading.at - block.beganMs) / lookMs)
  const rates: Rates = ratesOf(reading, before)
  const values: Figure[] = [
    rates.processorCores,
    reading.memory?.usedBytes ?? null,
    reading.disk?.usedBytes ?? null,
    rates.receivedRate,
    rates.sentRate,
    ...reading.cards.flatMap(card => [card.load, card.memoryUsedBytes, card.celsius, card.watts]),
  ]
  for (const [line, value] of values.entries()) {
    block.figures[line] ??= Array.from<Figure>({ length: looksOfBlock }).fill(null)
    block.figures[line][at] = value
  }
  block.limits = [
    reading.processor?.cores ?? null,
    reading.memory?.limitBytes ?? null,
    reading.disk?.sizeBytes ?? null,
    ...reading.cards.map(card => card.memoryBytes),
  ]
}

function loadOf({ figures }: Block): Figure {
  const loads = figures
    .filter((_, line) => line >= commonLines && (line - commonLines) % cardLines === 0)
    .flat()
    .filter(value => value !== null)
  return loads.length ? loads.reduce((sum, load) => sum + load, 0) / loads.length : null
}

const rowsOfStatement = 500

/** The event loop goes round between two statements. */
export async function writeBlocks(db: Db, blocks: readonly Block[]): Promise<void> {
  for (let from = 0; from < blocks.length; from += rowsOfStatement) {
    const part = blocks.slice(from, from + rowsOfStatement)
    const each = <T>(read: (block: Block) => T): T[] => part.map(read)
    await sql`
      insert into metric_block (turn, instance_id, began_at, load, figures, limits)
      select turn, instance_id, began_at, load, figures::real[], limits::real[] from unnest(
        ${each(({ beganMs }) => turnOf(beganMs))}::smallint[], ${each(({ instanceId }) => instanceId)}::uuid[],
        ${each(({ beganMs }) => new Date(beganMs).toISOString())}::timestamptz[], ${each(loadOf)}::real[],
        ${each(({ figures }) => arrayOf(figures.map(textOf)))}::text[],
        ${each(({ limits }) => textOf(limits))}::text[]
      ) as _ (turn, instance_id, began_at, load, figures, limits)`.execute(db)
  }
}

const arrayOf = (parts: readonly string[]): string => `{${parts.join(',')}}`
/** As precise as `real` is. */
const textOf = (values: readonly Figure[]): string =>
  arrayOf(values.map(value => (value === null ? 'null' : String(Number(value.toPrecision(9))))))

/**
 * Empties partitions whose turn is long over: the one that comes next, and any that was missed. Charts name the
 * partitions of their time, so they neither read these nor wait for it.
 */
export async function emptyOld(db: Db, nowMs: number): Promise<void> {
  const current = new Set(turnsOf(nowMs - (turns - 2) * turnMs, nowMs))
  const oldest = new Date((Math.floor(nowMs / turnMs) - (turns - 1)) * turnMs).toISOString()
  for (let turn = 0; turn < turns; turn++) {
    const table = sql.table(`metric_block_${turn}`)
    const { rows } = await sql<{ began_at: string }>`select began_at from ${table} limit 1`.execute(db)
    if (!rows[0] || (current.has(turn) && rows[0].began_at >= oldest)) continue
    await sql`truncate ${table}`.execute(db)
  }
}
