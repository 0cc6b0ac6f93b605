/** Programs, connections, logs and figures of machines that run nothing. */
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import type { Answer, Command, Driver, LogLine, MachineSpec, Ref } from '../driver.ts'
import { echoPort, maxChannels } from './channels.ts'
import { createSimulatedDriver, type SimulatedOptions } from './driver.ts'
import type { Fault } from './faults.ts'

let nowMs = Date.UTC(2026, 10, 21, 14, 5, 9)

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
  image: '',
  region: 'US-East',
  host: null,
  cards: [],
  command: ['python3', 'serve.py'],
  env: {},
  volume: null,
}

/** A driver whose delays end when a test says so. */
function open(options: Partial<SimulatedOptions> = {}) {
  const waiting = new Map<() => void, number>()
  const driver = createSimulatedDriver({
    dir: null,
    now: () => nowMs,
    startMs: 0,
    stopMs: 0,
    wait(ms, then) {
      waiting.set(then, ms)
      return () => void waiting.delete(then)
    },
    ...options,
  })
  const elapse = () => {
    const due = [...waiting.keys()]
    waiting.clear()
    for (const then of due) then()
  }
  return { driver, waiting, elapse }
}

function valueOf<T>(answer: Answer<T>): T {
  if (answer.kind !== 'done') throw new Error(JSON.stringify(answer))
  return answer.value
}
async function running(driver: Driver): Promise<Ref> {
  const ref = valueOf(await driver.create(spec, spec.instanceId))
  valueOf(await driver.start(ref))
  return ref
}

/** A program whose delay has not ended. */
async function begun() {
  const { driver, waiting, elapse } = open()
  const ref = await running(driver)
  const program = valueOf(await driver.exec(ref, { command: ['uname'] }))
  for (const output of [program.stdout, program.stderr]) output.on('error', () => {}).resume()
  return { driver, waiting, elapse, ref, program }
}

describe('a program of a simulated machine', () => {
  const ran = async (command: readonly string[], options: Omit<Command, 'command'> = {}) => {
    const { driver, elapse } = open()
    const program = valueOf(await driver.exec(await running(driver), { command, ...options }))
    elapse()
    return {
      stdout: await text(program.stdout),
      stderr: await text(program.stderr),
      ...(await program.ended),
    }
  }

  it.each([
    [['sh', '-c', 'whoami'], 'root\n', '', 0],
    [['bash', '-lc', 'cat /etc/hostname'], 'demo\n', '', 0],
    [['cat', '/etc/hostname'], 'demo\n', '', 0],
    [['cat', '/etc/a b'], '', 'cat: /etc/a b: No such file or directory\n', 1],
    [['ls', '|', 'wc'], '', "ls: cannot access '|': No such file or directory\n", 2],
    [['sh', '-c', 'ls | wc'], '', "bash: '|' is not simulated: type one command a line.\n", 2],
    [['sh', '-c', 'exit 3'], '', '', 3],
    [['sh', '-c', ''], '', '', 0],
    [['clear'], '', '', 0],
  ] as const)('%j ends with its own output and code', async (command, stdout, stderr, code) => {
    const ended = await ran(command)
    expect(ended).toMatchObject(code === 0 ? { stdout, stderr, code } : { stdout, code })
    expect(ended.stderr + ended.stdout).toBe(stdout + stderr)
  })

  it('starts in the home or where it is told to, and writes lines as a terminal does if it has one', async () => {
    expect(await ran(['pwd'])).toMatchObject({ stdout: '/root\n' })
    expect(await ran(['pwd'], { cwd: '/usr/bin/..' })).toMatchObject({ stdout: '/usr\n' })
    expect(await ran(['nope'], { size: { cols: 80, rows: 24 } })).toMatchObject({
      stdout: expect.stringContaining('command not found\r\n'),
      stderr: '',
      code: 127,
    })
    const { driver } = open()
    expect(await driver.exec(await running(driver), { command: ['pwd'], cwd: '/none' })).toMatchObject({
      failure: 'rejected',
    })
  })

  it('takes 200 ms, in which a signal ends it, or its close, its machine or its driver', async () => {
    const ways = {
      signal: [({ program }) => program.signal('INT'), { code: null, signal: 'INT' }],
      close: [({ program }) => program.close(), { code: null, signal: 'HUP' }],
      stop: [({ driver, ref }) => driver.stop(ref), null],
      destroy: [({ driver, ref }) => driver.destroy(ref), null],
      driver: [({ driver }) => driver.close(), null],
    } satisfies Record<string, [(on: Awaited<ReturnType<typeof begun>>) => unknown, unknown]>
    for (const [name, [way, how]] of Object.entries(ways)) {
      const on = await begun()
      expect([...on.waiting.values()]).toEqual([200])
      await way(on)
      expect(await on.program.ended, name).toEqual(how)
      expect([...on.waiting.values()], name).toEqual([])
      on.elapse()
      expect(on.program.stdout.read(), name).toBeNull()
    }
  })

  it('there are at most 256 of them and of connections in a machine, and one that is over makes room', async () => {
    const { driver } = open()
    const ref = await running(driver)
    const program = valueOf(await driver.exec(ref, { command: ['uname'] }))
    for (let n = 1; n < maxChannels; n++) valueOf(await driver.connect(ref, echoPort))
    expect(await driver.connect(ref, echoPort)).toMatchObject({ failure: 'transient' })
    expect(await driver.exec(ref, { command: ['uname'] })).toMatchObject({ failure: 'transient' })
    program.close()
    await program.ended
    valueOf(await driver.connect(ref, echoPort))
    valueOf(await driver.stop(ref))
    valueOf(await driver.start(ref))
    valueOf(await driver.connect(ref, echoPort))
  })
})

