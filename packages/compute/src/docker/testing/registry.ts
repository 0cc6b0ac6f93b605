/** Debian's `docker-registry` beside a test's engine, in its network namespace: one that wants a password. */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { finished } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { openEngine } from '../engine.ts'
import { missingAfterInstall, type TestEngine } from './engine.ts'

export interface TestRegistry {
  /** As names of images begin. */
  readonly host: string
  readonly credentials: { readonly username: string; readonly password: string }
  /** Moves an image of the engine's there. */
  push(image: string, name: string): Promise<void>
  discard(): Promise<void>
}

export const noRegistryReason = (): string | null =>
  missingAfterInstall(['docker-registry'], ['docker-registry'])

export async function startRegistry(engine: TestEngine, port: number): Promise<TestRegistry> {
  const dir = mkdtempSync(join(tmpdir(), 'ingot-registry-'))
  const host = `127.0.0.1:${port}`
  const credentials = { username: 'anna', password: 'correct horse' }
  // As Apache's htpasswd writes it.
  const hash = execFileSync('perl', [
    '-e',
    'print crypt(shift, q($2y$05$) . "abcdefghijklmnopqrstuu")',
    credentials.password,
  ])
  writeFileSync(join(dir, 'htpasswd'), `${credentials.username}:${hash.toString()}\n`)
  writeFileSync(
    join(dir, 'config.yml'),
    JSON.stringify({
      version: 0.1,
      log: { level: 'error' },
      storage: { filesystem: { rootdirectory: join(dir, 'data') } },
      http: { addr: host },
      auth: { htpasswd: { realm: 'test', path: join(dir, 'htpasswd') } },
    }),
  )
  const inside = [`--net=/run/netns/${engine.network}`]
  const registry = spawn('nsenter', [...inside, 'docker-registry', 'serve', join(dir, 'config.yml')], {
    stdio: 'ignore',
  })
  const answers = [
    'perl',
    '-MIO::Socket::INET',
    '-e',
    'exit(IO::Socket::INET->new(PeerAddr => shift) ? 0 : 1)',
    host,
  ]
  for (let left = 200; ; left--) {
    const [code] = (await once(spawn('nsenter', [...inside, ...answers]), 'exit')) as [number]
    if (code === 0) break
    if (left === 0 || registry.exitCode !== null) throw new Error('the registry did not come up')
    await sleep(50)
  }
  const { patient } = openEngine({ address: engine.address })
  return {
    host,
    credentials,
    async push(image, name) {
      const [repo, tag] = [name.slice(0, name.lastIndexOf(':')), name.slice(name.lastIndexOf(':') + 1)]
      await patient.getImage(image).tag({ repo: `${host}/${repo}`, tag })
      const pushed = patient.getImage(`${host}/${name}`)
      const report = await pushed.push({ authconfig: { ...credentials, serveraddress: host } })
      let text = ''
      report.on('data', (chunk: Buffer) => void (text += chunk.toString()))
      await finished(report)
      if (text.includes('"error"')) throw new Error(text.slice(-500))
      await pushed.remove()
    },
    async discard() {
      registry.kill('SIGKILL')
      await once(registry, 'exit')
      rmSync(dir, { recursive: true, force: true })
    },
  }
}
