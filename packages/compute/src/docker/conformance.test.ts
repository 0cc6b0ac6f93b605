/** A real engine keeps the contract that every driver keeps. */
import { afterAll, beforeAll } from 'vitest'
import { describeDriver } from '../conformance.ts'
import { createDockerDriver } from './driver.ts'
import { noEngineReason, startEngine, type TestEngine, testImage } from './testing/engine.ts'

const reason = await noEngineReason()
if (reason) console.log(`skipped: docker: ${reason}`)
let engine: TestEngine | null = null
beforeAll(async () => {
  if (reason === null) engine = await startEngine()
}, 180_000)
afterAll(() => engine?.discard(), 60_000)

describeDriver(
  'docker',
  dir =>
    createDockerDriver({
      engine: { address: engine!.address },
      installation: 'conformance',
      dir,
      maxMachines: 8,
      stopGraceMs: 2_000,
    }),
  { skip: reason, spec: { image: testImage, memoryGb: 1 }, patienceMs: 20_000 },
)
