import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { describeDriver } from '../conformance.ts'
import { readTerminal } from '../conformance/reader.ts'
import type { Answer, Driver, MachineSpec, Ref, TerminalStream } from '../driver.ts'
import { echoPort } from './channels.ts'
import { createSimulatedDriver, type SimulatedOptions } from './driver.ts'
import type { Fault } from './faults.ts'
import type { Wait } from './session.ts'
import { maxPerMachine } from './terminals.ts'

let clockMs = Date.UTC(2026, 10, 21, 14, 5, 9)
const now = () => clockMs
/** The delays of the shell, made short. */
const soon: Wait = (ms, then) => {
  const handle = setTimeout(then, ms / 200)
  return () => clearTimeout(handle)
}
const size = { cols: 80, rows: 24 }

describeDriver('simulated', dir => createSimulatedDriver({ dir, now, wait: soon }), {
  advance: ms => void (clockMs += ms),
  patienceMs: 2_000,
  echoPort,
})

const spec: MachineSpec = {
  instanceId: '01980000-0000-7000-8000-000000000001',
  tenant: 'a-tenant',
  name: 'demo',
  gpuType: 'A40',
  gpuCount: 2,
  gpuMemoryGb: 48,
  cpuCores: 16,
  memoryGb: 96,
  storageGb: 140,
  image: 'nvidia/cuda:12.2.0-devel-ubuntu22.04',
  region: 'US-East',
  host: null,
  cards: [],
  command: null,
  env: {},
  volume: null,
}

const simulated = (options: Partial<SimulatedOptions> = {}): Driver =>
  createSimulatedDriver({ dir: null, now, wait: soon, ...options })

function valueOf<T>(answer: Answer<T>): T {
  if (answer.kind !== 'done') throw new Error(JSON.stringify(answer))
  return answer.value
}
const create = async (driver: Driver, changes: Partial<MachineSpec> = {}): Promise<Ref> => {
  const wanted = { ...spec, ...changes }
  return valueOf(await driver.create(wanted, wanted.instanceId))
}
async function running(driver: Driver): Promise<Ref> {
  const ref = await create(driver)
  await driver.start(ref)
  clockMs += 2_000
  return ref
}
const attach = async (driver: Driver, ref: Ref, id = 'main'): Promise<TerminalStream> =>
  valueOf(await driver.attach(ref, id, size))
const stateOf = async (driver: Driver, ref: Ref) => valueOf(await driver.observe(ref)).state

describe('the timings of the simulated driver', () => {
  it('a start takes 2 s, and says how much of it is left', async () => {
    const driver = simulated()
    const ref = await create(driver)
    expect(await driver.start(ref)).toEqual({ kind: 'not_yet', retryMs: 2_000 })
    clockMs += 1_999
    expect(await driver.start(ref)).toEqual({ kind: 'not_yet', retryMs: 1 })
    expect(await stateOf(driver, ref)).toBe('starting')
    clockMs += 1
    expect(await driver.start(ref)).toMatchObject({
      kind: 'done',
      value: { state: 'running', publicIp: null },
    })
  })

  it('a stop takes 2 s', async () => {
    const driver = simulated()
    const ref = await running(driver)
    expect(await driver.stop(ref)).toEqual({ kind: 'not_yet', retryMs: 2_000 })
    clockMs += 500
    expect(await driver.stop(ref)).toEqual({ kind: 'not_yet', retryMs: 1_500 })
    clockMs += 1_500
    expect((await driver.stop(ref)).kind).toBe('done')
  })

  it('a restart takes 2 s and then 3 s more, however often it is asked', async () => {
    const driver = simulated()
    const ref = await running(driver)
    await driver.stop(ref)
    expect(await driver.start(ref, { restart: true })).toEqual({ kind: 'not_yet', retryMs: 2_000 })
    clockMs += 2_000
    expect(await driver.start(ref, { restart: true })).toEqual({ kind: 'not_yet', retryMs: 3_000 })
    clockMs += 2_999
    expect(await driver.start(ref)).toEqual({ kind: 'not_yet', retryMs: 1 })
    clockMs += 1
    expect((await driver.start(ref)).kind).toBe('done')
  })

  it('durations of zero are done at once', async () => {
    const driver = simulated({ startMs: 0, stopMs: 0 })
    const ref = await create(driver)
    expect((await driver.start(ref)).kind).toBe('done')
    expect((await driver.stop(ref)).kind).toBe('done')
  })
})

