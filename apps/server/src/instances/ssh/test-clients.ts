/** The gateway with machines behind it, and OpenSSH's own programs as clients, for tests. */
import { spawn } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Driver } from '@ingot/compute/driver'
import { createSandboxDriver } from '@ingot/compute/sandbox/driver'
import { createSimulatedDriver } from '@ingot/compute/simulated/driver'
import type { SshAccess } from '@ingot/contracts/instance/ssh'
import { afterAll, beforeAll } from 'vitest'
import { freePort } from '../../product/testing/free-port.ts'
import { ownDriver } from '../../product/testing/own-driver.ts'
import { type TestUser, until, useTestServer } from '../../product/test-server.ts'
import { keyPair } from '../../ssh/test-rows.ts'
import { a40 } from '../test-rows.ts'
import { type Gateway, startSshGateway } from './gateway.ts'

/** Null: there are none, and such tests are skipped by name. */
export const noClients = existsSync('/usr/bin/ssh')
  ? ownDriver === 'sandbox'
    ? null
    : 'no machine can run here'
  : 'OpenSSH is not installed'
if (noClients) console.log(`skipped: SSH by its own client: ${noClients}`)

export interface Result {
  readonly code: number | null
  readonly out: Buffer
  readonly err: string
}

export interface Options {
  readonly input?: Buffer | string
  readonly env?: Readonly<Record<string, string>>
  readonly timeoutMs?: number
}

export function runClient(program: string, args: readonly string[], options: Options = {}): Promise<Result> {
  const child = spawn(program, args, { env: { PATH: process.env['PATH'], ...options.env } })
  const out: Buffer[] = []
  let err = ''
  child.stdout.on('data', (chunk: Buffer) => out.push(chunk))
  child.stderr.on('data', chunk => (err += String(chunk)))
  child.stdin.on('error', () => {})
  child.stdin.end(options.input ?? '')
  const late = setTimeout(() => child.kill('SIGKILL'), options.timeoutMs ?? 20_000)
  return new Promise(resolve =>
    child.once('close', code => {
      clearTimeout(late)
      resolve({ code, out: Buffer.concat(out), err })
    }),
  )
}

/** A server with its gateway, real machines in every region but the Middle East, where they are simulated. */
export async function useGateway() {
  const dir = mkdtempSync(join(tmpdir(), 'ingot-ssh-'))
  // Machines of other users pass through it.
  chmodSync(dir, 0o711)
  const port = await freePort()
  const simulated = (now: () => number) =>
    createSimulatedDriver({
      dir: null,
      now,
      startMs: 0,
      stopMs: 0,
      wait: (_ms, then) => (setImmediate(then), () => {}),
    })
  const sandbox = noClients ? null : await createSandboxDriver({ dir: join(dir, 'machines'), maxMachines: 8 })
  const server = useTestServer({
    env: {
      INGOT_SSH_PORT: String(port),
      INGOT_SSH_HOST: '127.0.0.1',
      INGOT_REGIONS: sandbox ? 'Middle-East=simulated,*=sandbox' : '*=simulated',
    },
    drivers: now =>
      new Map<string, Driver>([
        ['simulated', simulated(now)],
        ...(sandbox ? [['sandbox', sandbox] as const] : []),
      ]),
  })
  const running: { gateway?: Gateway } = {}
  let files = 0
  beforeAll(async () => {
    running.gateway = await startSshGateway(server.services, { host: '127.0.0.1', port })
  })
  afterAll(async () => {
    await running.gateway?.close()
    if (sandbox) {
      const listed = await sandbox.list()
      for (const { ref } of listed.kind === 'done' ? listed.value : [])
        for (let tries = 0; tries < 100 && (await sandbox.destroy(ref)).kind === 'not_yet'; tries++)
          await sleep(50)
      await sandbox.close()
    }
    rmSync(dir, { recursive: true, force: true })
  })

  const fileOf = (text: string): string => {
    const file = join(dir, `file-${++files}`)
    writeFileSync(file, text, { mode: 0o600 })
    return file
  }
  return {
    server,
    port,
    dir,
    /** An instance that runs, and where it is reached. */
    async instance(user: TestUser, changes: Parameters<typeof a40>[0] = {}) {
      const { id } = await user.client.instances.create(a40(changes))
      await until(
        () => user.client.instances.get({ id }),
        each => each.status === 'running',
      )
      return { id, ...(await user.client.instances.ssh({ id })) }
    },
    /** A key of the user's: its private half as a file. */
    async key(user: TestUser): Promise<{ id: string; file: string; text: string }> {
      const pair = keyPair()
      const { id } = await user.client.ssh.addKey({ name: 'test', public_key: pair.public })
      return { id, file: fileOf(pair.private), text: pair.private }
    },
    strangersKey: () => fileOf(keyPair().private),
    /** What every client is told: whom to trust, and nothing of this machine's own settings. */
    options({ host_key }: Pick<SshAccess, 'host_key'>, key: string | null, secret?: string) {
      const known = fileOf(`[127.0.0.1]:${port} ${host_key}\n`)
      const ask = secret === undefined ? null : fileOf(`#!/bin/sh\necho '${secret}'\n`)
      if (ask) chmodSync(ask, 0o700)
      const args = [
        ['-F', '/dev/null'],
        ...[
          `UserKnownHostsFile=${known}`,
          'GlobalKnownHostsFile=/dev/null',
          'StrictHostKeyChecking=yes',
          'IdentitiesOnly=yes',
          'NumberOfPasswordPrompts=1',
          'LogLevel=ERROR',
          ...(key ? [`IdentityFile=${key}`, 'BatchMode=yes'] : ['PubkeyAuthentication=no']),
        ].map(option => ['-o', option]),
      ].flat()
      const env: Record<string, string> = ask
        ? { SSH_ASKPASS: ask, SSH_ASKPASS_REQUIRE: 'force', DISPLAY: ':0' }
        : {}
      return { args, env }
    },
  }
}
