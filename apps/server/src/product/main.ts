/**
 * The product in one process: settings, data folder, PostgreSQL, migrations, then the API and the worker, or one of them
 * where several servers share a database (`INGOT_ROLE`). Whatever stops it from starting is one line on stderr saying what to do, and exit code 1. Ctrl-C drains: no new requests, work
 * in hand finishes, PostgreSQL stops, data and running instances stay.
 */
import { setFlagsFromString } from 'node:v8'
import { sql } from 'kysely'
import { ensureFirstAdmin } from '../auth/ensure-first-admin.ts'
import { ConfigError } from '../config/config-error.ts'
import { type Config, isDevnet, readConfig } from '../config.ts'
import { prepareDataDir } from '../db/data-dir.ts'
import { startEmbeddedPostgres } from '../db/embedded.ts'
import { lockDataDir } from '../db/lock-data-dir.ts'
import { migrate } from '../db/migrate.ts'
import { openServerRole, type ServerRole } from '../db/server-role.ts'
import { type Gateway, startSshGateway } from '../instances/ssh/gateway.ts'
import { createApp } from './app.ts'
import { holdEmbeddedParts } from './embedded-parts.ts'
import type { Pages } from './pages.ts'
import { keepShowing } from './keep-showing.ts'
import { openServices, type Services } from './services.ts'
import { seedTemplates } from '../templates/seed-templates.ts'
import { openVault } from '../vault.ts'
import { startWorker } from './worker.ts'

type Close = () => Promise<unknown>

// What passes through (ports, SSH, terminals) lies in buffers beside the heap. By V8's old rule each 20 MB of them has the
// whole heap collected, which was half of the time that a download through a port took.
setFlagsFromString('--external-memory-accounted-in-global-limit')

const slowMs = 1_000
const drainMs = 15_000

/** Says what is being done as soon as it takes more than a second. */
async function step<T>(what: string, work: () => Promise<T>): Promise<T> {
  const timer = setTimeout(() => console.log(`${what} …`), slowMs)
  try {
    return await work()
  } finally {
    clearTimeout(timer)
  }
}

async function start(closers: Close[]): Promise<void> {
  const given = readConfig(process.env)
  const config: Config = { ...given, dataDir: await prepareDataDir(given.dataDir) }
  closers.push(await lockDataDir(config.dataDir))
  const ownerUrl = await openDatabaseServer(config, closers)
  const role = await step('Migrating the database', () => prepareDatabase(config, ownerUrl)).catch(error => {
    throw new ConfigError(databaseProblem(config, error as Error))
  })
  // The folder of an embedded PostgreSQL has one server already.
  if (config.role === 'both' && config.databaseUrl) closers.push(await holdEmbeddedParts(role.url))
  const services = await step('Probing this machine', () => openServices({ config, databaseUrl: role.url }))
  closers.push(() => services.close())
  // Others go on with them.
  if (config.role === 'both') closers.push(() => noteSurvivors(services))
  if (config.unknown.length > 0)
    services.log.warn({ variables: config.unknown }, 'These variables are no settings and are ignored')
  if (role.lost) services.log.warn(role.lost)
  await seedTemplates(services.database.kysely)
  const pages = config.role === 'worker' ? null : services.pages
  const [admin] = await Promise.all([ensureFirstAdmin(services.database), pages && render(pages, services)])
  if (pages) closers.push(await serve(pages, services))
  if (config.role !== 'http') {
    const worker = startWorker(services)
    closers.push(() => worker.stop())
  }
  announce(services, admin)
}

const render = (pages: Pages, services: Services): Promise<void> =>
  step('Rendering the public pages', () => keepShowing(pages, services)).catch(error => {
    throw new ConfigError(`the public pages cannot be rendered: ${(error as Error).message}`)
  })

async function serve(pages: Pages, services: Services): Promise<Close> {
  const { config } = services
  const app = await createApp(services, { pages })
  await app.listen({ host: config.host, port: config.port }).catch(error => {
    throw new ConfigError(listenProblem(config, error as NodeJS.ErrnoException))
  })
  const gateway = await openGateway(services)
  return async () => {
    await gateway?.close()
    await app.close()
  }
}

/** Where nobody chose the port, a port that is taken leaves it out. */
async function openGateway(services: Services): Promise<Gateway | null> {
  const { config, ssh } = services
  if (!config.ssh) return null
  return startSshGateway(services, { host: config.host, port: config.ssh.port }).catch(error => {
    if (config.ssh!.isGiven)
      throw new ConfigError(
        `SSH cannot listen on ${config.host}:${config.ssh!.port} (${(error as NodeJS.ErrnoException).code ?? (error as Error).message}). Set INGOT_SSH_PORT to another port, or to off`,
      )
    ssh.at = null
    return null
  })
}

