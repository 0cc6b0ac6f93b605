/**
 * The specification's catalogue, for tests: the figures as the specification prints them. The rows that a new database
 * has are compared with it (`apps/server/src/catalog/seed.test.ts`); the product itself reads only rows.
 */
import { type ListedGpu, listedGpu } from './catalog.ts'
import { parseUsd } from './money.ts'

/** Memory GB, vCPU, RAM GB, $/h, then the totals for 3 months and 1 year, each for one GPU. */
const specified = {
  A40: [48, 8, 48, '0.75', '535', '1950'],
  'RTX 4090': [24, 8, 32, '0.90', '1598', '3942'],
  'RTX 3090': [24, 8, 32, '0.65', '1154', '2847'],
  'A100 40GB': [40, 12, 85, '2.06', '3655', '9023'],
  'A100 80GB': [80, 12, 120, '3.06', '5428', '13403'],
  H100: [80, 16, 180, '4.10', '7270', '17958'],
  A6000: [48, 8, 48, '1.38', '2448', '6043'],
  V100: [32, 8, 61, '1.00', '1774', '4380'],
  L4: [24, 8, 32, '0.61', '1082', '2672'],
  T4: [16, 4, 16, '0.35', '621', '1533'],
} as const

export const specifiedGpus: readonly ListedGpu[] = Object.entries(specified).map(
  ([name, [memory_gb, vcpus, ram_gb, hourly, threeMonths, year]]) =>
    listedGpu(
      name,
      { memory_gb, vcpus, ram_gb },
      { hourly: parseUsd(hourly), '3month': parseUsd(threeMonths), '1year': parseUsd(year) },
    ),
)

export const specifiedGpu = (name: keyof typeof specified): ListedGpu =>
  specifiedGpus.find(gpu => gpu.name === name)!

export const specifiedRegions = ['US-East', 'US-West', 'EU-West', 'Asia-Pacific', 'Middle-East'] as const