it('a connection of a simulated machine ends with the driver', async () => {
  const { driver } = open()
  const connection = valueOf(await driver.connect(await running(driver), echoPort))
  const closed = once(connection, 'close')
  await driver.close()
  await expect(closed).resolves.toEqual([])
})

describe('the log of a simulated machine', () => {
  const linesOf = async (driver: Driver, ref: Ref): Promise<LogLine[]> =>
    valueOf(await driver.logs(ref)).toArray()
  const told = async (driver: Driver, ref: Ref) =>
    (await linesOf(driver, ref)).map(({ at, stream, text }) => `${at - began} ${stream} ${text}`)
  const began = nowMs

  it('says what happened when it has happened, and that nothing is run', async () => {
    nowMs = began
    const { driver } = open({ startMs: 2_000, stopMs: 1_000 })
    const ref = valueOf(await driver.create(spec, 'one'))
    await driver.start(ref)
    expect(await told(driver, ref)).toEqual([])
    nowMs += 2_000
    const started = [
      '2000 machine The machine started.',
      '2000 machine Its main program is not run: this machine is simulated.',
    ]
    expect(await told(driver, ref)).toEqual(started)
    nowMs += 500
    await driver.stop(ref)
    const asked = [...started, '2500 machine The machine was asked to stop.']
    expect(await told(driver, ref)).toEqual(asked)
    nowMs += 1_000
    expect(await told(driver, ref)).toEqual([...asked, '3500 machine The machine stopped.'])
  })

  it('does not say of a start that was broken off that the machine started', async () => {
    nowMs = began
    const { driver } = open({ startMs: 2_000 })
    const ref = valueOf(await driver.create(spec, 'one'))
    await driver.start(ref)
    nowMs += 100
    await driver.stop(ref)
    nowMs += 5_000
    expect(await told(driver, ref)).toEqual([
      '100 machine The machine was asked to stop.',
      '100 machine The machine stopped.',
    ])
  })

  it('keeps the last hundred lines, and whoever follows it gets each once', async () => {
    const { driver, elapse } = open()
    const ref = valueOf(await driver.create(spec, 'one'))
    for (let n = 0; n < 60; n++) {
      nowMs += 1_000
      await driver.start(ref)
      await driver.stop(ref)
    }
    expect(await linesOf(driver, ref)).toHaveLength(100)
    await driver.start(ref)
    const since = nowMs
    nowMs += 1_000
    const followed = valueOf(await driver.logs(ref, { since: since + 1, follow: true })).toArray()
    const over = followed.then(() => true)
    await driver.stop(ref)
    await driver.start(ref)
    while (!(await Promise.race([over, Promise.resolve(false)]))) {
      elapse()
      await new Promise(setImmediate)
    }
    const lines: LogLine[] = await followed
    expect(lines.slice(0, 2).map(({ text }) => text)).toEqual([
      'The machine was asked to stop.',
      'The machine stopped.',
    ])
  })

  it('ends for whoever follows it when the machine or the driver goes', async () => {
    for (const way of ['destroy', 'close'] as const) {
      const { driver, waiting, elapse } = open()
      const ref = await running(driver)
      const followed = valueOf(await driver.logs(ref, { follow: true })).toArray()
      await expect.poll(() => waiting.size).toBe(1)
      if (way === 'destroy') await driver.destroy(ref)
      else await driver.close()
      elapse()
      expect(await followed).toHaveLength(2)
      expect(waiting.size).toBe(0)
    }
  })
})

