/**
 * Images, pulled when they are missing. Nobody waits for a pull: a call starts it and is told "not yet" until it has
 * ended; how far it is can be asked meanwhile. A failure is told once, and whoever asks again starts anew.
 */
import { createInterface } from 'node:readline'
import { type Answer, done, failed, notYet } from '../driver.ts'
import { complaintOf, type Engine, statusOf, unlessMissing } from './engine.ts'
import type { ImageFacts } from './host-config.ts'

const host = String.raw`(?:[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?(?::\d{1,5})?/)?`
const part = '[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*'
const imageName = new RegExp(
  String.raw`^${host}${part}(?:/${part})*(?::\w[\w.-]{0,127})?(?:@sha256:[0-9a-f]{64})?$`,
)
const maxName = 500

/** It becomes part of a path that the engine is asked for: nothing else than a name may get there. */
export const isImageName = (name: string): boolean => name.length <= maxName && imageName.test(name)

/** Of all layers that the engine has told of so far. */
export interface PullProgress {
  readonly receivedBytes: number
  readonly totalBytes: number
}

export interface Images {
  /** Its facts once the engine has it. */
  find(image: string): Promise<Answer<ImageFacts>>
  /** Null: it is not being pulled. */
  progress(image: string): PullProgress | null
}

interface Pull {
  readonly layers: Map<string, PullProgress>
  failure: Answer<never> | null
}

const retryMs = 1_000
/** A line of the engine's report; longer ones are none. */
const maxLineBytes = 64 * 1024
const maxLayers = 1_000

export function createImages({ calls, patient }: Engine, log: (message: string) => void): Images {
  const pulls = new Map<string, Pull>()

  async function pull(image: string, { layers }: Pull): Promise<void> {
    // Without a tag the engine would pull all there are.
    const name = /[:@][^/]*$/.test(image) ? image : `${image}:latest`
    const stream = await patient.pull(name)
    for await (const line of createInterface({ input: stream, crlfDelay: Infinity })) {
      if (line.length > maxLineBytes) continue
      const { id, error, progressDetail } = parse(line)
      if (error !== undefined) throw new Error(String(error))
      const { current, total } = progressDetail ?? {}
      if (
        typeof id === 'string' &&
        Number.isFinite(current) &&
        Number.isFinite(total) &&
        layers.size < maxLayers
      )
        layers.set(id, { receivedBytes: current!, totalBytes: total! })
    }
  }

  function begin(image: string): void {
    const begun: Pull = { layers: new Map(), failure: null }
    pulls.set(image, begun)
    pull(image, begun).then(
      () => pulls.delete(image),
      error => {
        log(`image ${image.slice(0, 200)} could not be pulled: ${complaintOf(error)}`)
        begun.failure = refusalOf(error)
      },
    )
  }

  return {
    async find(image) {
      if (!isImageName(image)) return failed('rejected', 'This is no name of an image.')
      const known = pulls.get(image)
      if (known?.failure) {
        pulls.delete(image)
        return known.failure
      }
      if (known) return notYet(retryMs)
      const found = await unlessMissing(calls.getImage(image).inspect())
      if (found) return done({ id: found.Id, env: found.Config.Env ?? [] })
      begin(image)
      return notYet(retryMs)
    },
    progress(image) {
      const layers = pulls.get(image)?.layers.values().toArray()
      if (!layers) return null
      const sum = (part: keyof PullProgress) => layers.reduce((all, layer) => all + layer[part], 0)
      return { receivedBytes: sum('receivedBytes'), totalBytes: sum('totalBytes') }
    },
  }
}

interface Report {
  readonly id?: unknown
  readonly error?: unknown
  readonly progressDetail?: { readonly current?: number; readonly total?: number }
}

function parse(line: string): Report {
  try {
    return JSON.parse(line) as Report
  } catch {
    return {}
  }
}

/** In words for the customer: the registry's own may hold anything. */
function refusalOf(error: unknown): Answer<never> {
  const text = complaintOf(error)
  if (/not found|manifest unknown|does not exist|invalid reference/i.test(text) || statusOf(error) === 404)
    return failed('rejected', 'The image was not found, or it is private and no credentials were given.')
  if (/unauthorized|denied|authentication required|forbidden/i.test(text))
    return failed('rejected', 'The image’s registry refuses access to it.')
  if (/no matching manifest/i.test(text))
    return failed('rejected', 'The image is not made for this kind of machine.')
  if (/no space left/i.test(text))
    return failed('no_capacity', 'The host has no room for this image right now.')
  return failed('transient', 'The image could not be pulled right now.')
}
