/** From the deploy request to a usable prompt over the terminal's socket, against the same sandbox spawned by hand. */
import { mkdtemp, chmod, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import type { Answer } from '@ingot/compute/driver'
import { createSandboxDriver } from '@ingot/compute/sandbox/driver'
import { a40, type Bench } from './product.ts'
import { median, type Result } from './report.ts'
import { openInstanceShell } from './shell.ts'

const rounds = 15

export async function benchDeploy({ client, product }: Bench): Promise<Result[]> {
  const dir = await mkdtemp(join(tmpdir(), 'ingot-byhand-'))
  await chmod(dir, 0o711)
  const driver = await createSandboxDriver({ dir, nodePath: process.execPath, maxMachines: 4 })
  const ours: number[] = []
  const floor: number[] = []
  const ending = new AbortController()
  const running = watchRunning(client, ending.signal)
  for (let n = 0; n < rounds; n++) {
    ours.push(await deployed())
    floor.push(await byHand(`by-hand-${n}`))
  }
  ending.abort()
  await driver.close()
  await rm(dir, { recursive: true, force: true })
  return [
    {
      what: 'deploy request → prompt, sandbox',
      figure: `${median(ours).toFixed(0)} ms (best ${Math.min(...ours).toFixed(0)})`,
      floor: `${median(floor).toFixed(0)} ms (the sandbox by hand)`,
      value: median(ours),
      unit: 'ms',
      wanted: { atMost: 300 },
      note: driver.probes.find(probe => probe.name === 'isolation')?.detail,
    },
  ]

  async function deployed(): Promise<number> {
    const began = performance.now()
    const { id } = await client.instances.create({ ...a40, name: 'bench' })
    await running(id)
    const shell = await openInstanceShell(client, product.url, id, 'bench')
    await shell.waitFor('#')
    const ms = performance.now() - began
    shell.close()
    await client.instances.delete({ id })
    return ms
  }

  async function byHand(instanceId: string): Promise<number> {
    const began = performance.now()
    const spec = {
      instanceId,
      tenant: 'bench',
      name: 'bench',
      gpuType: 'A40',
      gpuCount: 1,
      gpuMemoryGb: 48,
      cpuCores: 8,
      memoryGb: 48,
      storageGb: 140,
      image: '',
      region: 'US-East',
      host: null,
      cards: [],
      command: null,
      env: {},
    }
    const ref = value(await driver.create(spec, instanceId))
    for (;;) {
      const started = await driver.start(ref)
      if (started.kind === 'done') break
      if (started.kind === 'failed') throw new Error(started.message)
      await new Promise(resolve => setTimeout(resolve, Math.min(started.retryMs, 5)))
    }
    const terminal = value(await driver.attach(ref, 'bench', { cols: 80, rows: 24 }))
    await new Promise<void>(resolve => terminal.on('data', (data: Buffer) => data.includes('#') && resolve()))
    const ms = performance.now() - began
    terminal.destroy()
    while ((await driver.destroy(ref)).kind === 'not_yet')
      await new Promise(resolve => setTimeout(resolve, 20))
    return ms
  }
}

function value<T>(answer: Answer<T>): T {
  if (answer.kind !== 'done') throw new Error(answer.kind === 'failed' ? answer.message : 'not yet')
  return answer.value
}

/** Follows the event stream, as the console does, and resolves when an instance has started. */
export function watchRunning(client: Bench['client'], signal: AbortSignal): (id: string) => Promise<void> {
  const started = new Set<string>()
  const waiting = new Map<string, () => void>()
  void (async () => {
    for await (const event of client.events({ signal })) {
      if (event.type !== 'instance.started' || !event.id) continue
      started.add(event.id)
      waiting.get(event.id)?.()
    }
  })()
  return id => (started.has(id) ? Promise.resolve() : new Promise(resolve => waiting.set(id, resolve)))
}
