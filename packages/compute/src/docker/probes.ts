/** What an engine can do, found by asking it and by having it do it. */
import type { Probe } from '../driver.ts'
import { type EngineCards, openCards } from './cards.ts'
import { complaintOf, type Engine } from './engine.ts'
import { installTools } from './install.ts'
import type { Names } from './names.ts'
import { rangeOf } from './networks.ts'
import { findTools } from './tools.ts'

export interface DockerProbe extends Probe {
  /** Without it no machine can be started here. */
  readonly required: boolean
}

export interface EngineFacts {
  /** The engine's own, kept for as long as its data is. */
  readonly id: string
  readonly processors: number
  readonly memoryBytes: number
  readonly enforces: { readonly cpu: boolean; readonly memory: boolean; readonly processes: boolean }
  /** The engine holds a disk to its size. */
  readonly hasDiskLimit: boolean
  /** Of programs in a machine: how many files they may open. */
  readonly canSetOpenFiles: boolean
  /** The volume with our own programs, and the image that it was filled from. */
  readonly tools: string
  readonly image: string
  /** Where it keeps disks of machines, on its host. */
  readonly folder: string
  /** Null: they are simulated. */
  readonly cards: EngineCards | null
}

/** Engine 20.10. */
const oldest = 1.41
const architectures: Readonly<Record<string, string>> = { x64: 'x86_64', arm64: 'aarch64' }
const gibibyte = 2 ** 30

interface Info {
  readonly ID: string
  readonly NCPU: number
  readonly MemTotal: number
  readonly Architecture: string
  readonly Driver: string
  readonly DriverStatus: readonly (readonly string[])[] | null
  readonly MemoryLimit: boolean
  readonly CpuCfsQuota: boolean
  readonly PidsLimit: boolean
  readonly ServerVersion: string
  readonly DockerRootDir: string
}

/** Facts are null where a required probe fails. */
export async function probeEngine(
  engine: Engine,
  names: Names,
  pool: string,
  isAlone: boolean,
): Promise<{ facts: EngineFacts | null; probes: DockerProbe[] }> {
  const probes: DockerProbe[] = []
  const say = (name: string, required: boolean, ok: boolean, detail: string) => {
    probes.push({ name, required, ok, detail })
    return ok
  }
  const { info, detail } = await ask(engine)
  if (!say('engine', true, info !== null, detail) || !info) return { facts: null, probes }
  const isAlike = architectures[process.arch] === info.Architecture
  const machine = isAlike
    ? info.Architecture
    : `the engine’s is ${info.Architecture}: our programs don’t run there`
  if (!say('architecture', true, isAlike, machine)) return { facts: null, probes }
  const tools = await put(engine, names, isAlone)
  if (!say('programs', true, tools.volume !== null, tools.detail) || !tools.volume)
    return { facts: null, probes }
  if (!say('networks', true, isRange(pool), `blocks of 16 addresses from ${pool}`))
    return { facts: null, probes }
  const enforces = { cpu: info.CpuCfsQuota, memory: info.MemoryLimit, processes: info.PidsLimit }
  const missing = Object.entries(enforces).flatMap(([name, has]) => (has ? [] : [name]))
  say(
    'limits',
    false,
    missing.length === 0,
    missing.length ? `not enforced: ${missing.join(', ')}` : 'in force',
  )
  const hasDiskLimit = await limitsDisk(engine, names, tools.image)
  const storage = `${info.Driver}${backing(info)}`
  say('disk limit', false, hasDiskLimit, hasDiskLimit ? `in force (${storage})` : `not enforced (${storage})`)
  const cards = await openCards(engine, names, tools.image).catch(complaintOf)
  const found = typeof cards === 'object' && cards ? await cards.list() : []
  const counted = [...Map.groupBy(found, ({ model }) => model)].map(
    ([model, { length }]) => `${length} × ${model}`,
  )
  const none = typeof cards === 'string' ? `simulated: ${cards}` : 'none: they are simulated'
  say('cards', false, found.length > 0, counted.join(', ') || none)
  return {
    facts: {
      cards: typeof cards === 'object' ? cards : null,
      id: info.ID,
      folder: info.DockerRootDir,
      processors: info.NCPU,
      memoryBytes: info.MemTotal,
      enforces,
      hasDiskLimit,
      canSetOpenFiles: tools.canSetOpenFiles,
      tools: tools.volume,
      image: tools.image,
    },
    probes,
  }
}

async function ask({ calls }: Engine): Promise<{ info: Info | null; detail: string }> {
  try {
    const { ApiVersion, Version } = await calls.version()
    if (!(Number(ApiVersion) >= oldest))
      return { info: null, detail: `version ${Version} is older than 20.10` }
    return { info: (await calls.info()) as Info, detail: `Docker Engine ${Version}, API ${ApiVersion}` }
  } catch (error) {
    return { info: null, detail: complaintOf(error) }
  }
}

async function put(engine: Engine, names: Names, isAlone: boolean) {
  try {
    const tools = findTools()
    const installed = await installTools(engine, names, tools, isAlone)
    return { ...installed, image: `ingot-tools:${tools.version}`, detail: `version ${tools.version}` }
  } catch (error) {
    return { volume: null, canSetOpenFiles: false, image: '', detail: complaintOf(error) }
  }
}

function isRange(pool: string): boolean {
  try {
    rangeOf(pool)
    return true
  } catch {
    return false
  }
}

const backing = ({ DriverStatus }: Info): string => {
  const found = DriverStatus?.find(([name]) => name === 'Backing Filesystem')?.[1]
  return found ? ` on ${found}` : ''
}

/** An engine that can't says so when it is asked to make a container with a size, and says nothing of it before. */
async function limitsDisk({ calls }: Engine, names: Names, image: string): Promise<boolean> {
  try {
    const container = await calls.createContainer({
      Image: image,
      Cmd: ['none'],
      Labels: { ...names.owned },
      HostConfig: { NetworkMode: 'none', StorageOpt: { size: String(gibibyte) } },
    })
    await container.remove({ force: true })
    return true
  } catch {
    return false
  }
}