describe('the capacity of the simulated driver', () => {
  it('there are no cards and any is shown, or those that a capacity names, each with a name of its own', async () => {
    const cards = async (driver: Driver) => valueOf(await driver.inventory())[0]!.cards
    expect(await cards(simulated())).toBeNull()
    const some = await cards(simulated({ capacity: { A40: 2, 'RTX 4090': 1 } }))
    expect(some!.map(({ model, uuid }) => [model, uuid])).toEqual([
      ['A40', 'GPU-simulated-A40-0'],
      ['A40', 'GPU-simulated-A40-1'],
      ['RTX 4090', 'GPU-simulated-RTX-4090-0'],
    ])
  })

  it('a machine takes its GPUs from its start to its stop', async () => {
    const driver = simulated({ capacity: { A40: 3 } })
    const waiting = await create(driver, { instanceId: 'waiting' })
    const third = await create(driver, { instanceId: 'c', gpuCount: 1 })
    const fourth = await create(driver, { instanceId: 'd', gpuCount: 1 })
    const ref = await running(driver)
    expect(await driver.create({ ...spec, instanceId: 'b' }, 'b')).toMatchObject({ failure: 'no_capacity' })
    expect(await driver.start(waiting)).toMatchObject({ failure: 'no_capacity' })
    expect((await driver.start(third)).kind).toBe('not_yet')
    expect(await driver.start(fourth)).toMatchObject({ failure: 'no_capacity' })
    await driver.stop(ref)
    expect((await driver.start(waiting)).kind).toBe('not_yet')
    expect(await driver.start(fourth)).toMatchObject({ failure: 'no_capacity' })
    await driver.destroy(waiting)
    expect((await driver.start(fourth)).kind).toBe('not_yet')
  })

  it('a GPU that is not offered is rejected', async () => {
    const answer = await simulated({ capacity: { A40: 3 } }).create({ ...spec, gpuType: 'T4' }, 'a')
    expect(answer).toMatchObject({ kind: 'failed', failure: 'rejected' })
  })

  it('asked again, create takes over the name and the storage and places nothing more', async () => {
    const driver = simulated({ capacity: { A40: 3 } })
    const ref = await running(driver)
    await create(driver, { name: 'renamed', storageGb: 640 })
    expect((await driver.create({ ...spec, instanceId: 'one', gpuCount: 1 }, 'one')).kind).toBe('done')
    expect(await driver.create({ ...spec, instanceId: 'two' }, 'two')).toMatchObject({
      failure: 'no_capacity',
    })
    const reader = readTerminal(await attach(driver, ref), 2_000)
    await reader.until(/root@renamed:~# $/)
    reader.type('df -h\r')
    expect(await reader.until(/overlay[^\n]*\n/)).toContain('640G')
  })
})

describe('planned failures', () => {
  const faults: Fault[] = []
  let driver: Driver
  beforeEach(() => {
    faults.length = 0
    driver = simulated({ faults })
  })

  it.each(['no_capacity', 'rejected', 'denied', 'transient'] as const)('%s happens once', async failure => {
    const ref = await create(driver)
    faults.push({ call: 'start', kind: 'fail', failure, message: 'planned' })
    expect(await driver.start(ref)).toEqual({ kind: 'failed', failure, message: 'planned' })
    expect(await stateOf(driver, ref)).toBe('stopped')
    expect((await driver.start(ref)).kind).toBe('not_yet')
  })

  it('a lost machine is gone with its shells', async () => {
    const ref = await running(driver)
    const reader = readTerminal(await attach(driver, ref), 2_000)
    faults.push({ call: 'observe', kind: 'fail', failure: 'lost' })
    expect(await driver.observe(ref)).toMatchObject({ failure: 'lost' })
    await reader.ended()
    expect(await stateOf(driver, ref)).toBe('gone')
    expect(await driver.list()).toMatchObject({ value: [] })
  })

  it('an applied failure has done the work and only answers badly', async () => {
    faults.push({ call: 'create', kind: 'fail', failure: 'transient', isApplied: true })
    expect((await driver.create(spec, 'key')).kind).toBe('failed')
    expect(await driver.list()).toMatchObject({ value: [{ instanceId: spec.instanceId }] })
    expect((await driver.create(spec, 'key')).kind).toBe('done')
    expect(await driver.list()).toMatchObject({ value: [{ instanceId: spec.instanceId }] })
  })

  it('slow takes longer on the clock of the machine', async () => {
    const ref = await create(driver)
    faults.push({ call: 'start', kind: 'slow', addedMs: 10_000 })
    expect(await driver.start(ref)).toEqual({ kind: 'not_yet', retryMs: 12_000 })
  })

  it('late answers after the work was done', async () => {
    const ref = await create(driver)
    faults.push({ call: 'start', kind: 'late', ms: 4_000 })
    const answer = driver.start(ref)
    expect(await stateOf(driver, ref)).toBe('starting')
    expect((await answer).kind).toBe('not_yet')
  })

  it('not yet can last for ever, and for one machine only', async () => {
    const ref = await create(driver)
    const other = await create(driver, { instanceId: 'other' })
    faults.push({ call: 'start', instanceId: spec.instanceId, times: Infinity, kind: 'not_yet', retryMs: 50 })
    for (let n = 0; n < 5; n++) {
      expect(await driver.start(ref)).toEqual({ kind: 'not_yet', retryMs: 50 })
      clockMs += 10_000
    }
    expect(await driver.start(other)).toEqual({ kind: 'not_yet', retryMs: 2_000 })
  })
})

it('lists many machines in steps, between which everything else goes on', async () => {
  const many = 5_000
  const driver = simulated({ capacity: { A40: many } })
  for (let n = 0; n < many; n++) await create(driver, { instanceId: `one-of-many-${n}`, gpuCount: 1 })
  let turns = 0
  let isListed = false
  const turn = () => isListed || (turns++, setImmediate(turn))
  turn()
  expect(valueOf(await driver.list())).toHaveLength(many)
  isListed = true
  expect(turns).toBeGreaterThan(3)
})

describe('what the simulated driver keeps on disk', () => {
  let dir: string
  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'ingot-simulated-'))
  })
  afterEach(() => rm(dir, { recursive: true, force: true }))

  it('a driver that was never closed is followed by one that knows its machines and terminals', async () => {
    const killed = simulated({ dir, capacity: { A40: 3 } })
    const ref = await create(killed)
    await killed.start(ref)
    clockMs += 5_000
    const reader = readTerminal(await attach(killed, ref), 2_000)
    reader.type('cd /tmp\r')
    await reader.until(/:\/tmp# $/)

    const next = simulated({ dir, capacity: { A40: 3 } })
    expect(await stateOf(next, ref)).toBe('running')
    expect(await next.create({ ...spec, instanceId: 'b' }, 'b')).toMatchObject({ failure: 'no_capacity' })
    const again = readTerminal(await attach(next, ref), 2_000)
    expect(await again.until(/:\/tmp# $/)).toContain('Connected to instance')
    await next.close()
    await killed.close()
  })

  it('a torn file is an absent machine, and its key makes a new one', async () => {
    const ref = await create(simulated({ dir }))
    const [file] = await readdir(join(dir, 'machines'))
    const whole = await readFile(join(dir, 'machines', file!), 'utf8')
    for (const torn of ['', whole.slice(0, whole.length / 2), 'null', '{"state":"running"}']) {
      await writeFile(join(dir, 'machines', file!), torn)
      await writeFile(join(dir, 'machines', `${file}.tmp`), torn)
      const driver = simulated({ dir })
      expect(await driver.list()).toMatchObject({ value: [] })
      expect(await stateOf(driver, ref)).toBe('gone')
      expect(await create(driver)).toBe(ref)
      expect(await readdir(join(dir, 'machines'))).toEqual([file])
    }
  })

  it('a disk that refuses is worth trying again, and nothing has changed', async () => {
    const driver = simulated({ dir, capacity: { A40: 2 } })
    await rm(dir, { recursive: true })
    expect(await driver.create(spec, 'key')).toMatchObject({ kind: 'failed', failure: 'transient' })
    expect(await driver.list()).toMatchObject({ value: [] })
  })

  it('a terminal goes on when it cannot be written down', async () => {
    const driver = simulated({ dir })
    const ref = await running(driver)
    const reader = readTerminal(await attach(driver, ref), 2_000)
    await rm(dir, { recursive: true })
    reader.type('uname\rwhoami\r')
    await reader.until(/whoami\r\nroot\r\nroot@demo:~# $/)
    reader.type('exit\r')
    await expect(reader.ended()).resolves.toBeUndefined()
    await driver.close()
  })

  it('a terminal of an earlier process is forgotten with its machine', async () => {
    const before = simulated({ dir })
    const ref = await running(before)
    const reader = readTerminal(await attach(before, ref), 2_000)
    await reader.until(/# $/)
    await before.close()
    expect(await readdir(join(dir, 'terminals'))).toHaveLength(1)
    const after = simulated({ dir })
    await after.stop(ref)
    expect(await readdir(join(dir, 'terminals'))).toEqual([])
  })

  it('destroy and stop leave no file of a terminal behind', async () => {
    const driver = simulated({ dir })
    const ref = await running(driver)
    const stream = await attach(driver, ref)
    stream.destroy()
    await driver.stop(ref)
    expect(await readdir(join(dir, 'terminals'))).toEqual([])
    await driver.destroy(ref)
    expect(await readdir(join(dir, 'machines'))).toEqual([])
  })
})

describe('terminals of the simulated driver', () => {
  it('the first prompt comes after a second and an answer after 200 ms', async () => {
    const waits: number[] = []
    const wait: Wait = (ms, then) => {
      waits.push(ms)
      return soon(ms, then)
    }
    const driver = simulated({ wait })
    const reader = readTerminal(await attach(driver, await running(driver)), 2_000)
    await reader.until(/# $/)
    reader.type('nvidia-smi\r')
    expect((await reader.until(/# $/)).match(/A40 \(simulated\)/g)).toHaveLength(2)
    expect(waits).toEqual([1_000, 200])
  })

  it('a character cut between two writes arrives whole', async () => {
    const driver = simulated()
    const reader = readTerminal(await attach(driver, await running(driver)), 2_000)
    await reader.until(/# $/)
    for (const byte of Buffer.from('é世😀')) reader.stream.write(Buffer.of(byte))
    expect(await reader.until(/😀/)).toBe('é世😀')
  })

  it('a viewer who does not read holds a bounded amount and then sees the screen as it stands', async () => {
    const driver = simulated({ wait: (_ms, then) => (queueMicrotask(then), () => {}) })
    const ref = await running(driver)
    const stalled = await attach(driver, ref)
    const typing = await attach(driver, ref)
    typing.resume()
    for (let n = 0; n < 2_000; n++) {
      typing.write('help\r')
      if (n % 100 === 0) await sleep(0)
    }
    typing.write('uname\r')
    await sleep(5)
    expect(stalled.readableLength).toBeLessThan(300_000)
    const reader = readTerminal(stalled, 2_000)
    await reader.until(/uname\r\nLinux\r\nroot@demo:~# $/)
    typing.write('whoami\r')
    await reader.until(/whoami\r\nroot\r\nroot@demo:~# $/)
  })

  it('a machine holds a limited number of terminals, and the longest unwatched gives way', async () => {
    const driver = simulated()
    const ref = await running(driver)
    const streams: TerminalStream[] = []
    for (let n = 0; n < maxPerMachine; n++) streams.push(await attach(driver, ref, `t${n}`))
    expect(await driver.attach(ref, 'one more', size)).toMatchObject({ failure: 'no_capacity' })
    streams[3]!.destroy()
    expect((await driver.attach(ref, 'one more', size)).kind).toBe('done')
    await driver.close()
  })

  it('close lets go of a viewer without ending the shell', async () => {
    const driver = simulated()
    const stream = await attach(driver, await running(driver))
    let hasEnded = false
    stream.on('end', () => (hasEnded = true)).resume()
    const closed = new Promise(resolve => stream.on('close', resolve))
    await driver.close()
    await closed
    expect(hasEnded).toBe(false)
  })
})
