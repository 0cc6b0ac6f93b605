/**
 * Measures every running machine each 30 s and keeps what it saw, a row for five minutes of an instance (ADR 42). Of
 * several servers that have a driver one measures its machines. A machine that did not answer comes last the next time.
 * A round that takes longer than its time leaves one out.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Logger } from 'pino'
import type { Region } from '../../catalog/regions.ts'
import type { Clock } from '../../db/clock.ts'
import type { Database, Db } from '../../db/database.ts'
import { newId } from '../../db/ids.ts'
import { type Running, startRunning } from '../../worker/running.ts'
import { addReading, type Block, blockMs, emptyOld, lookMs, openBlock, writeBlocks } from './blocks.ts'
import type { Looks, Machine, Reading } from './looks.ts'

/** Questions to a driver at a time. */
const together = 32
const pageLength = 2_000
const leaseSeconds = 75
const emptyEveryMs = 3_600_000
/** What could not be written for so long is given up: it must not fill the memory. */
const keptMs = 1_800_000
/** One that somebody watches was measured just now. */
const youngMs = 4_000

export interface CollectNeeds {
  readonly database: Database
  readonly clock: Clock
  readonly regions: readonly Region[]
  readonly looks: Looks
  readonly blocks: Blocks
  readonly log: Logger
}

/** What this process has measured and not written yet. Charts show it too. */
export interface Blocks {
  readonly open: Map<string, Block>
  /** Complete, the oldest first. */
  full: Block[]
}
export const createBlocks = (): Blocks => ({ open: new Map(), full: [] })

export const blocksOf = ({ open, full }: Blocks, id: string): Block[] => {
  const last = open.get(id)
  return [...full.filter(({ instanceId }) => instanceId === id), ...(last ? [last] : [])]
}

export interface Collector {
  /** One look at every running machine, and what is complete is written. */
  round(): Promise<void>
  /** Writes what there is, complete or not. */
  finish(): Promise<void>
}

export function createCollector(needs: CollectNeeds): Collector {
  const { database, clock, regions, looks, blocks, log } = needs
  const holder = newId()
  const names = [...new Set(regions.map(({ compute }) => compute.name))]
  /** Of the round before, for what is counted a second. */
  let before = new Map<string, Reading>()
  let silent = new Set<string>()
  let emptiedAt = -Infinity

  async function measure(machines: readonly Machine[], seen: Map<string, Reading>, mute: Set<string>) {
    const [late, ready] = [
      machines.filter(({ id }) => silent.has(id)),
      machines.filter(({ id }) => !silent.has(id)),
    ]
    const left = [...ready, ...late].values()
    const measureRest = async () => {
      for (const machine of left) {
        const reading = await looks.look(machine, youngMs)
        if (reading) {
          seen.set(machine.id, reading)
          keep(machine.id, reading)
        } else mute.add(machine.id)
      }
    }
    await Promise.all(Array.from({ length: together }, measureRest))
  }
  function keep(id: string, reading: Reading) {
    const open = blocks.open.get(id)
    const isOver = open && (reading.at >= open.beganMs + blockMs || reading.at < open.beganMs)
    if (isOver) blocks.full.push(open)
    const block = open && !isOver ? open : openBlock(id, reading.at)
    blocks.open.set(id, block)
    addReading(block, reading, before.get(id) ?? null)
  }
  async function write(now: number) {
    for (const [id, block] of blocks.open) {
      if (now < block.beganMs + blockMs) continue
      blocks.open.delete(id)
      blocks.full.push(block)
    }
    if (blocks.full.length === 0) return
    const writing = blocks.full
    try {
      await writeBlocks(database.kysely, writing)
      blocks.full = blocks.full.filter(block => !writing.includes(block))
    } catch (error) {
      log.error({ err: error, blocks: writing.length }, 'what instances used was not kept; it is tried again')
      blocks.full = blocks.full.filter(({ beganMs }) => now - beganMs < keptMs)
    }
  }

  return {
    async round() {
      const now = clock.now()
      if (now - emptiedAt > emptyEveryMs) {
        await emptyOld(database.kysely, now)
        emptiedAt = now
      }
      const held = await takeLeases(database.kysely, names, holder)
      const machines = held.length ? await runningOn(database.kysely, held) : []
      const [seen, mute] = [new Map<string, Reading>(), new Set<string>()]
      const ofDriver = Map.groupBy(machines, ({ driver }) => driver)
      await Promise.all([...ofDriver.values()].map(each => measure(each, seen, mute)))
      before = seen
      silent = mute
      await write(clock.now())
    },
    finish: () => write(Infinity),
  }
}

/** Takes, or keeps, what nobody else has; returns the drivers whose machines this server measures. */
async function takeLeases(db: Db, drivers: readonly string[], holder: string): Promise<string[]> {
  const { rows } = await sql<{ driver: string }>`
    insert into metric_lease (driver, holder, expires_at)
    select driver, ${holder}, now() + ${leaseSeconds} * interval '1 second' from unnest(${drivers}::text[]) driver order by 1
    on conflict (driver) do update set holder = excluded.holder, expires_at = excluded.expires_at
    where metric_lease.holder = excluded.holder or metric_lease.expires_at < now()
    returning driver`.execute(db)
  return rows.map(({ driver }) => driver)
}

async function runningOn(db: Db, drivers: readonly string[]): Promise<Machine[]> {
  const machines: Machine[] = []
  for (let after = '00000000-0000-0000-0000-000000000000'; ;) {
    const rows = await db
      .selectFrom('gpu_instances')
      .select(['id', 'driver', 'driver_ref'])
      .where('status', '=', 'running')
      .where('driver', 'in', drivers)
      .where('id', '>', after)
      .orderBy('id')
      .limit(pageLength)
      .execute()
    machines.push(...rows)
    if (rows.length < pageLength) return machines
    after = rows.at(-1)!.id
  }
}

/** Looks at the same moments of every half minute, so that a block has ten of them. */
export const startMetrics = (needs: CollectNeeds): Running =>
  startRunning(async signal => {
    const collector = createCollector(needs)
    while (!signal.aborted) {
      await collector
        .round()
        .catch(error => needs.log.error({ err: error }, 'what instances use was not measured'))
      const left = lookMs - (needs.clock.now() % lookMs)
      await sleep(left, undefined, { signal, ref: false }).catch(() => {})
    }
    await collector.finish()
  })
