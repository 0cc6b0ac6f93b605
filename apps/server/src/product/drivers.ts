/** Opens the drivers that this machine offers and those that the operator has named, each under its name. */
import { accessSync, constants } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { createDockerDriver } from '@ingot/compute/docker/driver'
import type { Driver, Probe } from '@ingot/compute/driver'
import { createSandboxDriver } from '@ingot/compute/sandbox/driver'
import { createSimulatedDriver } from '@ingot/compute/simulated/driver'
import type { Logger } from 'pino'
import { ConfigError } from '../config/config-error.ts'
import { publicDockerSentence, publicSandboxSentence } from '../config/variables.ts'
import type { Config, DriverName } from '../config.ts'
import type { Clock } from '../db/clock.ts'
import type { Db } from '../db/database.ts'

interface Needs {
  readonly config: Config
  readonly clock: Clock
  readonly log: Logger
  readonly db: Db
}

interface Opened {
  readonly drivers: ReadonlyMap<DriverName, Driver>
  readonly probes: readonly Probe[]
}

export async function openDrivers(needs: Needs): Promise<Opened> {
  const simulatedDir = join(needs.config.dataDir, 'simulated')
  await mkdir(simulatedDir, { recursive: true })
  const simulated = createSimulatedDriver({ dir: simulatedDir, now: needs.clock.now })
  const others = [await openSandbox(needs), ...(await openEngines(needs))]
  return {
    drivers: new Map([
      ['simulated', simulated],
      ...others.flatMap(({ name, driver }) => (driver ? [[name, driver] as const] : [])),
    ]),
    probes: others.flatMap(({ probes }) => probes),
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
    log: message => log.warn(message),
  })
  return offered('sandbox', sandbox, sandbox.probes)
}

async function openEngines({ config, log, db }: Needs): Promise<Found[]> {
  const engines = Object.entries(config.engines)
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
        registries: config.registries,
        // What is public on another host is none of ours.
        publicPort: config.loopback ? null : address.startsWith('unix:') ? config.port : 0,
        acceptsReach: config.insists.publicDocker,
        log: message => log.warn(`${name}: ${message}`),
      })
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
