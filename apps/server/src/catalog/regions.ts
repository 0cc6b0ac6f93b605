/**
 * A region is a name and a driver. Which regions are for sale follows from what the machine can do and what the
 * operator has said: simulated GPUs are never sold for real money unless the operator insists in writing.
 */
import { type RegionName, regionNames } from '@ingot/contracts/catalog'
import type { RegionEntry } from '@ingot/contracts/catalog-calls'
import { IngotError } from '@ingot/contracts/errors'
import type { Driver } from '@ingot/compute/driver'
import { type Config, type DriverName, isDevnet } from '../config.ts'

export interface Region extends RegionEntry {
  readonly id: RegionName
  readonly compute: Driver
}

export type Drivers = ReadonlyMap<DriverName, Driver>

export function openRegions(config: Config, drivers: Drivers): readonly Region[] {
  const best = drivers.get('sandbox') ?? drivers.get('simulated')!
  return regionNames.map(id => {
    const wanted = config.regions[id]
    const compute = (wanted && drivers.get(wanted)) ?? (wanted ? null : best)
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

/** The region a new instance may be placed in; refuses with `hardware_not_offered` and says why. */
export function regionForSale(regions: readonly Region[], id: RegionName): Region {
  const region = regions.find(candidate => candidate.id === id)!
  if (!region.available)
    throw new IngotError('hardware_not_offered', {
      message: region.reason ?? undefined,
      fields: { region: region.reason ?? '' },
    })
  return region
}
