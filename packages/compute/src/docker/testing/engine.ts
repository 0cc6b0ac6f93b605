/**
 * A real engine for tests: Debian's `docker.io`, installed where that may be done, with a daemon of its own: own data,
 * socket, network namespace and process id, so that an engine which stands here already is left alone. Images are made of this
 * host's files, since no registry is assumed.
 */
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  copyFileSync,
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { finished } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { openEngine } from '../engine.ts'

export interface TestEngine {
  readonly address: string
  /** The network namespace that it runs in. */
  readonly network: string
  /** Has it end as a host's shutdown would, and its containers with it; `start` brings it up again. */
  stop(): Promise<void>
  /** Ends it at once. */
  kill(): Promise<void>
  /** As a host that lost its power: all that it ran is gone, and what lay in `/run`. */
  cutPower(): Promise<void>
  start(): Promise<void>
  /** Ends it and removes all that it had. */
  discard(): Promise<void>
}

export const testImage = 'ingot-test:latest'
const upMs = 60_000
const programs = ['dockerd', 'containerd', 'runc', 'docker-init', 'ip', 'iptables', 'nsenter']

/** Why there can be none here; null: there can. */
export async function noEngineReason(): Promise<string | null> {
  if (process.getuid?.() !== 0) return 'an engine needs root'
  return missingAfterInstall(programs, ['docker.io', 'iproute2', 'iptables'])
}

/** Installs what is not there. Why it is not there then; null: it is. */
export function missingAfterInstall(wanted: readonly string[], packages: readonly string[]): string | null {
  const missing = () => wanted.filter(name => spawnSync('sh', ['-c', `command -v ${name}`]).status !== 0)
  if (missing().length > 0) install(packages)
  const lacks = missing()
  return lacks.length > 0 ? `${lacks.join(', ')} could not be installed` : null
}

function install(packages: readonly string[]): void {
  // The package would start a daemon of its own.
  const policy = '/usr/sbin/policy-rc.d'
  const isOurs = !existsSync(policy)
  if (isOurs) writeFileSync(policy, '#!/bin/sh\nexit 101\n', { mode: 0o755 })
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  const apt = (...args: string[]) => spawnSync('apt-get', args, { env, stdio: 'ignore', timeout: 150_000 })
  const wanted = ['install', '-y', '--no-install-recommends', '-o', 'DPkg::Lock::Timeout=120', ...packages]
  try {
    if (apt(...wanted).status !== 0) {
      apt('update')
      apt(...wanted)
    }
  } finally {
    if (isOurs) rmSync(policy, { force: true })
  }
}

/** `prepare` may mount something below the engine's folder, and answers what is to be added to its command line. */
export async function startEngine(
  prepare: (dir: string, network: string) => readonly string[] = () => [],
): Promise<TestEngine> {
  const dir = mkdtempSync(join(tmpdir(), 'ingot-engine-'))
  // Its bridges and the host's firewall have nothing to do with each other.
  const network = basename(dir)
  execFileSync('ip', ['netns', 'add', network])
  execFileSync('ip', ['-n', network, 'link', 'set', 'lo', 'up'])
  const options = prepare(dir, network)
  const address = `unix://${dir}/docker.sock`
  let daemon: ChildProcess | null = null

  async function start(): Promise<void> {
    const log = openSync(join(dir, 'log'), 'a')
    const places = ['--data-root', `${dir}/data`, '--exec-root', `${dir}/exec`, '--pidfile', `${dir}/pid`]
    const args = [`--net=/run/netns/${network}`, 'dockerd', ...places, '--host', address, ...options]
    daemon = spawn('nsenter', args, { stdio: ['ignore', log, log], detached: true })
    const until = Date.now() + upMs
    while (!(await isUp(address))) {
      if (Date.now() > until || daemon.exitCode !== null)
        throw new Error(`no engine came up: ${readFileSync(join(dir, 'log'), 'utf8').slice(-2_000)}`)
      await sleep(50)
    }
  }

  async function end(signal: NodeJS.Signals): Promise<void> {
    if (!daemon || daemon.exitCode !== null || daemon.signalCode !== null) return
    daemon.kill(signal)
    await once(daemon, 'exit')
  }

  await start()
  await importImage(address, dir)
  return {
    address,
    network,
    start,
    stop: () => end('SIGTERM'),
    async kill() {
      await end('SIGKILL')
      // Its containerd has ended with it, and may be taken for alive for as long as nobody has asked how.
      rmSync(`${dir}/exec/containerd/containerd.pid`, { force: true })
      rmSync(`${dir}/pid`, { force: true })
    },
    async cutPower() {
      const { calls } = openEngine({ address })
      const all = await calls.listContainers()
      const first = await Promise.all(all.map(({ Id }) => calls.getContainer(Id).inspect()))
      await end('SIGKILL')
      endLeftovers(dir)
      for (const { State } of first) spawnSync('kill', ['-KILL', String(State.Pid)])
      await sleep(200)
      unmountBelow(`${dir}/exec`)
      rmSync(`${dir}/exec`, { recursive: true, force: true })
      rmSync(`${dir}/pid`, { force: true })
    },
    async discard() {
      const { calls } = openEngine({ address })
      const all = await calls.listContainers({ all: true }).catch(() => [])
      for (const { Id } of all)
        await calls
          .getContainer(Id)
          .remove({ force: true, v: true })
          .catch(() => {})
      await end('SIGTERM')
      endLeftovers(dir)
      unmountBelow(dir)
      spawnSync('ip', ['netns', 'delete', network])
      rmSync(dir, { recursive: true, force: true })
    },
  }
}

