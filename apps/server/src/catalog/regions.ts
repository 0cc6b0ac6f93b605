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

/** `names`: all rows, on sale or not. What runs in a region that is off sale goes on. */
export function openRegions(config: Config, drivers: Drivers, names: readonly string[]): readonly Region[] {
  const unknown = Object.keys(config.regions).find(name => !names.includes(name))
  if (unknown !== undefined)
    throw new ConfigError(
      `INGOT_REGIONS names ${unknown}, which is no region. Regions are ${names.join(', ')}`,
    )
  const best = drivers.get('sandbox') ?? drivers.get('simulated')!
  return names.map(id => {
    const wanted = config.regions[id]
    const compute = wanted === undefined ? best : (drivers.get(wanted) ?? null)
    const refusal = compute
      ? whyNotSold(config, compute)
      : `The ${wanted} driver does not run on this machine.`
    const shown = compute ?? best
    return {
      id,
      name: id.replaceAll('-', ' '),
      compute: shown,
      driver: shown.name,
      hardware: shown.capabilities.hardware,
      shell: shown.capabilities.shell,
      available: refusal === null,
      reason: refusal,
    }
  })
}

function whyNotSold(config: Config, driver: Driver): string | null {
  if (isDevnet(config) || driver.capabilities.hardware === 'real' || config.insists.sellSimulated) return null
  return 'This region runs on simulated hardware, which is not sold for real money.'
}
