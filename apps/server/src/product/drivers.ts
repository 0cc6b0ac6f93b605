/** Opens the drivers that this machine offers and those that the operator has named, each under its name. */
import { accessSync, constants } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { seesCards } from '@ingot/compute/docker/cards'
import { createDockerDriver } from '@ingot/compute/docker/driver'
import type { Driver, Probe } from '@ingot/compute/driver'
import { createSandboxDriver } from '@ingot/compute/sandbox/driver'
import { createSimulatedDriver } from '@ingot/compute/simulated/driver'
import type { Logger } from 'pino'
import { ConfigError } from '../config/config-error.ts'
import { publicDockerSentence, publicSandboxSentence } from '../config/variables.ts'
import type { Config, DriverName } from '../config.ts'
import type { Clock } from '../db/clock.ts'
import type { Drivers } from '../catalog/regions.ts'
import type { Db } from '../db/database.ts'
import type { Vault } from '../vault.ts'
import type { Signals } from '../worker/signals.ts'
import { chooseDriver, sayChoice } from './first-start.ts'
import { shareEngine } from './shared-engine.ts'

interface Needs {
  readonly config: Config
  readonly clock: Clock
  readonly log: Logger
  readonly db: Db
  readonly vault: Vault
  readonly signals: Signals
}

interface Opened {
  readonly drivers: Drivers
  /** Serves the regions that are bound to none; null: all are bound. */
  readonly rest: DriverName | null
  readonly probes: readonly Probe[]
}

/** `regions`: all that there are. */
export async function openDrivers(needs: Needs, regions: readonly string[]): Promise<Opened> {
  const { config, db } = needs
  const own = config.role === 'both' ? [await openSimulated(needs), await openSandbox(needs)] : []
  const found = [...own, ...(await openEngines(needs, config.engines))]
  let tried: Found[] = []
  const tryEngine = async (address: string) => {
    if (!(await seesCards({ address }))) return null
    tried = await openEngines(needs, { docker: address })
    const driver = tried[0]?.driver ?? null
    return driver?.capabilities.hardware === 'real' ? driver : null
  }
  const choice = await chooseDriver({ config, db, regions, drivers: driversOf(found), tryEngine })
  if (choice?.address && !Object.hasOwn(config.engines, choice.driver)) {
    const isTried = tried.some(({ name }) => name === choice.driver)
    found.push(...(isTried ? tried : await openEngines(needs, { [choice.driver]: choice.address })))
  } else await Promise.all(tried.map(({ driver }) => driver?.close()))
  const probes = found.flatMap(each => each.probes)
  return {
    drivers: driversOf(found),
    rest: choice?.driver ?? null,
    probes: choice ? [...probes, { name: 'other regions', ok: true, detail: sayChoice(choice) }] : probes,
  }
}

const driversOf = (found: readonly Found[]): Drivers =>
  new Map(found.flatMap(({ name, driver }) => (driver ? [[name, driver] as const] : [])))

async function openSimulated({ config, clock }: Needs): Promise<Found> {
  const dir = join(config.dataDir, 'simulated')
  await mkdir(dir, { recursive: true })
  return {
    name: 'simulated',
    driver: createSimulatedDriver({ dir, now: clock.now, machines: config.maxSimulated }),
    probes: [],
  }
}

interface Found {
  readonly name: DriverName
  /** Null: it is not offered. */
  readonly driver: Driver | null
  readonly probes: readonly Probe[]
}

async function openSandbox({ config, log }: Needs): Promise<Found> {
  if (!config.loopback && !config.insists.publicSandbox) {
    const detail = `Sandboxes share this machine's kernel, so they are not offered on a public address. To insist, set INGOT_PUBLIC_SANDBOX="${publicSandboxSentence}".`
    return { name: 'sandbox', driver: null, probes: [{ name: 'sandbox', ok: false, detail }] }
  }
  const sandbox = await createSandboxDriver({
    dir: join(config.dataDir, 'sandbox'),
    nodePath: process.execPath,
    maxMachines: config.maxSandboxes,
    spares: 1,
    log: message => log.warn(message),
  })
  return offered('sandbox', sandbox, sandbox.probes)
}

async function openEngines(needs: Needs, addresses: Config['engines']): Promise<Found[]> {
  const { config, log, db, signals } = needs
  const engines = Object.entries(addresses)
  if (engines.length === 0) return []
  const { id } = await db.selectFrom('installation').select('id').executeTakeFirstOrThrow()
  return Promise.all(
    engines.map(async ([name, address]) => {
      const part = name.replace(':', '.')
      const docker = await createDockerDriver({
        engine: { address, tls: address.startsWith('tcp:') ? tlsIn(config.certificates) : null },
        // One engine may serve under two names.
        installation: `${id}.${part}`,
        dir: join(config.dataDir, part),
        maxMachines: config.maxContainers,
        networkPool: config.containerNetworks,
        // The embedded PostgreSQL has one server.
        ...(config.databaseUrl ? { shared: await shareEngine(needs, name) } : {}),
        registries: config.registries,
        // What is public on another host is none of ours.
        publicPort: config.loopback ? null : address.startsWith('unix:') ? config.port : 0,
        acceptsReach: config.insists.publicDocker,
        log: message => log.warn(`${name}: ${message}`),
      })
      if (config.role !== 'http')
        signals.on(`keeper:${name}`, () => void docker.keepTerminals().catch(() => {}))
      const probes = docker.probes.map(probe => ({
        ...probe,
        name: `${name}: ${probe.name}`,
        detail:
          probe.name === 'reach' && !probe.ok && probe.required
            ? `${probe.detail}. ${whatToDo}`
            : probe.detail,
      }))
      return offered(name, { ...docker, name }, probes)
    }),
  )
}

const whatToDo = `Close that to the networks of INGOT_DOCKER_NETWORKS, as by rules in the chains INPUT and DOCKER-USER. To offer containers all the same, set INGOT_PUBLIC_DOCKER="${publicDockerSentence}"`

function tlsIn(folder: string | null) {
  if (folder === null) return null
  const [caFile, certFile, keyFile] = ['ca.pem', 'cert.pem', 'key.pem'].map(name => join(folder, name))
  try {
    for (const file of [caFile, certFile, keyFile]) accessSync(file!, constants.R_OK)
  } catch (error) {
    throw new ConfigError(`INGOT_DOCKER_CERTS: ${(error as Error).message}. Put the file there, or unset it`)
  }
  return { caFile: caFile!, certFile: certFile!, keyFile: keyFile! }
}

type Required = Probe & { readonly required: boolean }

const offered = (name: DriverName, driver: Driver, probes: readonly Required[]): Found => ({
  name,
  driver: probes.every(probe => probe.ok || !probe.required) ? driver : null,
  probes,
})
