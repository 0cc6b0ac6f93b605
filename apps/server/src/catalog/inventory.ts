/**
 * What drivers tell of their hosts, as rows. Whoever has a driver asks it at the start, every 30 s, and soon again while it
 * does not answer. One that was not heard for two minutes gets nothing new placed on its hosts; what has a place keeps it.
 * However many servers write, they take turns, and what is as it was is not written.
 */
import type { Driver, Host } from '@ingot/compute/driver'
import { sql } from 'kysely'
import type { Logger } from 'pino'
import type { Clock } from '../db/clock.ts'
import type { Database, Db } from '../db/database.ts'
import { type Running, startRunning } from '../worker/running.ts'
import type { Signals } from '../worker/signals.ts'
import { createWaker } from '../worker/waker.ts'
import type { Region } from './regions.ts'

const everyMs = 30_000
/** Until a driver is asked again that did not answer. */
const againMs = 2_000
/** How long a start waits for a driver's first answer. */
const patienceMs = 5_000
const gibibyte = 2 ** 30
/** What the columns hold. */
const most = 2 ** 31 - 1

export interface InventoryNeeds {
  readonly database: Database
  readonly clock: Clock
  readonly regions: readonly Region[]
  readonly log: Logger
  readonly signals: Pick<Signals, 'on' | 'send'>
  readonly config: {
    /** Disks are sold up to so many times the space that there is; null: however much. */
    readonly diskOvercommit: number | null
  }
}

const driversOf = ({ regions }: Pick<InventoryNeeds, 'regions'>) => [
  ...new Set(regions.map(region => region.compute)),
]

/** Asks every driver once, so that a server that is open has something to sell. */
export async function openInventories(needs: Omit<InventoryNeeds, 'signals'>): Promise<void> {
  const asked = Promise.all(driversOf(needs).map(driver => note(needs, driver)))
  const { promise, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, patienceMs)
  await Promise.race([asked, promise])
  clearTimeout(timer)
}

/** Goes on asking, and lets go of places that were paid for until now. */
export const startInventories = (needs: InventoryNeeds): Running =>
  startRunning(async signal => {
    const waker = createWaker()
    needs.signals.on('clock', () => waker.wake())
    signal.addEventListener('abort', () => waker.wake())
    while (!signal.aborted) {
      const answers = await Promise.all(driversOf(needs).map(driver => note(needs, driver)))
      await sql`select release_lapsed(${needs.clock.iso()}), note_silence()`
        .execute(needs.database.kysely)
        .catch(error => needs.log.error({ err: error }, 'what has become of places with time was not noted'))
      needs.signals.send('places')
      if (!signal.aborted) await waker.wait(answers.every(Boolean) ? everyMs : againMs)
    }
  })

/** False: nothing was written. */
async function note(
  { database, log, config }: Omit<InventoryNeeds, 'signals'>,
  driver: Driver,
): Promise<boolean> {
  try {
    const answer = await driver.inventory()
    if (answer.kind !== 'done') {
      log.warn({ driver: driver.name, answer }, 'a driver could not tell of its hosts')
      return false
    }
    await noteInventory(database.kysely, driver.name, answer.value, config.diskOvercommit)
    return true
  } catch (error) {
    log.warn({ driver: driver.name, err: error }, 'the hosts of a driver were not written down')
    return false
  }
}

export async function noteInventory(
  db: Db,
  driver: string,
  hosts: readonly Host[],
  diskOvercommit: number | null,
): Promise<void> {
  const whole = (value: number) => Math.min(Math.floor(value), most)
  const told = hosts.map(({ id, machines, cpuCores, memoryBytes, diskBytes, cards }) => ({
    name: id,
    machines: whole(machines),
    cpu_cores: whole(cpuCores),
    memory_gb: whole(memoryBytes / gibibyte),
    disk_gb:
      diskBytes === null || diskOvercommit === null ? null : whole((diskBytes / gibibyte) * diskOvercommit),
    cards: cards && cards.map(({ uuid, model, memoryBytes }) => ({ uuid, model, memory_bytes: memoryBytes })),
  }))
  await sql`select note_inventory(${driver}, ${JSON.stringify(told)})`.execute(db)
}