describe('the figures of a simulated machine', () => {
  it('are the same for everyone at one time, move little by little, and say whose they are', async () => {
    const [one, two] = [open().driver, open().driver]
    const refs = [await running(one), await running(two)]
    const look = async () => valueOf(await one.stats(refs[0]!))
    const first = await look()
    expect(valueOf(await two.stats(refs[1]!))).toEqual(first)
    expect(first.processor).toBeNull()
    expect(first.cards.map(({ uuid }) => uuid)).toEqual(
      [0, 1].map(n => `GPU-simulated-${spec.instanceId}-${n}`),
    )
    let before = first
    for (let second = 0; second < 1_234; second++) {
      nowMs += 1_000
      const now = await look()
      expect(now.network!.receivedBytes).toBeGreaterThanOrEqual(before.network!.receivedBytes)
      expect(now.network!.sentBytes).toBeGreaterThanOrEqual(before.network!.sentBytes)
      expect(Math.abs(now.memory!.usedBytes / before.memory!.usedBytes - 1)).toBeLessThan(0.01)
      for (const [at, card] of now.cards.entries()) {
        expect(card.load).toBeGreaterThanOrEqual(0)
        expect(card.load).toBeLessThan(0.1)
        expect(Math.abs(card.celsius - before.cards[at]!.celsius)).toBeLessThan(0.5)
        expect(Math.abs(card.watts - before.cards[at]!.watts)).toBeLessThan(1)
      }
      before = now
    }
    expect(before.memory).not.toEqual(first.memory)
    expect(before.cards).not.toEqual(first.cards)
    expect(before.network!.receivedBytes).toBeGreaterThan(900_000)
  })

  it('agree with what the shell prints', async () => {
    const { driver, elapse } = open()
    const ref = await running(driver)
    const { cards } = valueOf(await driver.stats(ref))
    const program = valueOf(await driver.exec(ref, { command: ['nvidia-smi'] }))
    elapse()
    program.stderr.resume()
    const shown = await text(program.stdout)
    for (const { load, memoryUsedBytes, memoryBytes, celsius, watts } of cards) {
      const [used, all] = [memoryUsedBytes, memoryBytes].map(bytes => `${Math.round(bytes / 2 ** 20)}MiB`)
      expect(shown).toContain(` ${used} / ${all} `)
      expect(shown).toContain(` ${Math.round(celsius)}C `)
      expect(shown).toContain(` ${Math.round(watts)}W / 300W `)
      expect(shown).toContain(` ${Math.round(load * 100)}% `)
    }
  })
})

it('each of the new calls may fail by plan', async () => {
  const faults: Fault[] = []
  const { driver } = open({ faults })
  const ref = await running(driver)
  const calls = {
    exec: () => driver.exec(ref, { command: ['uname'] }),
    connect: () => driver.connect(ref, echoPort),
    logs: () => driver.logs(ref),
    stats: () => driver.stats(ref),
    files: () => driver.files(ref).stat('/'),
  }
  for (const [call, ask] of Object.entries(calls) as [keyof typeof calls, () => Promise<Answer<unknown>>][]) {
    faults.push({ call, kind: 'fail', failure: 'denied', message: 'planned' })
    expect(await ask()).toEqual({ kind: 'failed', failure: 'denied', message: 'planned' })
    expect((await ask()).kind).toBe('done')
  }
})
