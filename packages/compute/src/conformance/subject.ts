/**
 * The driver under test and the ways the suite asks it. `asked` makes one call and throws when the answer breaks what
 * holds for every call: it comes at once, "not yet" names a time, and a failure names no host path. `settled` and
 * `value` go on asking for as long as "not yet" is the answer, and give up when patience ends.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, onTestFinished, type TestContext } from 'vitest'
import type {
  Answer,
  Command,
  Driver,
  Listed,
  MachineSpec,
  MachineState,
  Ref,
  TerminalSize,
} from '../driver.ts'
import { readTerminal, type TerminalReader } from './reader.ts'

export interface ConformanceOptions {
  /** Moves the driver's clock on. Absent: it lives in real time and the suite sleeps. */
  readonly advance?: (ms: number) => void | Promise<void>
  /** A folder the driver may use. Default: a fresh one under the system's temporary folder, removed afterwards. */
  readonly dir?: () => string | Promise<string>
  readonly spec?: Partial<MachineSpec>
  /** The end of the screen when the shell waits for input. */
  readonly prompt?: RegExp
  /** The longest that a machine or a terminal may keep the suite waiting. */
  readonly patienceMs?: number
  /** Memory that must not grow while nobody reads: this process by default; add a keeper's where there is one. */
  readonly residentBytes?: () => number | Promise<number>
  /** A port on which every machine echoes by itself. Absent: the suite starts an echo server in it, by `exec`. */
  readonly echoPort?: number
  /** Why the suite cannot run on this machine; its tests are then shown as skipped. */
  readonly skip?: string | null
}

/** Called again with the same folder after `close`. */
export type MakeDriver = (dir: string) => Driver | Promise<Driver>

/** How a program ended that the suite ran to its end, and all that it wrote. */
export interface Ran {
  readonly stdout: string
  readonly stderr: string
  /** Undefined: nobody knows how it ended. */
  readonly code?: number | null
  readonly signal?: string | null
}

export type Subject = ReturnType<typeof createSubject>

/** A call never waits for a machine. Generous, because a loaded test machine is slow too. */
const answerWithinMs = 5_000
export const size: TerminalSize = { cols: 80, rows: 24 }

