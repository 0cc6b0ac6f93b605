/**
 * Images, pulled when they are missing. Nobody waits for a pull: a call starts it and is told "not yet" until it has
 * ended, with how far it is. A failure is told once, and whoever asks again starts anew.
 *
 * An engine gives what it has to whoever names it. So an image that was pulled with credentials loses its name at once
 * and gets one that only its customer is led to; and a name is looked up as a name alone, never as an image's id.
 */
import { createHash } from 'node:crypto'
import type { Readable } from 'node:stream'
import { type Answer, done, failed, notYet, type Progress, type RegistryCredentials } from '../driver.ts'
import { complaintOf, type Engine, statusOf, unlessMissing } from './engine.ts'
import type { ImageFacts } from './host-config.ts'
import type { Names } from './names.ts'
import { familiar, mayPullFrom, registryOf } from './registries.ts'

const host = String.raw`(?:[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?(?::\d{1,5})?/)?`
const part = '[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*'
const imageName = new RegExp(
  String.raw`^${host}${part}(?:/${part})*(?::\w[\w.-]{0,127})?(?:@sha256:[0-9a-f]{64})?$`,
)
const maxName = 500

/** It becomes part of a path that the engine is asked for: nothing else than a name may get there. */
export const isImageName = (name: string): boolean =>
  name.length <= maxName && imageName.test(name) && !own.test(familiar(name))

const privateRepo = 'ingot-private'
/** Of what we made ourselves. */
const own = /^ingot-(tools|private)[:@]/

export interface Wanted {
  readonly image: string
  readonly tenant: string
  readonly credentials: RegistryCredentials | null
}

export interface Images {
  /** Its facts once the engine has it. */
  find(wanted: Wanted): Promise<Answer<ImageFacts>>
}

export interface ImagesOptions {
  readonly engine: Engine
  readonly names: Names
  /** At private addresses, from which may be pulled. */
  readonly registries: readonly string[]
  /** A registry may be slow, but not silent for so long. */
  readonly silentMs?: number
  readonly log: (message: string) => void
}

interface Layer {
  readonly receivedBytes: number
  readonly totalBytes: number
}

interface Pull {
  readonly tenant: string
  readonly layers: Map<string, Layer>
  failure: Answer<never> | null
}

const retryMs = 1_000
/** A failure waits so long for whoever wants to know. */
const toldMs = 60_000
/** A line of the engine's report; longer ones are none. */
const maxLineBytes = 64 * 1024
const maxLayers = 1_000
const maxPulls = 16
/** Nobody keeps others waiting with images that never come. */
const maxPullsOfTenant = 4

