/**
 * Volumes of the sandbox: how long a running machine waits for one, and a snapshot of 1 GB and its restore beside a plain
 * copy of the same bytes on the same disk.
 */
import { execFileSync } from 'node:child_process'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Answer, MachineSpec } from '@ingot/compute/driver'
import { createSandboxDriver } from '@ingot/compute/sandbox/driver'
import { median, quantile, type Result } from './report.ts'

const rounds = 15
const copies = 3
const spec: MachineSpec = {
  instanceId: 'bench',
  tenant: 'bench',
  name: 'bench',
  gpuType: 'A40',
  gpuCount: 1,
  gpuMemoryGb: 48,
  cpuCores: 2,
  memoryGb: 2,
  storageGb: 10,
  region: 'US-East',
  host: null,
  cards: [],
  image: 'bench',
  command: null,
  env: {},
  volume: null,
}
const mount = { ref: 'bench', name: 'data', readOnly: false }
const volume = (volumeId: string) => ({ volumeId, tenant: spec.tenant, sizeGb: 5 })

export async function benchVolumes(): Promise<Result[]> {
  const dir = await mkdtemp(join(tmpdir(), 'ingot-bench-volumes-'))
  await chmod(dir, 0o711)
  const driver = await createSandboxDriver({ dir, maxMachines: 2 })
  const { volumes } = driver
  try {
    if (!volumes.capabilities.whileRunning || !volumes.capabilities.enforcesSize) {
      console.error('volumes are not measured: that takes root and loop devices')
      return []
    }
    await value(() => volumes.create(volume('bench'), 'bench'))
    await value(() => driver.create(spec, 'bench'))
    await value(() => driver.start('bench'))
    const attaching: number[] = []
    for (let round = -1; round < rounds; round++) {
      const ms = await timed(() => value(() => volumes.attach('bench', mount)))
      if (round >= 0) attaching.push(ms)
      if (round < rounds - 1) await value(() => volumes.detach('bench'))
    }
    await fill()
    await value(() => driver.destroy('bench'))
    const image = join(dir, 'volumes/bench/image')
    const keeping = await beside(
      n => value(() => volumes.snapshot('bench', { snapshotId: `kept-${n}` }, `kept-${n}`)),
      image,
    )
    const content = join(dir, 'snapshots/kept-0/content.tar')
    const restoring = await beside(
      n => value(() => volumes.restore('kept-0', volume(`back-${n}`), `back-${n}`)),
      content,
    )
    return [
      {
        what: 'a volume attached to a running sandbox',
        figure: `p50 ${median(attaching).toFixed(0)} ms, p90 ${quantile(attaching, 0.9).toFixed(0)} ms`,
        floor: '',
        value: median(attaching),
        unit: 'ms',
        wanted: { atMost: 300 },
      },
      shown('a snapshot of 1 GB, with its sum', keeping),
      shown('its restore, the sum held to first', restoring),
    ]
  } finally {
    for (const { ref } of await value(() => driver.list())) await value(() => driver.destroy(ref))
    const all = await value(() => volumes.list())
    for (const { ref } of all.volumes) await value(() => volumes.destroy(ref))
    for (const { ref } of all.snapshots) await value(() => volumes.destroySnapshot(ref))
    await driver.close()
    await rm(dir, { recursive: true })
  }

  async function fill(): Promise<void> {
    const command = ['sh', '-c', 'head -c 1000000000 /dev/urandom > /volumes/data/file && sync']
    const { stdin, stdout, stderr, ended } = await value(() => driver.exec('bench', { command }))
    stdin.end()
    for (const output of [stdout, stderr]) output.resume()
    const status = await ended
    if (status?.code !== 0) throw new Error('the volume could not be filled')
  }

  /** In turn with a copy, which is on the disk when it is done, as ours is. */
  async function beside(act: (n: number) => Promise<unknown>, file: string) {
    const times = { ours: [] as number[], floor: [] as number[] }
    const copy = join(dir, 'copy')
    for (let n = 0; n < copies; n++) {
      times.ours.push(await timed(() => act(n)))
      times.floor.push(
        await timed(async () => {
          execFileSync('cp', ['--reflink=auto', '--', file, copy])
          execFileSync('sync', ['--', copy])
        }),
      )
      await rm(copy)
    }
    return times
  }
}

function shown(what: string, { ours, floor }: { readonly ours: number[]; readonly floor: number[] }): Result {
  return {
    what,
    figure: `${median(ours).toFixed(0)} ms`,
    floor: `${median(floor).toFixed(0)} ms (cp --reflink=auto, sync)`,
    value: median(ours.map((each, n) => each / floor[n]!)),
    unit: 'ratio',
    wanted: null,
  }
}

async function timed(act: () => Promise<unknown>): Promise<number> {
  const began = performance.now()
  await act()
  return performance.now() - began
}

async function value<T>(call: () => Promise<Answer<T>>): Promise<T> {
  for (;;) {
    const answer = await call()
    if (answer.kind === 'done') return answer.value
    if (answer.kind === 'failed') throw new Error(answer.message)
    await sleep(answer.retryMs)
  }
}