async function openDatabaseServer(config: Config, closers: Close[]): Promise<string> {
  if (config.databaseUrl) return config.databaseUrl
  const embedded = await step('Starting PostgreSQL', () => startEmbeddedPostgres({ dir: config.dataDir }))
  closers.push(() => embedded.stop())
  return embedded.url
}

async function prepareDatabase(config: Config, ownerUrl: string): Promise<ServerRole> {
  await migrate(ownerUrl)
  const vault = await openVault(config.secret, config.dataDir)
  return openServerRole(ownerUrl, vault.derive('database role').export().toString('base64url'))
}

function databaseProblem(config: Config, error: Error): string {
  const { code } = error as NodeJS.ErrnoException
  const unreachable =
    /^(ECONNREFUSED|ENOTFOUND|ETIMEDOUT|EHOSTUNREACH|ENOENT|28P01|28000|3D000)$/.test(code ?? '') ||
    /timeout/.test(error.message)
  if (config.databaseUrl && unreachable) {
    return `the database of DATABASE_URL cannot be reached (${error.message || code}). Start it, correct DATABASE_URL, or unset it to use the embedded PostgreSQL`
  }
  return `the database cannot be prepared: ${error.message}`
}

function listenProblem(config: Config, error: NodeJS.ErrnoException): string {
  if (error.code === 'EADDRINUSE')
    return `port ${config.port} is taken. Stop what uses it, or start with another: PORT=${config.port + 1} npm start`
  if (error.code === 'EACCES')
    return `port ${config.port} needs more rights. Use one above 1023: PORT=8080 npm start`
  return `cannot listen on ${config.host}:${config.port} (${error.code ?? error.message}). Set INGOT_HOST to an address of this machine`
}

function announce(services: Services, admin: { email: string; password: string } | null): void {
  const { config, regions, probes } = services
  const what = config.role === 'worker' ? 'Ingot’s worker is ready for' : 'Ingot is ready at'
  const lines = [`${what} ${config.publicUrl}`]
  if (admin)
    lines.push(
      '',
      'First administrator, shown once:',
      `  e-mail    ${admin.email}`,
      `  password  ${admin.password}`,
    )
  lines.push('', `Payments: ${services.chain.networkName}`)
  lines.push(
    `Regions:  ${regions.map(region => `${region.id} (${region.available ? region.driver : 'not offered'})`).join(', ')}`,
  )
  if (config.role !== 'worker') lines.push(`SSH:      ${sshAt(services)}`)
  lines.push(`Disks:    ${disksSold(config)}`)
  for (const probe of probes) lines.push(`  ${probe.ok ? 'yes' : 'no '}  ${probe.name}: ${probe.detail}`)
  if (isDevnet(config) && config.loopback && !config.smtp)
    lines.push('', `Mail is not sent; read it at ${config.publicUrl}/dev/mail`)
  console.log(lines.join('\n'))
}

const sshAt = ({ config, ssh }: Services): string => {
  if (ssh.at) return `${ssh.at.host}, port ${ssh.at.port}`
  return config.ssh
    ? `off: port ${config.ssh.port} is taken; INGOT_SSH_PORT sets another`
    : 'off, by INGOT_SSH_PORT'
}

const disksSold = ({ diskOvercommit }: Config): string =>
  diskOvercommit === null
    ? 'sold without a limit; INGOT_DISK_OVERCOMMIT sets one'
    : `sold up to ${diskOvercommit} × the space of their host`

/** Running instances outlive the server: an upgrade must not end anybody's training run. */
async function noteSurvivors(services: Services): Promise<void> {
  const { rows } = await sql<{
    count: bigint
  }>`select count(*) from gpu_instances where status = 'running' and driver <> 'simulated'`.execute(
    services.database.kysely,
  )
  const count = Number(rows[0]!.count)
  if (count)
    console.log(
      `${count} running ${count === 1 ? 'instance keeps' : 'instances keep'} running, and charging, until the next start.`,
    )
}

const closers: Close[] = []
async function shutDown(): Promise<void> {
  while (closers.length)
    await closers.pop()!().catch(error => console.error(`while stopping: ${(error as Error).message}`))
}

function fail(error: unknown): void {
  const known = error instanceof ConfigError
  console.error(
    `Ingot cannot start: ${error instanceof Error ? error.message : String(error)}.`.replace(/\.\.$/, '.'),
  )
  if (!known && error instanceof Error) console.error(error.stack)
  process.exitCode = 1
}

let stopping = false
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    if (stopping) return
    stopping = true
    console.log('\nStopping …')
    setTimeout(() => process.exit(1), drainMs).unref()
    void shutDown().then(() => process.exit(0))
  })
}
start(closers).catch(async error => {
  fail(error)
  await shutDown()
  process.exit()
})
