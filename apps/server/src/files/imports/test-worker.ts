/**
 * A worker as a process of its own, for tests that kill it: it brings imports to their end, from the internet of whoever
 * started it, and does nothing else.
 */
import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { createSandboxDriver } from '@ingot/compute/sandbox/driver'
import { readConfig } from '../../config.ts'
import { openServices } from '../../product/services.ts'
import { startLoop } from '../../worker/loop.ts'
import { importWork } from './work.ts'

const [databaseUrl, machinesDir, dataDir, port, caFile, address] = process.argv.slice(2) as [
  string,
  string,
  string,
  string,
  string,
  string,
]
const sandbox = await createSandboxDriver({ dir: machinesDir, maxMachines: 4 })
const services = await openServices({
  config: readConfig({
    PORT: '0',
    INGOT_DATA_DIR: dataDir,
    INGOT_SECRET: 'test',
    INGOT_REGIONS: '*=sandbox',
  }),
  databaseUrl,
  drivers: new Map([['sandbox', sandbox]]),
  outside: {
    resolve: async () => [address],
    connect: () => connect({ host: '127.0.0.1', port: Number(port) }),
    ca: readFileSync(caFile, 'utf8'),
  },
})
const loop = startLoop(importWork(services), services)
process.once('SIGTERM', () => void loop.stop().then(() => process.exit(0)))
process.send!('ready')
