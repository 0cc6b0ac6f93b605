/**
 * From the deploy request to a usable prompt over the terminal's socket, with a prepared spare and without one, against
 * the same sandbox spawned by hand; and ten deploys at once.
 */
import { mkdtemp, chmod, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Answer } from '@ingot/compute/driver'
import { createSandboxDriver } from '@ingot/compute/sandbox/driver'
import { spareIsUp } from '../apps/server/src/product/testing/sandboxes.ts'
import { a40, type Bench } from './product.ts'
import { median, type Result } from './report.ts'
import { openInstanceShell } from './shell.ts'

const rounds = 15
const atOnce = 10

export async function benchDeploy({ client, product, dir: data }: Bench): Promise<Result[]> {
  const dir = await mkdtemp(join(tmpdir(), 'ingot-byhand-'))
  await chmod(dir, 0o711)
  const driver = await createSandboxDriver({ dir, nodePath: process.execPath, maxMachines: 4 })
  const [withSpare, cold, floor]: [number[], number[], number[]] = [[], [], []]
  const ending = new AbortController()
  const running = watchRunning(client, ending.signal)
  for (let n = 0; n < rounds; n++) {
    await spareIsReady()
    const first = await deployed()
    // The next spare is made when nobody has asked for a machine for a moment.
    const second = await deployed()
    withSpare.push(first.ms)
    cold.push(second.ms)
    floor.push(await byHand(`by-hand-${n}`))
    await remove(first.id, second.id)
  }
  await spareIsReady()
  const burst = await Promise.all(Array.from({ length: atOnce }, deployed))
  await remove(...burst.map(({ id }) => id))
  ending.abort()
  await driver.close()
  await rm(dir, { recursive: true, force: true })
  const best = (all: number[]) => `${median(all).toFixed(0)} ms (best ${Math.min(...all).toFixed(0)})`
  const byHandFloor = `${median(floor).toFixed(0)} ms (the sandbox by hand)`
  const note = driver.probes.find(probe => probe.name === 'util-linux')?.detail ?? ''
  const bursts = burst.map(({ ms }) => ms)
  return [
    {
      what: 'deploy request → prompt, sandbox, with a spare',
      figure: best(withSpare),
      floor: byHandFloor,
      value: median(withSpare),
      unit: 'ms',
      wanted: { atMost: 60 },
      note,
    },
    {
      what: 'deploy request → prompt, sandbox, cold',
      figure: best(cold),
      floor: byHandFloor,
      value: median(cold),
      unit: 'ms',
      wanted: { atMost: 110 },
      note,
    },
    {
      what: `${atOnce} deploys at once, each → its prompt`,
      figure: `${best(bursts)}, last ${Math.max(...bursts).toFixed(0)}`,
      floor: byHandFloor,
      value: Math.max(...bursts),
      unit: 'ms',
      wanted: null,
    },
  ]

  async function spareIsReady(): Promise<void> {
    for (const end = Date.now() + 10_000; !spareIsUp(data); await sleep(20))
      if (Date.now() > end) throw new Error('no spare was made')
    // What follows its start is not to be measured.
    await sleep(200)
  }

  async function remove(...ids: string[]): Promise<void> {
    for (const id of ids) await client.instances.delete({ id })
    const isGone = async (id: string) =>
      !(await client.instances.list({ limit: 100 })).items.some(each => each.id === id)
    for (const id of ids) while (!(await isGone(id))) await sleep(20)
  }

  async function deployed(): Promise<{ id: string; ms: number }> {
    const began = performance.now()
    const { id } = await client.instances.create({ ...a40, name: 'bench' })
    await running(id)
    const shell = await openInstanceShell(client, product.url, id, 'bench')
    await shell.waitFor('#')
    const ms = performance.now() - began
    shell.close()
    return { id, ms }
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
      volume: null,
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
