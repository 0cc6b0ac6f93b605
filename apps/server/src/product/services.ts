/** Builds everything the routes and the worker stand on, in order, and takes it down in the reverse order. */
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Driver, Probe } from '@ingot/compute/driver'
import type { SiteFile } from '@ingot/contracts/site/content'
import { developmentXpub } from '@ingot/tron/devnet/accounts'
import { createDevnet, type Devnet } from '@ingot/tron/devnet/devnet'
import { type Logger, pino } from 'pino'
import { type Catalog, openCatalog } from '../catalog/catalog.ts'
import { openInventories } from '../catalog/inventory.ts'
import { openRegions, type Region } from '../catalog/regions.ts'
import type { Config, DriverName } from '../config.ts'
import { type Clock, openClock } from '../db/clock.ts'
import { type Database, openDatabase } from '../db/database.ts'
import { type Blocks, createBlocks } from '../instances/watching/collect.ts'
import { internet, type Outside } from '../files/imports/outside.ts'
import { createLooks, type Looks } from '../instances/watching/looks.ts'
import type { SshState } from '../instances/ssh/access.ts'
import { openVault, type Vault } from '../vault.ts'
import { type Chain, openDevnetChain, openTronChain } from '../wallet/chain.ts'
import { readSiteFile } from '../site/content/read-site-file.ts'
import { openPosted, type Posted } from '../site/posted/posted.ts'
import { createWaiting, type Waiting } from '../wallet/waiting.ts'
import { openSignals, type Signals } from '../worker/signals.ts'
import type { Manual } from '../support/replies/manual.ts'
import { openDrivers } from './drivers.ts'
import { shownBy } from './keep-showing.ts'
import { openManual } from './manual.ts'
import { openPages, type Pages } from './pages.ts'

export interface Services {
  readonly config: Config
  readonly log: Logger
  readonly database: Database
  readonly clock: Clock
  readonly signals: Signals
  readonly vault: Vault
  readonly catalog: Catalog
  /** What the operator tells everybody. */
  readonly posted: Posted
  /** What the operator says of the service on its public pages. */
  readonly siteFile: SiteFile
  readonly regions: readonly Region[]
  readonly chain: Chain
  /** The chain that comes with the product; null on a real one. */
  readonly devnet: Devnet | null
  readonly waiting: Waiting
  /** What machines use now, and what of it is not written yet. */
  readonly looks: Looks
  readonly blocks: Blocks
  /** Nobody listens there before the process does. */
  readonly ssh: SshState
  /** The public pages as they are rendered; a server that serves them shows them at its start. */
  readonly pages: Pages
  /** What they say, for automated replies. */
  readonly manual: Manual
  /** Where imports come from. */
  readonly outside: Outside
  /** What was found on this machine, for the start-up report. */
  readonly probes: readonly Probe[]
  close(): Promise<void>
}

export interface ServiceOptions {
  readonly config: Config
  /** A migrated database. */
  readonly databaseUrl: string
  readonly log?: Logger
  /** In place of the drivers this machine offers: tests script theirs. */
  readonly drivers?: ReadonlyMap<DriverName, Driver>
  readonly poolSize?: number
  /** In place of the internet, for imports: tests have their own. */
  readonly outside?: Outside
}

export async function openServices({
  config,
  databaseUrl,
  drivers: given,
  poolSize,
  outside = internet,
  log: givenLog,
}: ServiceOptions): Promise<Services> {
  const log =
    givenLog ?? pino({ level: config.logLevel, redact: ['req.headers.authorization', 'req.headers.apikey'] })
  // Before anything is opened: what is wrong in it stops the start.
  const siteFile = await readSiteFile(config.dataDir)
  const database = openDatabase(databaseUrl, { max: poolSize })
  const clock = await openClock(database.kysely)
  const signals = openSignals(databaseUrl, log)
  signals.on('clock', () => void clock.reload(database.kysely).catch(() => {}))
  const vault = await openVault(config.secret, config.dataDir)
  const rows = await database.kysely.selectFrom('region').select('name').orderBy('position').execute()
  const names = rows.map(({ name }) => name)
  const { drivers, rest, probes } = given
    ? { drivers: given, rest: given.has('sandbox') ? 'sandbox' : 'simulated', probes: [] }
    : await openDrivers({ config, clock, log, db: database.kysely, vault, signals }, names)
  const { chain, devnet } = await openChain(config)
  const catalog = await openCatalog({ db: database.kysely, clock, signals, log })
  const posted = await openPosted({ db: database.kysely, clock, signals, log })
  const regions = openRegions(config, drivers, names, rest)
  const pages = openPages({ dir: join(config.dataDir, 'pages') })
  await openInventories({ database, clock, regions, log, config })
  return {
    config,
    log,
    database,
    clock,
    signals,
    vault,
    catalog,
    posted,
    siteFile,
    regions,
    chain,
    devnet,
    waiting: createWaiting(),
    looks: createLooks({ regions, clock, log }),
    blocks: createBlocks(),
    ssh: { at: config.ssh && { host: config.ssh.host, port: config.ssh.port } },
    outside,
    pages,
    manual: openManual(pages, async () =>
      pages.show(await shownBy({ config, catalog, posted, siteFile, regions })),
    ),
    probes,
    async close() {
      await Promise.all([...drivers.values()].map(driver => driver.close()))
      await devnet?.close()
      await catalog.close()
      await posted.close()
      await signals.close()
      await database.close()
    },
  }
}

async function openChain(config: Config): Promise<{ chain: Chain; devnet: Devnet | null }> {
  const terms = { reviewMicro: config.depositReview, creditDays: config.creditDays }
  if (config.chain.kind === 'tron') return { chain: openTronChain(config.chain, terms), devnet: null }
  await mkdir(config.dataDir, { recursive: true })
  const solidDepth = 18
  const devnet = createDevnet({ stateFile: join(config.dataDir, 'devnet.jsonl'), solidDepth })
  const { url } = await devnet.start()
  const chain = openDevnetChain(
    {
      url,
      usdtContract: devnet.usdtContract,
      xpub: developmentXpub,
      confirmations: solidDepth + 1,
    },
    terms,
  )
  return { chain, devnet }
}
