/** A server with a real machine behind it, for tests of files. */
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Driver } from '@ingot/compute/driver'
import { createSandboxDriver } from '@ingot/compute/sandbox/driver'
import { afterAll } from 'vitest'
import { a40 } from '../instances/test-rows.ts'
import { ownDriver } from '../product/testing/own-driver.ts'
import { type TestServerOptions, type TestUser, useTestServer } from '../product/test-server.ts'

export const noMachines = ownDriver !== 'sandbox'
if (noMachines) console.log('skipped: files of machines: no machine can run here')

export async function useMachines(options: Pick<TestServerOptions, 'log' | 'outside' | 'worker'> = {}) {
  const dir = mkdtempSync(join(tmpdir(), 'ingot-files-'))
  // Machines of other users pass through it.
  chmodSync(dir, 0o711)
  const sandbox: Driver | null = noMachines ? null : await createSandboxDriver({ dir, maxMachines: 4 })
  const server = useTestServer({
    ...options,
    env: { INGOT_REGIONS: sandbox ? '*=sandbox' : '*=simulated' },
    ...(sandbox ? { drivers: () => new Map([['sandbox', sandbox]]) } : {}),
  })
  afterAll(async () => {
    if (sandbox) {
      const listed = await sandbox.list()
      for (const { ref } of listed.kind === 'done' ? listed.value : [])
        for (let tries = 0; tries < 100 && (await sandbox.destroy(ref)).kind === 'not_yet'; tries++)
          await sleep(50)
      await sandbox.close()
    }
    rmSync(dir, { recursive: true, force: true })
  })
  return {
    server,
    /** Where the driver keeps them. */
    dir,
    /** An instance that runs, and what its own shell does. */
    async instance({ client }: TestUser) {
      const { id } = await client.instances.create(a40())
      await client.instances.wait({ id, status: 'running', timeout_s: 30 })
      return {
        id,
        async run(line: string): Promise<string> {
          const { driver_ref } = await server.services.database.kysely
            .selectFrom('gpu_instances')
            .select('driver_ref')
            .where('id', '=', id)
            .executeTakeFirstOrThrow()
          const begun = await sandbox!.exec(driver_ref!, { command: ['bash', '-c', line] })
          if (begun.kind !== 'done') throw new Error(JSON.stringify(begun))
          const { stdin, stdout, stderr, ended } = begun.value
          stdin.on('error', () => {}).end()
          stderr.resume()
          let out = ''
          for await (const part of stdout) out += String(part)
          const end = await ended
          if (end?.code !== 0) throw new Error(`${line}: ${JSON.stringify(end)} ${out}`)
          return out
        },
      }
    },
  }
}
