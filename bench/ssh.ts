/**
 * From a connection by SSH to a prompt, against a bare ssh2 server before the driver's own `exec`; and scp into an
 * instance and out of it, against OpenSSH's own server in the same folder.
 */
import { execFileSync, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { randomBytes } from 'node:crypto'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { missingAfterInstall } from '@ingot/compute/docker/testing/engine'
import ssh2 from 'ssh2'
import { freePort } from '../apps/server/src/product/testing/free-port.ts'
import { makeKeyPair } from '../apps/server/src/ssh/public-key.ts'
import { a40, type Bench } from './product.ts'
import { median, type Result } from './report.ts'

const logins = 30
const rounds = 5
const megabytes = 100
const name = 'bench-of-scp'

interface Target {
  readonly port: number
  readonly username: string
}

export async function benchSsh(bench: Bench): Promise<Result[]> {
  const { client } = bench
  const dir = await mkdtemp(join(tmpdir(), 'ingot-bench-ssh-'))
  await chmod(dir, 0o711)
  const key = makeKeyPair()
  const keyFile = join(dir, 'key')
  await writeFile(keyFile, key.private, { mode: 0o600 })
  const { id: keyId } = await client.ssh.addKey({ name: 'bench', public_key: key.public })
  const { id } = await client.instances.create({ ...a40, name: 'ssh' })
  try {
    while ((await client.instances.get({ id })).status !== 'running') await sleep(20)
    const { user, port } = await client.instances.ssh({ id })
    const ours = { port, username: user }
    return [
      await measureLogins(ours, dir, keyFile, key.private),
      ...(await measureCopies(bench, ours, dir, keyFile, key.public)),
    ]
  } finally {
    await client.instances.delete({ id })
    await client.ssh.deleteKey({ id: keyId })
    await rm(dir, { recursive: true, force: true })
  }
}

async function measureLogins(
  ours: Target,
  dir: string,
  keyFile: string,
  privateKey: string,
): Promise<Result> {
  const machines = join(dir, 'machines')
  await mkdir(machines)
  const server = fork(new URL('floors/ssh-server.ts', import.meta.url), [machines, keyFile])
  const floor = { port: (await once(server, 'message'))[0] as number, username: 'root' }
  const times = { ours: [] as number[], floor: [] as number[] }
  // The first of each warms it up.
  for (let n = 0; n <= logins; n++)
    for (const [which, target] of [['floor', floor] as const, ['ours', ours] as const]) {
      const ms = await untilPrompt(target, privateKey)
      if (n > 0) times[which].push(ms)
    }
  server.send('end')
  await once(server, 'exit')
  return {
    what: 'SSH: connect → prompt',
    figure: `${median(times.ours).toFixed(0)} ms`,
    floor: `${median(times.floor).toFixed(0)} ms (bare ssh2 + the driver's exec)`,
    value: median(times.ours) / median(times.floor),
    unit: 'ratio',
    wanted: { atMost: 1.3 },
    note: `median of ${logins}`,
  }
}

async function untilPrompt({ port, username }: Target, privateKey: string): Promise<number> {
  const began = performance.now()
  const client = new ssh2.Client()
  client.connect({ host: '127.0.0.1', port, username, privateKey })
  await once(client, 'ready')
  const channel = await new Promise<ssh2.ClientChannel>((resolve, reject) =>
    client.shell({ term: 'xterm' }, (error, opened) => (error ? reject(error) : resolve(opened))),
  )
  let shown = ''
  for await (const data of channel) if ((shown += String(data)).includes('#')) break
  const ms = performance.now() - began
  client.end()
  await once(client, 'close')
  return ms
}

async function measureCopies(
  { dir: data }: Bench,
  ours: Target,
  dir: string,
  keyFile: string,
  publicKey: string,
): Promise<Result[]> {
  const reason = missingAfterInstall(['/usr/sbin/sshd', 'scp'], ['openssh-server', 'openssh-client'])
  if (reason) {
    console.error(`scp is not measured: ${reason}`)
    return []
  }
  const here = join(dir, 'large')
  await writeFile(here, randomBytes(megabytes * 1e6))
  const copy = async ({ port }: Target, from: string, to: string) => {
    const began = performance.now()
    await scp(port, keyFile, from, to)
    return megabytes / ((performance.now() - began) / 1_000)
  }
  const there = `${ours.username}@127.0.0.1:${name}`
  await copy(ours, here, there)
  const found = execFileSync('find', [join(data, 'sandbox', 'machines'), '-name', name], { encoding: 'utf8' })
  const folder = dirname(found.split('\n')[0]!)
  const own = await startOwnServer(dir, keyFile, publicKey)
  const targets = {
    floor: { target: own.target, remote: `root@127.0.0.1:${folder}/${name}-of-sshd` },
    ours: { target: ours, remote: there },
  }
  const speed = {
    up: { ours: [] as number[], floor: [] as number[] },
    down: { ours: [] as number[], floor: [] as number[] },
  }
  for (let n = 0; n < rounds; n++)
    for (const which of ['floor', 'ours'] as const) {
      const { target, remote } = targets[which]
      speed.up[which].push(await copy(target, here, remote))
      speed.down[which].push(await copy(target, remote, `${here}-back`))
    }
  own.stop()
  return (['up', 'down'] as const).map(way => ({
    what: `scp of ${megabytes} MB ${way === 'up' ? 'into an instance' : 'out of it'}`,
    figure: `${median(speed[way].ours).toFixed(0)} MB/s`,
    floor: `${median(speed[way].floor).toFixed(0)} MB/s (OpenSSH's sshd, same folder)`,
    value: median(speed[way].ours) / median(speed[way].floor),
    unit: 'ratio',
    wanted: { atLeast: 0.4 },
    note: 'the same cipher for both',
  }))
}

async function startOwnServer(dir: string, hostKey: string, publicKey: string) {
  await writeFile(join(dir, 'authorized'), `${publicKey}\n`)
  await mkdir('/run/sshd', { recursive: true })
  const port = await freePort()
  const settings = {
    Port: port,
    ListenAddress: '127.0.0.1',
    HostKey: hostKey,
    AuthorizedKeysFile: join(dir, 'authorized'),
    PidFile: 'none',
    StrictModes: 'no',
    PermitRootLogin: 'yes',
    Subsystem: 'sftp internal-sftp',
  }
  const config = join(dir, 'sshd_config')
  await writeFile(
    config,
    Object.entries(settings)
      .map(([key, value]) => `${key} ${value}\n`)
      .join(''),
  )
  const child = spawn('/usr/sbin/sshd', ['-D', '-e', '-f', config], { stdio: 'ignore' })
  for (let tries = 0; !(await answers(port)); tries++) {
    if (tries > 100 || child.exitCode !== null) throw new Error('sshd did not start')
    await sleep(50)
  }
  return { target: { port, username: 'root' }, stop: () => child.kill() }
}

const answers = (port: number) =>
  new Promise<boolean>(resolve => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => (socket.destroy(), resolve(true)))
    socket.once('error', () => resolve(false))
  })

async function scp(port: number, keyFile: string, from: string, to: string): Promise<void> {
  const options = [
    'StrictHostKeyChecking=no',
    'UserKnownHostsFile=/dev/null',
    'BatchMode=yes',
    'LogLevel=ERROR',
  ]
  const args = ['-F', '/dev/null', '-i', keyFile, '-P', String(port), '-c', 'aes128-gcm@openssh.com']
  const child = spawn('scp', [...args, ...options.flatMap(option => ['-o', option]), from, to], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const [code] = (await once(child, 'exit')) as [number]
  if (code !== 0) throw new Error(`scp from ${from} to ${to} ended with ${code}`)
}
