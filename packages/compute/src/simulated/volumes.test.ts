/** Volumes without disks keep the contract of volumes, and the times that the product promises. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { expect, it, onTestFinished } from 'vitest'
import { describeVolumes } from '../volume-conformance.ts'
import { createSimulatedDriver } from './driver.ts'
import type { Wait } from './session.ts'

let clockMs = Date.UTC(2026, 10, 21, 14, 5, 9)
const now = () => clockMs
const soon: Wait = (ms, then) => {
  const handle = setTimeout(then, Math.min(ms, 5))
  return () => clearTimeout(handle)
}

describeVolumes('simulated', dir => createSimulatedDriver({ dir, now, wait: soon }), {
  advance: ms => void (clockMs += ms),
  patienceMs: 2_000,
})

const spec = { volumeId: 'a-volume', tenant: 'a-tenant', sizeGb: 10 }

it('a volume is being made for 30 s, and whoever waits asks every 5 s', async () => {
  const { volumes } = createSimulatedDriver({ dir: null, now, wait: soon })
  const begin = clockMs
  const waits: number[] = []
  for (;;) {
    const answer = await volumes.create(spec, 'a-volume')
    if (answer.kind === 'done') break
    if (answer.kind === 'failed') throw new Error(answer.message)
    const { ref } = (await volumes.list().then(all => all.kind === 'done' && all.value.volumes[0])) || {
      ref: '',
    }
    expect(await volumes.observe(ref)).toMatchObject({ value: { state: 'creating' } })
    waits.push(answer.retryMs)
    clockMs += answer.retryMs
  }
  expect(clockMs - begin).toBe(30_000)
  expect(Math.max(...waits)).toBe(5_000)
})

it('a snapshot whose content has changed on disk is not restored', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'ingot-simulated-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  const driver = createSimulatedDriver({ dir, now, wait: soon })
  await driver.volumes.create(spec, 'a-volume')
  clockMs += 30_000
  const made = await driver.volumes.create(spec, 'a-volume')
  if (made.kind !== 'done') throw new Error(made.kind)
  const machine = {
    instanceId: 'm',
    tenant: 'a-tenant',
    name: 'm',
    gpuType: 'A40',
    gpuCount: 1,
    gpuMemoryGb: 48,
    cpuCores: 1,
    memoryGb: 1,
    storageGb: 1,
    region: 'US-East',
    host: null,
    cards: [],
    image: '',
    command: null,
    env: {},
    volume: { ref: made.value, name: 'data', readOnly: false },
  }
  const created = await driver.create(machine, 'm')
  if (created.kind !== 'done') throw new Error(created.kind)
  await driver.start(created.value)
  clockMs += 2_000
  expect(
    await driver.files(created.value).write('/volumes/data/file', Readable.from([Buffer.from('kept')])),
  ).toMatchObject({ kind: 'done' })
  const taken = await driver.volumes.snapshot(made.value, { snapshotId: 's' }, 's')
  if (taken.kind !== 'done') throw new Error(taken.kind)
  const folder = join(dir, 'files')
  for (const name of readdirSync(folder).filter(each => each.startsWith('snap-'))) {
    const text = readFileSync(join(folder, name), 'utf8')
    writeFileSync(join(folder, name), text.replace(Buffer.from('kept').toString('base64'), 'AAAA'))
  }
  const next = createSimulatedDriver({ dir, now, wait: soon })
  expect(await next.volumes.restore(taken.value.ref, { ...spec, volumeId: 'r' }, 'r')).toMatchObject({
    kind: 'failed',
    failure: 'rejected',
    message: 'What is stored of this snapshot is damaged.',
  })
  expect(await next.volumes.list()).toMatchObject({ value: { volumes: [{ ref: made.value }] } })
})
