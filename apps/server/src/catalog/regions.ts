/**
 * A region is a row of the catalogue and a driver. Where machines can be had follows from what the machine can do and
 * what the operator has said: simulated GPUs are never sold for real money unless the operator insists in writing.
 */
import type { RegionEntry } from '@ingot/contracts/catalog-calls'
import type { Driver } from '@ingot/compute/driver'
import { ConfigError } from '../config/config-error.ts'
import { type Config, type DriverName, isDevnet } from '../config.ts'

export interface Region extends RegionEntry {
  readonly compute: Driver
}

export type Drivers = ReadonlyMap<DriverName, Driver>

/**
 * `names`: all rows, on sale or not. What runs in a region that is off sale goes on. `rest`: the driver of regions that
 * the operator binds to none; null: there is none for them.
 */
export function openRegions(
  config: Config,
  drivers: Drivers,
  names: readonly string[],
  rest: DriverName | null,
): readonly Region[] {
  const unknown = Object.keys(config.regions).find(name => name !== '*' && !names.includes(name))
  if (unknown !== undefined)
    throw new ConfigError(
      `INGOT_REGIONS names ${unknown}, which is no region. Regions are ${names.join(', ')}`,
    )
  const [any] = drivers.values()
  if (!any)
    throw new ConfigError(
      'no driver runs: none of the engines of INGOT_DRIVERS can be used. Start one, and see what its own tools say of it',
    )
  return names.map(id => {
    const bound = config.regions[id] ?? config.regions['*']
    const wanted = bound ?? rest
    const compute = wanted === null ? undefined : drivers.get(wanted)
    const shown = compute ?? drivers.get('simulated') ?? any
    const reason = compute ? whyNotSold(config, compute, bound !== undefined) : whyUnserved(wanted)
    return {
      id,
      name: id.replaceAll('-', ' '),
      compute: shown,
      driver: shown.name,
      hardware: shown.capabilities.hardware,
      shell: shown.capabilities.shell,
      runs_images: shown.capabilities.images,
      available: reason === null,
      reason,
    }
  })
}

const unbound = 'This region has no machines.'

const whyUnserved = (wanted: DriverName | null): string =>
  wanted === null ? unbound : `The ${wanted} driver does not run on this machine.`

function whyNotSold(config: Config, driver: Driver, isBound: boolean): string | null {
  // A card is in one place: which region that is only its operator knows.
  if (driver.capabilities.hardware === 'real' && !isBound) return unbound
  if (isDevnet(config) || driver.capabilities.hardware === 'real' || config.insists.sellSimulated) return null
  return 'This region runs on simulated hardware, which is not sold for real money.'
}
