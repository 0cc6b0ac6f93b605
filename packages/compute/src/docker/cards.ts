/**
 * The cards that an engine's host has, as the engine itself gives them to containers: a throw-away container with all of
 * them runs the host's own `nvidia-smi`, which NVIDIA's runtime puts there. An engine without that runtime, and without
 * names of cards by the Container Device Interface, is asked nothing more.
 */
import type { Card } from '../driver.ts'
import { cardsQuery, listQuery, readCards } from '../nvidia.ts'
import { own, toolsFolder } from './agent/session.ts'
import { type Engine, type EngineOptions, openEngine } from './engine.ts'
import type { Cards } from './host-config.ts'
import type { Names } from './names.ts'

interface CardInfo {
  readonly Runtimes?: Readonly<Record<string, unknown>> | null
  /** Since API 1.50. */
  readonly DiscoveredDevices?: readonly { readonly Source: string; readonly ID: string }[] | null
}

/** How an engine is asked for cards. */
export type Way = 'nvidia' | 'cdi'

const cdiKind = 'nvidia.com/gpu='
/** Where distributions keep libraries: the runtime puts the driver's there. */
const libraries = ['/usr/lib/x86_64-linux-gnu', '/usr/lib/aarch64-linux-gnu', '/usr/lib64', '/usr/lib']
const keptMs = 5 * 60_000

/** Null: it can't give any. */
export function wayOf({ Runtimes, DiscoveredDevices }: CardInfo): Way | null {
  if (Runtimes && Object.hasOwn(Runtimes, 'nvidia')) return 'nvidia'
  return DiscoveredDevices?.some(({ Source, ID }) => Source === 'cdi' && ID.startsWith(cdiKind))
    ? 'cdi'
    : null
}

/** A quick look, which leaves nothing on the engine. */
export async function seesCards(options: EngineOptions): Promise<boolean> {
  const info = await openEngine(options)
    .calls.info()
    .catch(() => ({}))
  return wayOf(info as CardInfo) !== null
}

/** What a container is made with that gets these. */
export function requestOf(way: Way, uuids: readonly string[]): Cards {
  if (uuids.length === 0) return { kind: 'none' }
  return way === 'cdi' ? { kind: 'cdi', names: uuids.map(uuid => cdiKind + uuid) } : { kind: 'nvidia', uuids }
}

export interface EngineCards {
  readonly way: Way
  list(): Promise<readonly Card[]>
}

/** Null: the engine has none to give. Throws where it should and does not, in its own words. */
export async function openCards(engine: Engine, names: Names, image: string): Promise<EngineCards | null> {
  const way = wayOf((await engine.calls.info()) as CardInfo)
  if (!way) return null
  const ask = () => listCards(engine, names, image, way)
  let known = { at: performance.now(), cards: await ask() }
  if (known.cards.length === 0) return null
  return {
    way,
    async list() {
      if (performance.now() - known.at > keptMs) known = { at: performance.now(), cards: await ask() }
      return known.cards
    },
  }
}

const mark = '--list--'
const nvidiaSmi = (args: readonly string[]) =>
  [
    `${toolsFolder}/lib/ld.so`,
    '--library-path',
    [`${toolsFolder}/lib`, ...libraries].join(':'),
    '/usr/bin/nvidia-smi',
    ...args,
  ].join(' ')

async function listCards({ patient }: Engine, names: Names, image: string, way: Way): Promise<Card[]> {
  const container = await patient.createContainer({
    Image: image,
    Cmd: [...own('sh'), '-c', `${nvidiaSmi(cardsQuery)} && echo ${mark} && ${nvidiaSmi(listQuery)}`],
    Labels: { ...names.owned },
    // Its output comes as it is.
    Tty: true,
    HostConfig: {
      NetworkMode: 'none',
      CapDrop: ['ALL'],
      SecurityOpt: ['no-new-privileges'],
      DeviceRequests: [
        way === 'cdi'
          ? { Driver: 'cdi', DeviceIDs: [`${cdiKind}all`] }
          : { Driver: 'nvidia', Count: -1, Capabilities: [['gpu', 'utility']] },
      ],
    },
  })
  try {
    await container.start()
    const { StatusCode } = (await container.wait()) as { StatusCode: number }
    const output = (await container.logs({ stdout: true, stderr: true })).toString().replaceAll('\r', '')
    if (StatusCode !== 0) throw new Error(`nvidia-smi ended with ${StatusCode}: ${output.slice(-300).trim()}`)
    const [query = '', list = ''] = output.split(`${mark}\n`)
    return readCards(query, list)
  } finally {
    await container.remove({ force: true }).catch(() => {})
  }
}
