/**
 * A real engine keeps the contract of volumes: on this host by file systems in files, elsewhere, in the long form, by
 * volumes of its own.
 */
import { afterAll, beforeAll } from 'vitest'
import { describeVolumes } from '../../volume-conformance.ts'
import { leftovers } from '../../sandbox/testing/volumes.ts'
import { createDockerDriver } from '../driver.ts'
import { noEngineReason, startEngine, type TestEngine, testImage } from '../testing/engine.ts'

const reason = await noEngineReason()
if (reason) console.log(`skipped: docker: ${reason}`)
let engine: TestEngine | null = null
beforeAll(async () => {
  if (reason === null) engine = await startEngine()
}, 180_000)
afterAll(() => engine?.discard(), 60_000)

const isLong = process.env['INGOT_LONG_TESTS'] !== undefined
const places = [
  ['docker on this host', {}],
  ['docker elsewhere', { noHostVolumes: 'it is tried without' }],
] as const
for (const [name, options] of places)
  describeVolumes(
    name,
    async dir => {
      const driver = await createDockerDriver({
        engine: { address: engine!.address },
        installation: name.replaceAll(' ', '-'),
        dir,
        maxMachines: 8,
        stopGraceMs: 1_000,
        ...options,
      })
      if (!driver.volumes) throw new Error('it has no volumes')
      return Object.assign(driver, { volumes: driver.volumes })
    },
    {
      skip: reason ?? ('noHostVolumes' in options && !isLong ? 'only in the long form' : null),
      spec: { image: testImage, memoryGb: 0.5 },
      patienceMs: 30_000,
      leftovers,
    },
  )
