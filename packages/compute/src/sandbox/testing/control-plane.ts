/**
 * A control plane in a process of its own: control-plane.ts DIR DESIGN ID CALLS DIE-AT. It does the calls for one machine
 * and kills itself, with SIGKILL, right after its n-th change to the outside world; 0: it lives. Prints how many changes it
 * made, and exits 0.
 */
import { Socket } from 'node:net'
import { Readable } from 'node:stream'
import { type Answer, done, notYet } from '../../driver.ts'
import { createSandboxDriver } from '../driver.ts'
import type { Design } from '../launch/launch.ts'
import { createDying } from './dying.ts'
import { spareIsReady } from './spare.ts'

const [dir = '', design = '', id = '', calls = '', dieAt = '0'] = process.argv.slice(2)
const driver = await createSandboxDriver({
  dir,
  design: design as Design,
  maxMachines: 100,
  stopGraceMs: 200,
  spares: calls.includes('spare') ? 1 : 0,
  log: console.error,
})
const { watch, changes, play } = createDying(Number(dieAt))
// What is said to the launcher, and to keepers and clerks.
watch(Socket.prototype, 'write')
watch(process, 'kill')

const spec = {
  instanceId: id,
  tenant: 'a-tenant',
  name: id,
  gpuType: 'A40',
  gpuCount: 1,
  gpuMemoryGb: 48,
  cpuCores: 1,
  memoryGb: 1,
  storageGb: 1,
  image: 'pytorch',
  region: 'US-East',
  host: null,
  cards: [],
  command: null,
  env: {},
  volume: calls.includes('volume') ? { ref: id, name: 'data', readOnly: false } : null,
}
const acts: Record<string, () => Promise<Answer<unknown>>> = {
  create: () => driver.create(spec, id),
  start: () => driver.start(id),
  stop: () => driver.stop(id),
  destroy: () => driver.destroy(id),
  spare: async () => (spareIsReady(dir) ? done() : notYet(20)),
  die: async () => done(void process.kill(process.pid, 'SIGKILL')),
  volume: () => driver.volumes.create({ volumeId: id, tenant: 'a-tenant', sizeGb: 1 }, id),
  grow: () => driver.volumes.grow(id, 2),
  snapshot: () => driver.volumes.snapshot(id, { snapshotId: id }, id),
  restore: () =>
    driver.volumes.restore(id, { volumeId: id, tenant: 'a-tenant', sizeGb: 3 }, `${id}-restored`),
  disk: () => acts['volume']!(),
  attach: () => driver.volumes.attach(id, { ref: id, name: 'data', readOnly: false }),
  close: () => driver.volumes.attach(id, { ref: id, name: 'data', readOnly: true }),
  detach: () => driver.volumes.detach(id),
  put: () => driver.volumes.files(id).write('/put', Readable.from([Buffer.from(id)])),
  drop: () => driver.volumes.destroy(id),
  files: () => driver.files(id).write('/workspace/file', Readable.from([Buffer.from(id)])),
}
await play(calls, acts)
console.log(changes())
process.exit(0)
