/**
 * The product with simulated machines in memory, in a process of its own: as `main.ts` opens it, but its driver can be
 * told of machines that are there already, and it says how many statements it has sent.
 */
import { createSimulatedDriver } from '@ingot/compute/simulated/driver'
import pg from 'pg'
import { ensureFirstAdmin } from '../apps/server/src/auth/ensure-first-admin.ts'
import { readConfig } from '../apps/server/src/config.ts'
import { startEmbeddedPostgres } from '../apps/server/src/db/embedded.ts'
import { migrate } from '../apps/server/src/db/migrate.ts'
import { openServerRole } from '../apps/server/src/db/server-role.ts'
import { createApp } from '../apps/server/src/product/app.ts'
import { openServices } from '../apps/server/src/product/services.ts'
import { startWorker } from '../apps/server/src/product/worker.ts'
import { seedTemplates } from '../apps/server/src/templates/seed-templates.ts'

export type Ask =
  | { readonly kind: 'statements' | 'stop' }
  | { readonly kind: 'machines'; readonly ids: readonly string[] }

let statements = 0
const query = pg.Client.prototype.query as (...parts: unknown[]) => unknown
pg.Client.prototype.query = function (this: pg.Client, ...parts: unknown[]) {
  statements++
  return query.apply(this, parts)
} as typeof pg.Client.prototype.query

const [dir, port] = process.argv.slice(2) as [string, string]
const config = readConfig({
  PORT: port,
  INGOT_DATA_DIR: dir,
  INGOT_SECRET: 'bench',
  INGOT_SERVICE_KEY: 'the-service-key-of-the-benchmark-alone',
  INGOT_REGIONS: 'US-East=simulated',
  INGOT_LOG_LEVEL: 'error',
})
const embedded = await startEmbeddedPostgres({ dir })
await migrate(embedded.url)
const { url } = await openServerRole(embedded.url, 'bench')
let now = Date.now
const driver = createSimulatedDriver({
  dir: null,
  now: () => now(),
  startMs: 100,
  stopMs: 100,
  machines: 1_000_000,
})
const services = await openServices({ config, databaseUrl: url, drivers: new Map([['simulated', driver]]) })
now = services.clock.now
await seedTemplates(services.database.kysely)
const admin = await ensureFirstAdmin(services.database)
const app = await createApp(services)
await app.listen({ host: config.host, port: config.port })
const worker = startWorker(services)

process.on('message', async (ask: Ask) => {
  if (ask.kind === 'statements') process.send!(statements)
  else if (ask.kind === 'machines') {
    for (const instanceId of ask.ids) {
      const spec = {
        instanceId,
        tenant: 'bench',
        name: 'bench',
        gpuType: 'A40',
        gpuCount: 1,
        gpuMemoryGb: 48,
        cpuCores: 8,
        memoryGb: 48,
        storageGb: 140,
        image: '',
        region: 'US-East',
        host: null,
        cards: [],
        command: null,
        env: {},
        volume: null,
      }
      const made = await driver.create(spec, instanceId)
      if (made.kind === 'done') await driver.start(made.value)
    }
    process.send!(true)
  } else {
    await worker.stop()
    await app.close()
    await services.close()
    await embedded.stop()
    process.exit(0)
  }
})
process.send!({ ...admin, ownerUrl: embedded.url })
