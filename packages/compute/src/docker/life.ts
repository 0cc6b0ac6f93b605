/**
 * A machine's coming and going: a container, made once, started and stopped as often as its customer likes. The engine
 * may take as long as it wants; whoever asks waits a few seconds and is then told "not yet", while what was begun goes
 * on. What this process has begun and not finished is all that it remembers: after a kill the next call looks at what
 * the engine has and goes on from there.
 *
 * Calls for one machine come one after the other. A start says to the container, over its input, what it is to be
 * (`input.ts`); a container whose starter died before that ends by itself.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { ContainerInspectInfo, DeviceRequest } from 'dockerode'
import {
  type Answer,
  done,
  failed,
  type MachineSpec,
  notYet,
  type Observation,
  type Ref,
  type RegistryCredentials,
} from '../driver.ts'
import { beginContainer } from './begin-container.ts'
import { complaintOf, type Engine, statusOf, unlessMissing } from './engine.ts'
import {
  type Cards,
  containerOf,
  deviceRequestsOf,
  type Limits,
  limitsOf,
  refusedSpec,
} from './host-config.ts'
import type { Images } from './images.ts'
import { givenOf, olderInput, runInput } from './input.ts'
import type { Names } from './names.ts'
import type { Networks } from './networks.ts'
import { createMadeAnew } from './made-anew.ts'
import type { MachineRecords } from './records.ts'
import type { Runs } from './runs.ts'
import { createStoppedFiles } from './stopped-files.ts'
import type { DockerVolumes } from './volumes/open.ts'
import { isOlder } from './variables.ts'

export interface LifeOptions {
  readonly engine: Engine
  readonly names: Names
  readonly records: MachineRecords
  readonly runs: Runs
  /** Null: there are none. */
  readonly volumes: DockerVolumes['machines'] | null
  readonly images: Images
  readonly networks: Networks
  readonly tools: string
  readonly limitsOf: (spec: MachineSpec) => Limits
  /** Null: those that it should have can't be had. */
  readonly cardsOf: (spec: MachineSpec) => Cards | null
  readonly hasRoom: () => Promise<boolean>
  readonly engineTime: () => Promise<unknown>
  readonly stopGraceMs: number
  readonly log: (message: string) => void
}

export type Life = ReturnType<typeof createLife>

/** How long a call waits for what it has begun. */
const patienceMs = 3_000
const retryMs = 250
/** Whoever starts a container sees within this time that it runs. */
const upMs = 10_000

export const lost = (): Answer<never> => failed('lost', 'The machine is gone.')
const noRoom = () => failed('no_capacity', 'No machine is free in this region right now.')

