/**
 * Which driver serves the regions that the operator binds to none. The first start looks at what is there and keeps what
 * it found in a row: a later start with another engine at hand, or without a card, changes nobody's region.
 *
 * An engine is chosen only for its cards: a newcomer's first deploy must not wait for an image of gigabytes.
 */
import { existsSync } from 'node:fs'
import type { Driver } from '@ingot/compute/driver'
import type { Config, DriverName } from '../config.ts'
import type { Db } from '../db/database.ts'

export interface Choice {
  readonly driver: DriverName
  /** Of an engine that the operator did not name. */
  readonly address: string | null
  readonly why: string
}

export interface Choosing {
  readonly config: Pick<Config, 'role' | 'regions'>
  readonly db: Db
  /** All that there are. */
  readonly regions: readonly string[]
  readonly drivers: ReadonlyMap<DriverName, Driver>
  /** Opens the engine at an address, where it may be offered; null: it can't be used, or sees no card. */
  readonly tryEngine: (address: string) => Promise<Driver | null>
  readonly engineSocket?: string
}

const usualSocket = '/var/run/docker.sock'

/** Null: all regions are bound, or this server has nothing of its own that could serve the others. */
export async function chooseDriver(needs: Choosing): Promise<Choice | null> {
  const { config, db, regions } = needs
  if (config.role !== 'both' || regions.every(name => config.regions[name] ?? config.regions['*']))
    return null
  const kept = await readChoice(db)
  if (kept) return kept
  const { driver, address, why } = await look(needs)
  await db
    .insertInto('driver_choice')
    .values({ driver, address, why })
    .onConflict(conflict => conflict.doNothing())
    .execute()
  return readChoice(db)
}

const readChoice = async (db: Db): Promise<Choice | null> =>
  (await db.selectFrom('driver_choice').select(['driver', 'address', 'why']).executeTakeFirst()) ?? null

async function look({ db, drivers, tryEngine, engineSocket = usualSocket }: Choosing): Promise<Choice> {
  const sandbox = drivers.get('sandbox')
  const own = sandbox ? 'sandbox' : 'simulated'
  // It ran before there was a choice: whoever rents something keeps the driver that he has.
  if (await db.selectFrom('gpu_instances').select('id').limit(1).executeTakeFirst())
    return { driver: own, address: null, why: 'as before' }

  const named = [...drivers].find(([name, driver]) => name.startsWith('docker') && isReal(driver))
  if (named) return { driver: named[0], address: null, why: 'its engine sees cards' }
  const address = `unix://${engineSocket}`
  if (!drivers.has('docker') && existsSync(engineSocket) && (await tryEngine(address)))
    return { driver: 'docker', address, why: `the engine at ${engineSocket} sees cards` }
  const noEngine = 'no container engine here sees a card'
  if (!sandbox)
    return { driver: own, address: null, why: `${noEngine}, and sandboxes can’t be offered (see above)` }
  const why = isReal(sandbox) ? 'this machine has cards of its own' : 'it needs nothing'
  return { driver: own, address: null, why: `${noEngine}, and ${why}` }
}

const isReal = (driver: Driver): boolean => driver.capabilities.hardware === 'real'

/** For the start-up report. */
export const sayChoice = ({ driver, why }: Choice): string =>
  `${driver}, chosen at the first start: ${why}. To choose otherwise, set INGOT_REGIONS, such as INGOT_REGIONS="*=simulated"`
