import { benchAdmin } from './admin.ts'
import { benchAuth } from './auth.ts'
import { benchBilling } from './billing.ts'
import { benchDebit } from './debit.ts'
import { benchDeposits } from './deposits.ts'
import { benchDeploy } from './deploy.ts'
import { benchDocker } from './docker.ts'
import { benchFiles } from './files.ts'
import { benchFilter } from './filter.ts'
import { benchFleet } from './fleet.ts'
import { benchLanding, benchSite } from './landing.ts'
import { benchList } from './list.ts'
import { benchMetrics } from './metrics.ts'
import { type Bench, startBench } from './product.ts'
import { benchPlacement } from './placement.ts'
import { benchPorts } from './ports.ts'
import { isMet, print, type Result } from './report.ts'
import { benchSsh } from './ssh.ts'
import { benchSupport } from './support.ts'
import { benchTerminal } from './terminal.ts'
import { benchVolumes } from './volumes.ts'

const parts: Record<string, (bench: Bench) => Promise<Result[]>> = {
  list: benchList,
  filter: benchFilter,
  auth: benchAuth,
  debit: benchDebit,
  billing: benchBilling,
  placement: benchPlacement,
  deposits: benchDeposits,
  deploy: benchDeploy,
  docker: benchDocker,
  fleet: benchFleet,
  metrics: benchMetrics,
  terminal: benchTerminal,
  ports: benchPorts,
  files: benchFiles,
  ssh: benchSsh,
  volumes: benchVolumes,
  admin: benchAdmin,
  support: benchSupport,
  landing: benchLanding,
  site: benchSite,
}

const wanted = process.argv.slice(2)
for (const name of wanted)
  if (!parts[name]) throw new Error(`no part ${name}; there are ${Object.keys(parts).join(', ')}`)
const bench = await startBench()
const results: Result[] = []
try {
  for (const [name, part] of Object.entries(parts)) {
    if (wanted.length && !wanted.includes(name)) continue
    console.error(`measuring ${name} …`)
    try {
      results.push(...(await part(bench)))
    } catch (error) {
      console.error(`${name} could not be measured:`, error)
      process.exitCode = 1
    }
  }
} finally {
  await bench.close()
}
print(results)
if (!results.every(isMet)) process.exitCode = 1