const unmountBelow = (dir: string) =>
  spawnSync('sh', ['-c', `grep -o ' ${dir}[^ ]*' /proc/mounts | sort -r | xargs -r umount -l`])

/** What a daemon that was killed has left: its containerd and what that watches over, known by this folder. */
function endLeftovers(dir: string): void {
  for (const path of globSync('/proc/[0-9]*/cmdline')) {
    const text = existsSync(path) ? readFileSync(path, 'latin1') : ''
    if (text.includes(`${dir}/`) && /^[^\0]*containerd/.test(text))
      spawnSync('kill', ['-KILL', basename(dirname(path))])
  }
}

const isUp = (address: string): Promise<boolean> =>
  openEngine({ address })
    .calls.ping()
    .then(
      () => true,
      () => false,
    )

async function importImage(address: string, dir: string): Promise<void> {
  const root = join(dir, 'image')
  makeRoot(root)
  const tar = spawn('tar', ['-c', '-C', root, '.'], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [repo, tag] = testImage.split(':')
  const report = await openEngine({ address }).patient.importImage(tar.stdout, { repo, tag })
  report.resume()
  await finished(report)
  rmSync(root, { recursive: true })
}

/** A small Debian: the shells, coreutils, the tools for processes, Perl, and the libraries that these need. */
function makeRoot(root: string): void {
  for (const folder of [
    'usr/bin',
    'usr/lib',
    'usr/lib64',
    'etc',
    'root',
    'proc',
    'sys',
    'dev',
    'var/tmp',
    'workspace',
  ])
    mkdirSync(join(root, folder), { recursive: true })
  mkdirSync(join(root, 'tmp'), { mode: 0o1777 })
  for (const name of ['bin', 'sbin', 'lib', 'lib64'])
    symlinkSync(`usr/${name === 'sbin' ? 'bin' : name}`, join(root, name))
  const listed = execFileSync(
    'dpkg',
    ['-L', 'bash', 'dash', 'coreutils', 'findutils', 'grep', 'procps', 'util-linux', 'perl-base'],
    {
      encoding: 'utf8',
    },
  )
  const binaries = listed
    .split('\n')
    .filter(path => /^(\/usr)?\/s?bin\/[\w.[-]+$/.test(path) && existsSync(path))
  for (const path of binaries) copyFileSync(realpathSync(path), join(root, 'usr/bin', basename(path)))
  if (!existsSync(join(root, 'usr/bin/sh'))) symlinkSync('dash', join(root, 'usr/bin/sh'))
  const { stdout } = spawnSync('ldd', binaries, { encoding: 'utf8', maxBuffer: 2 ** 24 })
  for (const path of new Set(stdout.match(/\/\S+(?= \(0x)/g))) {
    const to = join(root, path.startsWith('/usr/') ? path : `usr${path}`)
    mkdirSync(dirname(to), { recursive: true })
    copyFileSync(realpathSync(path), to)
  }
  for (const folder of globSync('/usr/lib/*-linux-gnu/perl-base'))
    cpSync(folder, join(root, folder), { recursive: true })
  writeFileSync(
    join(root, 'etc/passwd'),
    'root:x:0:0:root:/root:/bin/bash\nnobody:x:65534:65534::/:/bin/sh\n',
  )
  writeFileSync(join(root, 'etc/group'), 'root:x:0:\nnogroup:x:65534:\n')
}