export function createSubject(makeDriver: MakeDriver, options: ConformanceOptions) {
  const patienceMs = options.patienceMs ?? 15_000
  const prompt = options.prompt ?? /[#$] ?$/
  const pass = options.advance ?? sleep
  let dir = ''
  let current: Driver | undefined
  let made = 0

  function driver(): Driver {
    if (!current) throw new Error('no driver is open')
    return current
  }

  const spec = (): MachineSpec => ({
    instanceId: `01980000-0000-7000-8000-${String(++made).padStart(12, '0')}`,
    tenant: 'a-tenant',
    name: `machine-${made}`,
    gpuType: 'A40',
    gpuCount: 1,
    gpuMemoryGb: 48,
    cpuCores: 2,
    memoryGb: 2,
    storageGb: 2,
    image: 'nvidia/cuda:12.2.0-devel-ubuntu22.04',
    region: 'US-East',
    host: null,
    cards: [],
    command: null,
    env: {},
    volume: null,
    ...options.spec,
  })

  async function asked<T>(call: () => Promise<Answer<T>>): Promise<Answer<T>> {
    const before = performance.now()
    const answer = await call()
    const tookMs = performance.now() - before
    if (tookMs > answerWithinMs) throw new Error(`the call waited: it answered after ${tookMs} ms`)
    if (answer.kind === 'not_yet' && !(answer.retryMs > 0)) throw new Error(`retryMs is ${answer.retryMs}`)
    if (answer.kind === 'failed' && answer.message.includes(dir))
      throw new Error(`host path: ${answer.message}`)
    return answer
  }

  async function settled<T>(call: () => Promise<Answer<T>>): Promise<Answer<T>> {
    const deadline = performance.now() + patienceMs
    for (;;) {
      const answer = await asked(call)
      if (answer.kind !== 'not_yet') return answer
      if (performance.now() > deadline) throw new Error(`still not yet after ${patienceMs} ms`)
      await pass(answer.retryMs)
    }
  }

  async function value<T>(call: () => Promise<Answer<T>>): Promise<T> {
    const answer = await settled(call)
    if (answer.kind !== 'done') throw new Error(`not done: ${JSON.stringify(answer)}`)
    return answer.value
  }

  const create = (wanted = spec()): Promise<Ref> => value(() => driver().create(wanted, wanted.instanceId))

  async function running(changes: Partial<MachineSpec> = {}): Promise<Ref> {
    const ref = await create({ ...spec(), ...changes })
    await value(() => driver().start(ref))
    return ref
  }

  const destroy = (ref: Ref) => value(() => driver().destroy(ref))

  /** One running machine for all tests of a block. */
  function useMachine(changes: Partial<MachineSpec> = {}): () => Ref {
    let ref: Ref = ''
    beforeAll(async () => {
      ref = await running(changes)
    }, patienceMs * 4)
    afterAll(() => destroy(ref), patienceMs * 4)
    return () => ref
  }

  /** One that is gone after its test. */
  async function ownMachine(changes: Partial<MachineSpec> = {}): Promise<Ref> {
    const ref = await running(changes)
    onTestFinished(() => settled(() => driver().destroy(ref)).then(() => undefined))
    return ref
  }

  async function attached(ref: Ref, terminalId = 'main'): Promise<TerminalReader> {
    return readTerminal(await value(() => driver().attach(ref, terminalId, size)), patienceMs)
  }

  /** What `promise` gives, unless it keeps the suite waiting for too long. */
  async function within<T>(promise: Promise<T>, what: string, ms = patienceMs): Promise<T> {
    const { promise: late, reject } = Promise.withResolvers<never>()
    const timer = setTimeout(() => reject(new Error(`waited ${ms} ms for ${what}`)), ms)
    return Promise.race([promise, late]).finally(() => clearTimeout(timer))
  }

  async function ran(
    ref: Ref,
    command: readonly string[],
    { input = '', ...rest }: Omit<Command, 'command'> & { readonly input?: string | Buffer } = {},
  ): Promise<Ran> {
    const execution = await value(() => driver().exec(ref, { command, ...rest }))
    // A program may end without having read all of it.
    execution.stdin.on('error', () => {})
    execution.stdin.end(input)
    const all = Promise.all([text(execution.stdout), text(execution.stderr), execution.ended])
    const [stdout, stderr, ended] = await within(all, `the end of ${command.join(' ').slice(0, 100)}`)
    return { stdout, stderr, ...ended }
  }

  /** Destroys every machine that the driver holds. */
  async function clear(): Promise<void> {
    const last = current
    const left = last ? await value(() => last.list()) : []
    await Promise.all(left.map(({ ref }) => settled(() => last!.destroy(ref))))
  }

  return {
    driver,
    folder: () => dir,
    patienceMs,
    echoPort: options.echoPort,
    useMachine,
    ownMachine,
    destroy,
    within,
    /** Runs a program to its end. */
    ran,
    /** Skips a test that only a shell which runs programs can pass. */
    needRealShell(context: TestContext): void {
      if (driver().capabilities.shell !== 'real') context.skip('this shell runs no programs')
    },
    prompt,
    spec,
    asked,
    settled,
    value,
    create,
    running,
    attached,
    /** Everything the driver holds, by ref. */
    async held(): Promise<ReadonlyMap<Ref, Listed>> {
      const listed = await value(() => driver().list())
      return new Map(listed.map(machine => [machine.ref, machine]))
    },

    residentBytes: options.residentBytes ?? (() => process.memoryUsage().rss),

    state: async (ref: Ref): Promise<MachineState> => (await value(() => driver().observe(ref))).state,

    /** A terminal whose shell waits for input. */
    async shell(ref: Ref, terminalId?: string): Promise<TerminalReader> {
      const reader = await attached(ref, terminalId)
      await reader.until(prompt)
      return reader
    },

    /** Types a line and answers the screen from there to the next prompt. */
    enter(reader: TerminalReader, line: string): Promise<string> {
      reader.type(`${line}\r`)
      return reader.until(prompt)
    },

    async open(): Promise<void> {
      dir = await (options.dir?.() ?? mkdtemp(join(tmpdir(), 'ingot-driver-')))
      current = await makeDriver(dir)
    },

    async reopen(): Promise<void> {
      await driver().close()
      current = await makeDriver(dir)
    },

    clear,

    async discard(): Promise<void> {
      await clear()
      await current?.close()
      current = undefined
      if (!options.dir) await rm(dir, { recursive: true, force: true })
    },
  }
}
