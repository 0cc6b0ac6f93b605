/**
 * A control plane for volumes of an engine in a process of its own: control-plane.ts ADDRESS DIR WHERE ID CALLS DIE-AT. It
 * kills itself right after its n-th change to the world outside, of which what it asks of the engine is one; 0: it lives.
 * Prints how many changes it made, and exits 0.
 */
import http from 'node:http'
import { syncBuiltinESMExports } from 'node:module'
import { Readable } from 'node:stream'
import { createDying } from '../../sandbox/testing/dying.ts'

const [address = '', dir = '', where = '', id = '', calls = '', dieAt = '0'] = process.argv.slice(2)
const { watch, changes, play } = createDying(Number(dieAt))
let isOpen = false
watch(http, 'request', ([options]) => isOpen && (options as { method?: string }).method !== 'GET')
syncBuiltinESMExports()

const { createDockerDriver } = await import('../driver.ts')
const driver = await createDockerDriver({
  engine: { address },
  installation: `crash-${where}`,
  dir,
  maxMachines: 8,
  ...(where === 'engine' ? { noHostVolumes: 'it is tried without' } : {}),
  log: console.error,
})
isOpen = true
const before = changes()
const volumes = driver.volumes!
const tenant = 'ada'
await play(calls, {
  create: () => volumes.create({ volumeId: id, tenant, sizeGb: 1 }, id),
  put: () => volumes.files(id).write('/file', Readable.from([Buffer.from(id)])),
  grow: () => volumes.grow(id, 2),
  snapshot: () => volumes.snapshot(id, { snapshotId: `${id}-kept` }, `${id}-kept`),
  restore: () => volumes.restore(`${id}-kept`, { volumeId: `${id}-back`, tenant, sizeGb: 2 }, `${id}-back`),
})
console.log(`${before} ${changes()}`)
process.exit(0)
