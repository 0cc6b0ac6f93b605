/** What the sandbox's tests share: drivers on folders of their own, shells to type into, and a look for leftovers. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { stripVTControlCharacters } from 'node:util'
import { afterAll, beforeAll, expect, onTestFinished } from 'vitest'
import type { Answer, Driver, MachineSpec, Ref, TerminalStream } from '../../driver.ts'
import { groupNameOf } from '../cgroups.ts'
import { createSandboxDriver, type SandboxDriver, type SandboxOptions } from '../driver.ts'
import { type Design, designs } from '../launch/launch.ts'

export const isRoot = process.getuid?.() === 0
export const newDir = (): string => mkdtempSync(join(tmpdir(), 'ingot-sandbox-'))

/** A folder for one test. However the test ends, its machines are destroyed and it is removed. */
export function testDir(): string {
  const dir = newDir()
  onTestFinished(async () => {
    if (!existsSync(join(dir, 'machines'))) return rmSync(dir, { recursive: true, force: true })
    const driver = await createSandboxDriver({ dir, maxMachines: 1 })
    await discard(driver)
    rmSync(dir, { recursive: true })
  })
  return dir
}

async function discard(driver: Driver): Promise<void> {
  for (const { ref } of await value(() => driver.list())) await value(() => driver.destroy(ref))
  await driver.close()
}

/** Designs that work on this machine; the others are skipped by name. */
export const designsHere = await (async () => {
  const dir = newDir()
  const works = await Promise.all(
    designs.map(async design => {
      const driver = await createSandboxDriver({ dir, design, maxMachines: 1 })
      const failure = driver.probes.find(probe => probe.required && !probe.ok)
      if (failure) console.log(`skipped: sandbox by ${design}: ${failure.name}: ${failure.detail}`)
      return !failure
    }),
  )
  rmSync(dir, { recursive: true })
  return designs.filter((_, at) => works[at])
})()

export const specOf = (instanceId: string, spec: Partial<MachineSpec> = {}): MachineSpec => ({
  instanceId,
  tenant: `owner-of-${instanceId}`,
  name: 'Test machine',
  gpuType: 'A40',
  gpuCount: 1,
  gpuMemoryGb: 48,
  cpuCores: 2,
  memoryGb: 2,
  storageGb: 2,
  image: 'pytorch',
  region: 'US-East',
  host: null,
  cards: [],
  command: null,
  env: {},
  volume: null,
  ...spec,
})

/** Asks until the answer is not "not yet", and gives its value. */
export async function value<T>(call: () => Promise<Answer<T>>): Promise<T> {
  const deadline = Date.now() + 20_000
  for (;;) {
    const answer = await call()
    if (answer.kind === 'done') return answer.value
    if (answer.kind === 'failed' || Date.now() > deadline) throw new Error(JSON.stringify(answer))
    await sleep(answer.retryMs)
  }
}

export async function running(driver: Driver, id: string, spec: Partial<MachineSpec> = {}): Promise<Ref> {
  const ref = await value(() => driver.create(specOf(id, spec), id))
  await value(() => driver.start(ref))
  return ref
}

export interface Shell {
  readonly stream: TerminalStream
  type(text: string): void
  /** Waits for output after the last match, control sequences removed, and answers it up to the match's end. */
  until(pattern: RegExp, patienceMs?: number): Promise<string>
  /** Runs a command; its output and exit code. */
  run(command: string, patienceMs?: number): Promise<{ output: string; code: number }>
}

export async function openShell(driver: Driver, ref: Ref, terminalId = 'main'): Promise<Shell> {
  const shell = shellOf(await value(() => driver.attach(ref, terminalId, { cols: 200, rows: 50 })))
  await shell.until(/[#$] $/)
  return shell
}

export function shellOf(stream: TerminalStream): Shell {
  let unread = ''
  stream.on('data', (chunk: Buffer) => {
    unread += chunk.toString('latin1')
  })
  stream.resume()

  async function until(pattern: RegExp, patienceMs = 10_000): Promise<string> {
    const deadline = Date.now() + patienceMs
    for (;;) {
      const text = stripVTControlCharacters(unread)
      const match = pattern.exec(text)
      if (match) {
        const end = match.index + match[0].length
        unread = text.slice(end)
        return text.slice(0, end)
      }
      if (Date.now() > deadline) throw new Error(`no ${pattern} in ${JSON.stringify(text.slice(-600))}`)
      await sleep(2)
    }
  }

  const type = (text: string) => void stream.write(text)
  return {
    stream,
    type,
    until,
    async run(command, patienceMs) {
      type(`${command}; printf '\\n%s%s.\\n' code= $?\r`)
      const shown = await until(/\ncode=\d+\.\s[^]*[#$] $/, patienceMs)
      const lines = shown.replaceAll('\r', '').split('\n').slice(1)
      const end = lines.findIndex(line => line.startsWith('code='))
      return {
        output: lines.slice(0, end).join('\n').trim(),
        code: Number(lines[end]?.slice('code='.length, -1)),
      }
    },
  }
}

/** One driver for all tests of a block, and nothing left of it afterwards. */
export function useDriver(design: Design, options: Partial<SandboxOptions> = {}) {
  const dir = newDir()
  let driver: SandboxDriver
  beforeAll(async () => {
    driver = await createSandboxDriver({ dir, design, maxMachines: 8, ...options })
  })
  afterAll(async () => {
    await discard(driver)
    expectNothingLeft(dir)
    rmSync(dir, { recursive: true })
  })
  return { dir, driver: () => driver }
}

/** No process, mount, control group or machine file of anything that lived in this folder. */
export function expectNothingLeft(dir: string): void {
  expect(readdirSync(join(dir, 'machines'))).toEqual([])
  expect(readdirSync(join(dir, 'trash'))).toEqual([])
  const uids = join(dir, 'uids')
  expect(readdirSync(uids).map(uid => `${uid} of ${readlinkSync(join(uids, uid))}`)).toEqual([])
  expect(readFileSync('/proc/self/mountinfo', 'utf8')).not.toContain(dir)
  expect(processesMentioning(dir)).toEqual([])
  expect(groupsOf(dir)).toEqual([])
}

/** Processes with an open file or a mount of this folder. */
function processesMentioning(dir: string): string[] {
  const pids = readdirSync('/proc').filter(name => /^\d+$/.test(name) && name !== String(process.pid))
  return pids.filter(pid => {
    try {
      return readFileSync(`/proc/${pid}/mountinfo`, 'utf8').includes(`${dir.slice(dir.lastIndexOf('/'))}/`)
    } catch {
      return false
    }
  })
}

/** The driver's own group in each hierarchy. */
export function groupsOf(dir: string): string[] {
  if (!existsSync('/sys/fs/cgroup')) return []
  const roots = ['/sys/fs/cgroup', ...readdirSync('/sys/fs/cgroup').map(name => `/sys/fs/cgroup/${name}`)]
  return roots.map(root => join(root, groupNameOf(dir))).filter(path => existsSync(path))
}

/** The command line of a control plane of its own: it does these calls for one machine and ends, or dies on the way. */
export const controlPlane = (dir: string, design: Design, id: string, calls: string, dieAt = 0): string[] => [
  process.execPath,
  join(import.meta.dirname, 'control-plane.ts'),
  dir,
  design,
  id,
  calls,
  String(dieAt),
]