export function createLife(options: LifeOptions) {
  const { engine, names, records, runs, images, networks, volumes, log } = options
  const { calls, patient } = engine
  const underway = new Map<Ref, { readonly name: string; readonly answer: Promise<Answer<unknown>> }>()

  const anew = createMadeAnew(engine, names)
  const stoppedFiles = createStoppedFiles({ engine, runs, networks, volumes, anew, find })
  const inspect = (ref: Ref) => unlessMissing(calls.getContainer(names.container(ref)).inspect())

  async function find(ref: Ref): Promise<ContainerInspectInfo | null> {
    let found = await inspect(ref)
    if (!found) {
      await anew.adopt(ref)
      found = await inspect(ref)
    }
    return isOurs(found) ? found : null
  }

  /** A container of this name that somebody else has made is none of ours. */
  const isOurs = (found: ContainerInspectInfo | null): boolean =>
    found !== null &&
    Object.entries(names.owned).every(([label, value]) => found.Config.Labels[label] === value)

  /** One thing at a time for each machine; asked for again, it is the same one. */
  async function single<T>(ref: Ref, name: string, act: () => Promise<Answer<T>>): Promise<Answer<T>> {
    const before = underway.get(ref)
    if (before && before.name !== name && (await waitedFor(before.answer)) === null) return notYet(retryMs)
    const current = underway.get(ref)
    if (current && current.name !== name) return notYet(retryMs)
    const answer = (current?.answer as Promise<Answer<T>> | undefined) ?? begin(ref, name, act)
    return (await waitedFor(answer)) ?? notYet(retryMs)
  }

  function begin<T>(ref: Ref, name: string, act: () => Promise<Answer<T>>): Promise<Answer<T>> {
    const answer = act()
      .catch((error: unknown): Answer<never> => {
        log(`machine ${ref}: ${name}: ${complaintOf(error)}`)
        return failed('transient', 'The host can’t do this right now.')
      })
      .finally(() => underway.delete(ref))
    underway.set(ref, { name, answer })
    return answer
  }

  async function observe(ref: Ref): Promise<Observation> {
    const found = await find(ref)
    return found ? observed(ref, found) : runs.gone()
  }

  async function observed(ref: Ref, found: ContainerInspectInfo): Promise<Observation> {
    const seen = await runs.observe(ref, found.Id, found.State)
    const isComing = underway.get(ref)?.name === 'start'
    return isComing && seen.state !== 'gone' ? { ...seen, state: 'starting' } : seen
  }

  async function create(
    ref: Ref,
    spec: MachineSpec,
    credentials: RegistryCredentials | null,
  ): Promise<Answer<Ref>> {
    if (spec.volume && !volumes) return failed('rejected', 'This region has no volumes.')
    const refusedVolume = volumes?.refused(spec.volume)
    if (refusedVolume) return refusedVolume
    const known = await find(ref)
    if (known) return resize(ref, known, spec)
    const refused = refusedSpec(spec)
    if (refused) return failed('rejected', refused)
    const cards = options.cardsOf(spec)
    if (!cards) return failed('transient', 'A card of this instance can’t be used right now.')
    if (!(await options.hasRoom())) return noRoom()
    const image = await images.find({ image: spec.image, tenant: spec.tenant, credentials })
    if (image.kind !== 'done') return image
    return single(ref, 'create', async () => {
      try {
        const network = await networks.placeFor(spec.tenant, ref)
        if (!network) return failed('no_capacity', 'The host has no network left for another machine.')
        const limits = options.limitsOf(spec)
        const given = givenOf(spec, image.value.env)
        const place = {
          owned: names.owned,
          limits,
          cards,
          network,
          tools: options.tools,
          image: image.value,
          volume: (await volumes?.forNew(given.volume ?? null, image.value.id)) ?? null,
        }
        await records.remove(ref)
        await patient.createContainer({ name: names.container(ref), ...containerOf(spec, place) })
        await runs.give(ref, given)
        return done(ref)
      } catch (error) {
        // Somebody else has made it meanwhile.
        if (statusOf(error) === 409 && (await find(ref))) return done(ref)
        throw error
      } finally {
        networks.settled(ref)
      }
    })
  }

  /** A new size counts from now on; a command, variables and a volume from the next start. */
  async function resize(ref: Ref, known: ContainerInspectInfo, spec: MachineSpec): Promise<Answer<Ref>> {
    const cards = options.cardsOf(spec)
    if (!cards) return failed('transient', 'A card of this instance can’t be used right now.')
    const requests = deviceRequestsOf(cards)
    if (idsOf(requests) !== idsOf(known.HostConfig.DeviceRequests ?? [])) {
      const changed = await changeCards(ref, requests)
      return changed.kind === 'done' ? create(ref, spec, null) : changed
    }
    const { NanoCpus, Memory, MemorySwap, PidsLimit } = limitsOf(options.limitsOf(spec))
    const has = known.HostConfig
    if (has.NanoCpus !== NanoCpus || has.Memory !== Memory || has.PidsLimit !== PidsLimit)
      await calls.getContainer(known.Id).update({ NanoCpus, Memory, MemorySwap, PidsLimit })
    if (isOlder(known.Config) && spec.volume)
      return failed('rejected', 'This instance was made before there were volumes, and can’t have one.')
    if (!isOlder(known.Config)) {
      const before = await runs.givenTo(ref)
      const imageEnv = before?.ofImage ?? (await calls.getImage(known.Image).inspect()).Config.Env
      await runs.give(ref, givenOf(spec, imageEnv ?? []))
    }
    return done(ref)
  }

  const changeCards = (ref: Ref, requests: DeviceRequest[]): Promise<Answer> =>
    single(ref, 'change cards', async () => {
      await stoppedFiles.end(ref)
      const known = await find(ref)
      if (!known) return lost()
      if (known.State.Running) return notYet(retryMs)
      // It may have been changed meanwhile.
      if (idsOf(requests) !== idsOf(known.HostConfig.DeviceRequests ?? []))
        await anew.give(ref, known, { cards: requests })
      return done()
    })

  async function start(ref: Ref): Promise<Answer<Observation>> {
    const found = await find(ref)
    if (!found) return lost()
    if (!underway.has(ref)) {
      const seen = await observed(ref, found)
      if (seen.state === 'running') return done(seen)
      // Whoever stopped it died over it.
      if (seen.state === 'stopping') return (await stop(ref)).kind === 'failed' ? notYet(retryMs) : notYet(1)
    }
    return single(ref, 'start', () => startNow(ref))
  }

  async function startNow(ref: Ref): Promise<Answer<Observation>> {
    await stoppedFiles.end(ref)
    const known = await find(ref)
    if (!known) return lost()
    if (!(await options.hasRoom())) return noRoom()
    try {
      const given = (await runs.givenTo(ref))?.volume ?? null
      const changes = (await volumes?.provide(ref, known, given)) ?? done(null)
      if (changes.kind !== 'done') return changes
      if (!changes.value) return await runNow(ref, known)
      if (!(await anew.give(ref, known, changes.value)))
        return failed(
          'rejected',
          'The instance has files of its own where the volume would be, and would not see them. Move them, or rename the volume.',
        )
      await volumes?.leave(known)
      const found = await find(ref)
      return found ? await runNow(ref, found) : lost()
    } finally {
      volumes?.begun(ref)
    }
  }

  async function runNow(ref: Ref, found: ContainerInspectInfo): Promise<Answer<Observation>> {
    await volumes?.own(found)
    if (!(await networks.rejoin(found)))
      return failed('no_capacity', 'The host has no network left for another machine.')
    const before = (await runs.observe(ref, found.Id, found.State)).run?.id
    const given = await runs.givenTo(ref)
    // The next `create` tells it again.
    if (!given && !isOlder(found.Config)) return failed('transient', 'The machine could not be started.')
    await runs.begin(ref, 'run', found.State)
    // Is needed as soon as it runs, and kept for a moment.
    void options.engineTime().catch(() => {})
    const input = await beginContainer(engine, found.Id, given ? runInput(given) : olderInput('run')).catch(
      refusalOf,
    )
    if ('kind' in input) return input
    input.end()
    const until = performance.now() + upMs
    for (;;) {
      const now = await find(ref)
      if (!now) return lost()
      const seen = await runs.observe(ref, now.Id, now.State)
      // Whoever starts it sees it run, however soon its main program ends.
      if (seen.run && seen.run.id !== before)
        return done({ ...seen, state: 'running', run: { ...seen.run, end: null } })
      if (performance.now() > until) return failed('transient', 'The machine could not be started.')
      await sleep(20)
    }
  }

  async function stop(ref: Ref): Promise<Answer> {
    const found = await find(ref)
    if (!found) return lost()
    if (!underway.has(ref) && (await observed(ref, found)).state === 'stopped') return done()
    return single(ref, 'stop', async () => {
      await runs.ask(ref)
      const seconds = Math.ceil(options.stopGraceMs / 1_000)
      await unlessMissing(patient.getContainer(found.Id).stop({ t: seconds })).catch(unlessDone)
      const seen = await observe(ref)
      if (seen.state === 'running' || seen.state === 'stopping') return notYet(retryMs)
      await volumes?.ended(found)
      return done()
    })
  }

  async function destroy(ref: Ref): Promise<Answer> {
    const found = await find(ref)
    if (!found && !underway.has(ref)) {
      await records.remove(ref)
      return done()
    }
    return single(ref, 'destroy', async () => {
      stoppedFiles.drop(ref)
      const container = patient.getContainer(names.container(ref))
      // What the engine is removing already it refuses to remove.
      await unlessMissing(container.remove({ force: true, v: true })).catch(unlessConflict)
      if (await find(ref)) return notYet(retryMs)
      if (found) {
        await anew.leave(ref, found)
        await volumes?.leave(found)
        await volumes?.ended(found)
      }
      await records.remove(ref)
      await networks.sweep()
      return done()
    })
  }

  return {
    find,
    observe,
    observed,
    create,
    start,
    stop,
    destroy,
    /** Has a stopped machine's container run for its files alone, until nobody looks at them or this process ends. */
    beginFiles: (ref: Ref): Promise<Answer<string>> => single(ref, 'files', () => stoppedFiles.begin(ref)),
    /** Nobody looks at them any more. */
    leaveFiles: (ref: Ref) =>
      single(ref, 'leave files', async () => {
        await stoppedFiles.end(ref)
        return done()
      }),
    /** Lets go of everything; containers that run only for their files end. */
    close: stoppedFiles.close,
  }
}

const idsOf = (requests: readonly DeviceRequest[]): string =>
  requests
    .flatMap(({ DeviceIDs }) => DeviceIDs ?? [])
    .toSorted()
    .join()

/** What the engine refuses in a way that trying again does not change. */
function refusalOf(error: unknown): Answer<never> {
  if (/could not select device driver|unknown or invalid runtime/i.test(complaintOf(error)))
    return failed('denied', 'This host has no runtime for GPUs.')
  throw error
}

/** Null: it takes longer. */
async function waitedFor<T>(answer: Promise<T>): Promise<T | null> {
  const late = new AbortController()
  const timeout = sleep(patienceMs, null, { signal: late.signal }).catch(() => null)
  try {
    return await Promise.race([answer, timeout])
  } finally {
    late.abort()
  }
}

/** 304: it has stopped already. */
function unlessDone(error: unknown): void {
  if (statusOf(error) !== 304) throw error
}

function unlessConflict(error: unknown): void {
  if (statusOf(error) !== 409) throw error
}
