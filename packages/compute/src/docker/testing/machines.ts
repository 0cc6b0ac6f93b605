/** Drivers for one file's tests, on the engine of that file, and nothing left of their machines afterwards. */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { createSubject, type Subject } from '../../conformance/subject.ts'
import { createDockerDriver, type DockerDriver, type DockerOptions } from '../driver.ts'
import { openEngine } from '../engine.ts'
import { type TestEngine, testImage } from './engine.ts'

export interface Opened extends Subject {
  readonly dir: string
  readonly docker: DockerDriver
  readonly log: string[]
}

let installations = 0

export async function openDocker(engine: TestEngine, options: Partial<DockerOptions> = {}): Promise<Opened> {
  const dir = mkdtempSync(join(tmpdir(), 'ingot-docker-'))
  const log: string[] = []
  let docker: DockerDriver | undefined
  const installation = options.installation ?? `test-${++installations}`
  const make = async () => {
    docker = await createDockerDriver({
      engine: { address: engine.address },
      installation,
      dir,
      maxMachines: 16,
      stopGraceMs: 1_000,
      log: message => void log.push(message),
      ...options,
    })
    return docker
  }
  const subject = createSubject(make, {
    dir: () => dir,
    spec: { image: testImage, memoryGb: 0.5 },
    patienceMs: 20_000,
  })
  await subject.open()
  onTestFinished(async () => {
    await subject.discard()
    rmSync(dir, { recursive: true, force: true })
  }, 60_000)
  return Object.assign(subject, {
    dir,
    log,
    get docker() {
      return docker!
    },
  })
}

export const clientOf = (engine: TestEngine) => openEngine({ address: engine.address }).calls

/** Null: there is none. */
export function keeperPid(dir: string): number | null {
  const path = join(dir, 'keeper.pid')
  return existsSync(path) ? Number(readFileSync(path, 'utf8')) : null
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
