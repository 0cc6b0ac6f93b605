/**
 * The host's own NVIDIA cards, rented out without an engine: a machine gets the device nodes of the cards that it was
 * allotted and of what all of them share, and no others. The drivers' libraries and `nvidia-smi` come with the host's
 * `/usr`. Which node is a card's says the kernel, by UUID, anew at each start: numbers change with a reboot.
 *
 * Whole cards alone. A card that is cut up (MIG) is not offered here, nor one of which the kernel does not tell the node.
 */
import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Card, CardStats } from '../driver.ts'
import { askNvidia, cardsQuery, listQuery, readCards, readStats, statsQuery } from '../nvidia.ts'
import type { Bind } from './machine-view.ts'
import type { SandboxProbe } from './probes.ts'

/** Where the host has what: stand-ins in tests. */
export interface CardPlaces {
  readonly dev: string
  /** With `gpus/<bus>/information`. */
  readonly proc: string
  readonly nvidiaSmi: string
}

const hostPlaces: CardPlaces = { dev: '/dev', proc: '/proc/driver/nvidia', nvidiaSmi: 'nvidia-smi' }
/** CUDA finds no card without them. */
const needed = ['nvidiactl', 'nvidia-uvm']
const shared = [...needed, 'nvidia-uvm-tools']

export type HostCards = ReturnType<typeof openCards>

export function openCards(places: CardPlaces = hostPlaces) {
  const node = (name: string) => join(places.dev, name)

  /** By UUID, the names of their nodes. */
  function nodes(): Map<string, string> {
    const found = new Map<string, string>()
    for (const path of globSync(join(places.proc, 'gpus/*/information'))) {
      const text = readFileSync(path, 'latin1')
      const uuid = /^GPU UUID:\s*(GPU-[0-9a-f-]+)\s*$/m.exec(text)?.[1]
      const minor = /^Device Minor:\s*(\d{1,4})\s*$/m.exec(text)?.[1]
      if (uuid && minor && existsSync(node(`nvidia${minor}`))) found.set(uuid, `nvidia${minor}`)
    }
    return found
  }

  const bind = (name: string): Bind => ({ source: node(name), path: `/dev/${name}` })

  return {
    /** What can be rented now; null: nothing here can tell, so cards may be in use that are not named. */
    async list(): Promise<readonly Card[] | null> {
      if (!needed.every(name => existsSync(node(name)))) return null
      const [query, list] = await Promise.all([
        askNvidia(places.nvidiaSmi, cardsQuery),
        askNvidia(places.nvidiaSmi, listQuery),
      ])
      if (query === null || list === null) return null
      const known = nodes()
      return readCards(query, list).filter(({ uuid }) => known.has(uuid))
    },

    /** The nodes of a machine with these cards; null: one of them is not there. */
    devicesOf(uuids: readonly string[]): readonly Bind[] | null {
      if (uuids.length === 0) return []
      const known = nodes()
      const own = uuids.map(uuid => known.get(uuid))
      if (own.includes(undefined) || !needed.every(name => existsSync(node(name)))) return null
      return [...shared.filter(name => existsSync(node(name))), ...(own as string[])].map(bind)
    },

    /** Of those that answer. */
    async stats(uuids: readonly string[]): Promise<readonly CardStats[]> {
      if (uuids.length === 0) return []
      return readStats((await askNvidia(places.nvidiaSmi, statsQuery(uuids))) ?? '')
    },

    async probe(): Promise<SandboxProbe> {
      const say = (ok: boolean, detail: string) => ({ name: 'cards', required: false, ok, detail })
      if (!existsSync(node('nvidiactl'))) return say(false, 'none: they are simulated')
      const missing = needed.filter(name => !existsSync(node(name)))
      if (missing.length > 0)
        return say(
          false,
          `simulated: ${node(missing[0]!)} is missing. Run nvidia-modprobe -u -c=0, and start again`,
        )
      const cards = await this.list()
      if (!cards) return say(false, 'simulated: nvidia-smi does not answer. Run it and see what it says')
      if (cards.length === 0)
        return say(
          false,
          `simulated: ${places.proc}/gpus tells no whole card’s number. Run nvidia-smi -pm 1, and start again; cards with MIG need an engine`,
        )
      const byModel = Map.groupBy(cards, ({ model }) => model)
      return say(true, [...byModel].map(([model, all]) => `${all.length} × ${model}`).join(', '))
    },
  }
}