export function createImages({
  engine,
  names,
  registries,
  silentMs = 3 * 60_000,
  log,
}: ImagesOptions): Images {
  const { calls, patient } = engine
  const pulls = new Map<string, Pull>()
  /** Names under which an image stands that was pulled with credentials, until it has lost them. */
  const hidden = new Map<string, number>()

  async function pull({ image, credentials }: Wanted, { layers }: Pull): Promise<void> {
    // Without a tag the engine would pull all there are.
    const name = /[:@][^/]*$/.test(image) ? image : `${image}:latest`
    const authconfig = credentials && { ...credentials, serveraddress: registryOf(image) ?? 'docker.io' }
    const silent = new Error('timeout: the registry is silent')
    const late = new AbortController()
    let stream: Readable | undefined
    const timer = setTimeout(() => {
      late.abort(silent)
      stream?.destroy(silent)
    }, silentMs)
    try {
      const asked = patient.pull(name, { ...(authconfig && { authconfig }), abortSignal: late.signal })
      stream = (await asked.catch(error => {
        throw late.signal.aborted ? silent : error
      })) as Readable
      for await (const line of linesOf(stream)) {
        timer.refresh()
        const { id, error, progressDetail, status } = parse(line)
        if (error !== undefined) throw new Error(String(error))
        if (typeof id !== 'string' || (layers.size >= maxLayers && !layers.has(id))) continue
        const { current, total } = progressDetail ?? {}
        const known = layers.get(id)
        // A layer is received first, and unpacked then, which is told of in the same numbers.
        if (status === 'Downloading' && Number.isFinite(current) && Number.isFinite(total))
          layers.set(id, { receivedBytes: current!, totalBytes: total! })
        else if (known && status !== 'Downloading')
          layers.set(id, { ...known, receivedBytes: known.totalBytes })
      }
    } finally {
      clearTimeout(timer)
      stream?.destroy()
    }
  }

  /** Pulls, and takes the name from what was pulled with credentials. */
  async function pullHidden(wanted: Wanted, begun: Pull): Promise<void> {
    const name = familiar(wanted.image)
    hidden.set(name, (hidden.get(name) ?? 0) + 1)
    try {
      await pull(wanted, begun)
      const image = calls.getImage(name)
      await image.tag({ repo: privateRepo, tag: tagOf(wanted) })
      await unlessMissing(image.remove({ noprune: true }))
    } finally {
      hidden.set(name, hidden.get(name)! - 1)
      if (hidden.get(name) === 0) hidden.delete(name)
    }
  }

  const tagOf = ({ tenant, image }: Wanted): string =>
    createHash('sha256')
      .update(JSON.stringify([names.owned, tenant, familiar(image)]))
      .digest('hex')

  function begin(key: string, wanted: Wanted): void {
    const begun: Pull = { tenant: wanted.tenant, layers: new Map(), failure: null }
    pulls.set(key, begun)
    ;(wanted.credentials ? pullHidden(wanted, begun) : pull(wanted, begun)).then(
      () => pulls.delete(key),
      error => {
        log(`image ${wanted.image.slice(0, 200)} could not be pulled: ${complaintOf(error)}`)
        begun.failure = refusalOf(error, wanted.credentials !== null)
        // Where nobody asks any more.
        const forget = () => pulls.get(key) === begun && pulls.delete(key)
        setTimeout(forget, toldMs).unref()
      },
    )
  }

  return {
    async find(wanted) {
      const { image, credentials } = wanted
      if (!isImageName(image)) return failed('rejected', 'This is no name of an image.')
      const key = credentials ? `${privateRepo}:${tagOf(wanted)}` : familiar(image)
      const known = pulls.get(key)
      if (known?.failure) {
        pulls.delete(key)
        return known.failure
      }
      if (known) return notYet(retryMs, progressOf(known))
      // Somebody's own image stands there for a moment.
      if (!credentials && hidden.has(key)) return notYet(retryMs)
      const found = await unlessMissing(calls.getImage(key).inspect())
      // The engine takes for an id what is no name.
      const isNamed = found && [...(found.RepoTags ?? []), ...(found.RepoDigests ?? [])].includes(key)
      if (isNamed) return done({ id: found.Id, env: found.Config.Env ?? [] })
      const allowed = await mayPullFrom(image, registries)
      if (allowed.kind !== 'done') return allowed
      const underWay = pulls.values().filter(each => !each.failure)
      const ofTenant = pulls.values().filter(each => !each.failure && each.tenant === wanted.tenant)
      if (count(underWay) >= maxPulls || count(ofTenant) >= maxPullsOfTenant) return notYet(retryMs)
      if (!pulls.has(key)) begin(key, wanted)
      return notYet(retryMs, progressOf(pulls.get(key)!))
    },
  }
}

const count = (values: Iterable<unknown>): number => [...values].length

function progressOf({ layers }: Pull): Progress {
  const sum = (part: keyof Layer) => layers.values().reduce((all, layer) => all + layer[part], 0)
  return { what: 'pulling_image', doneBytes: sum('receivedBytes'), totalBytes: sum('totalBytes') }
}

/** Fails when the stream does. What is longer than any line is dropped. */
async function* linesOf(stream: Readable): AsyncGenerator<string> {
  let rest = ''
  for await (const chunk of stream.setEncoding('utf8') as AsyncIterable<string>) {
    const lines = (rest + chunk).split('\n')
    rest = lines.pop()!.slice(0, maxLineBytes)
    yield* lines.filter(line => line.length <= maxLineBytes)
  }
  yield rest
}

interface Report {
  readonly id?: unknown
  readonly error?: unknown
  readonly status?: unknown
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
function refusalOf(error: unknown, hasCredentials: boolean): Answer<never> {
  const text = complaintOf(error)
  const isRefused =
    /unauthorized|denied|authentication required|no basic auth|forbidden|incorrect username/i.test(text)
  if (isRefused && hasCredentials) return failed('rejected', 'The registry refused the credentials.')
  if (isRefused)
    return failed('rejected', 'The image was not found, or it is private and no credentials were given.')
  if (/not found|manifest unknown|does not exist|invalid reference/i.test(text) || statusOf(error) === 404)
    return failed('rejected', 'The image was not found in its registry.')
  if (/no matching manifest/i.test(text))
    return failed('rejected', 'The image is not made for this kind of machine.')
  if (/no space left/i.test(text))
    return failed('no_capacity', 'The host has no room for this image right now.')
  if (/refused|timeout|no such host|unreachable|no route|reset|EOF|deadline/i.test(text))
    return failed('transient', 'The image’s registry can’t be reached right now.')
  return failed('transient', 'The image could not be pulled right now.')
}
