/**
 * One machine's coming up and going down, in steps that may each be the last before this process is killed. What runs
 * is never remembered but looked at: a start first notes that something may run, then the launcher, which does nothing
 * before that, then what came up. Calls for one machine must come one after the other; only `look` may come at any time.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { type Answer, done, failed, type MachineState, notYet, type Observation } from '../driver.ts'
import type { Cgroups, GroupLimits } from './cgroups.ts'
import { hostnameOf, writeMachineFiles } from './machine-files.ts'
import { launch, type Launched } from './launch/launch.ts'
import { renewTmp } from './machine-disk.ts'
import { bootMs, endOf, runName, runOf } from './machine-run.ts'
import type { MachineProcess, MachineRecord, MachineStore } from './machine-store.ts'
import { type Bind, type GivenVolume, keeperCommand, machineView } from './machine-view.ts'
import type { Method } from './probes.ts'
import { bootId, findInit, firstOfNamespace, identify, isAlive, kill, killLaunch } from './processes.ts'
import type { Runtime } from './runtime.ts'
import type { MachineVolumes } from './volumes/in-machines.ts'
import { ask } from './wire/contact.ts'
import { keeperVersion } from './wire/frames.ts'

export interface LifeOptions {
  readonly store: MachineStore
  readonly cgroups: Cgroups
  readonly runtime: Runtime
  /** How machines are made here; null: they can't be. */
  readonly method: Method | null
  /** At a stop, programs are asked to end and have this long. */
  readonly stopGraceMs: number
  readonly limitsOf: (record: MachineRecord) => GroupLimits
  /** The nodes of its cards; null: they are not there. */
  readonly devicesOf: (record: MachineRecord) => readonly Bind[] | null
  /** What a start mounts of a volume, and what its keeper is told of that; `begun` follows. */
  readonly volumes: Pick<MachineVolumes, 'links' | 'begun' | 'cleared'> & {
    readonly provide: (id: string, record: MachineRecord) => Promise<Answer<GivenVolume | null>>
  }
  /** Asked right before a start. */
  readonly hasRoom: () => boolean
  readonly log: (message: string) => void
}

export type Life = ReturnType<typeof createLife>

/** How long a call looks on before it answers "not yet". */
const lookMs = 1_500
const pollMs = 5
/** Between a start's first note and its process: longer than any start takes to get there. */
const launchMs = 5_000
/** A start that has not come up by then is done again. */
const stuckMs = 30_000
/** Time for the keeper to notice that everything has ended, after the grace. */
const keeperMs = 300
/** A keeper that is up answers at once. */
const beginMs = 1_000
/** Time for the watcher to write down how a run ended. */
const watcherMs = 200

/** Folders of machines that this process starts at this moment, so that all drivers on a folder see it. */
const launching = new Set<string>()

export function createLife({ store, cgroups, runtime, method, log, ...options }: LifeOptions) {
  const boot = bootId()

  /** What was noted since the host started and has not ended: a process of before is another one by now. */
  function notedNow(id: string): MachineProcess | null {
    const noted = store.process(id)
    return noted?.bootId === boot && !noted.end ? noted : null
  }

  /** It came up as a spare, has become this machine, and waits for its start. */
  function heldNow(id: string): MachineProcess | null {
    const noted = notedNow(id)
    return noted?.isHeld && noted.init && isAlive(noted.init) ? noted : null
  }

  const isHeld = (id: string): boolean => heldNow(id) !== null
  const look = (id: string): MachineState => (isHeld(id) ? 'stopped' : processesOf(id))
  const groupOf = (id: string): string => store.process(id)?.group ?? id
  const membersOf = (id: string) => cgroups.members(groupOf(id))
  const removeGroups = (id: string): boolean => cgroups.remove(groupOf(id))

  /** The state of what runs, whoever it is for. */
  function processesOf(id: string): MachineState {
    const noted = notedNow(id)
    if (!noted) return 'stopped'
    if (noted.init) return !isAlive(noted.init) ? 'stopped' : noted.stopBy === null ? 'running' : 'stopping'
    const isLaunching =
      launching.has(store.folder(id)) ||
      (noted.startedBy.pid !== process.pid &&
        isAlive(noted.startedBy) &&
        Date.now() - noted.startedAt < launchMs)
    const isUp = isLaunching || (noted.launcher && isAlive(noted.launcher)) || membersOf(id).length > 0
    return isUp ? 'starting' : 'stopped'
  }

  /** What there is, and what is known of its run. */
  async function observe(id: string): Promise<Observation> {
    if (isHeld(id)) return glance(id)
    const found = await lookAgain(id)
    if (found === 'stopped') await watched(id)
    return known(id, found)
  }

  /** The same without asking a machine or waiting for its watcher. */
  const glance = (id: string): Observation => known(id, look(id))

  function known(id: string, found: MachineState): Observation {
    const noted = store.process(id)
    const state = found === 'stopped' && isWatched(id) && !noted?.isHeld ? 'stopping' : found
    const run = noted && !noted.isHeld && runOf(noted, state !== 'stopped', store.folder(id))
    return { state, publicIp: null, at: bootMs(), run: run || null }
  }

  const isWatched = (id: string) => {
    const launcher = notedNow(id)?.launcher
    return launcher != null && isAlive(launcher)
  }

  /** The end of a run was noted, or will not be. */
  async function watched(id: string): Promise<void> {
    const until = performance.now() + watcherMs
    while (isWatched(id) && performance.now() < until) await sleep(pollMs)
  }

  /** Looks again, and asks a machine that was starting whether it is up. */
  async function lookAgain(id: string, patienceMs = 200): Promise<MachineState> {
    const state = processesOf(id)
    if (state === 'stopped') leaveGroups(id)
    if (state !== 'starting') return state
    const contact = await ask(store.folder(id), { kind: 'hello' }, patienceMs)
    contact?.socket.destroy()
    return contact?.reply.ok ? noteInit(id) : processesOf(id)
  }

  /** A machine that was lost has nobody else to take its groups away. The kernel keeps them until the last has gone. */
  function leaveGroups(id: string): void {
    if (removeGroups(id)) return
    setTimeout(() => {
      try {
        if (processesOf(id) === 'stopped') removeGroups(id)
      } catch (error) {
        log(`machine ${id} could not be looked at: ${String(error)}`)
      }
    }, lookMs).unref()
  }

  function noteInit(id: string): MachineState {
    const noted = store.process(id)
    if (!noted) return 'stopped'
    const { launcher } = noted
    const init = (launcher && isAlive(launcher) && findInit(launcher.pid)) || firstOfNamespace(membersOf(id))
    if (init) store.writeProcess(id, { ...noted, init })
    return processesOf(id)
  }

  async function start(id: string, record: MachineRecord): Promise<Answer<Observation>> {
    if (!method)
      return failed('denied', 'This region can’t isolate machines from its host, so it starts none.')
    if (isHeld(id)) {
      if (await beginHeld(id)) return done(await observe(id))
      if (!(await endNow(id))) return notYet(100)
    }
    const state = await lookAgain(id)
    if (state === 'running') return done(await observe(id))
    if (state !== 'stopped' && !(isStuck(id) && (await endNow(id)))) return notYet(100)
    const volume = await options.volumes.provide(id, record)
    if (volume.kind !== 'done') return volume
    try {
      return await startNow(id, record, volume.value)
    } finally {
      options.volumes.begun(id)
    }
  }

  async function startNow(
    id: string,
    record: MachineRecord,
    volume: GivenVolume | null,
  ): Promise<Answer<Observation>> {
    // Nothing else of this process runs between this and the mark.
    if (!options.hasRoom()) return failed('no_capacity', 'No machine is free in this region right now.')
    const devices = options.devicesOf(record)
    if (!devices) return failed('transient', 'A card of this instance can’t be used right now.')
    const folder = store.folder(id)
    launching.add(folder)
    let launched: Launched
    try {
      launched = await begin(id, record, devices, volume)
    } catch (error) {
      store.clearProcess(id)
      log(`machine ${id} could not be started: ${String(error)}`)
      return failed('transient', 'The machine could not be started.')
    } finally {
      launching.delete(folder)
    }
    const answer = await whenUp(id, launched)
    if (answer.kind === 'done') options.volumes.cleared(id)
    return answer
  }

  /** Whoever started or stopped it has not finished, and nobody will. */
  function isStuck(id: string): boolean {
    const noted = store.process(id)
    return noted !== null && Date.now() > (noted.stopBy ?? noted.startedAt + stuckMs)
  }

  function begin(
    id: string,
    record: MachineRecord,
    devices: readonly Bind[],
    volume: GivenVolume | null,
  ): Promise<Launched> {
    renewTmp(store.folder(id), record.uid, path => store.discardPart(id, path))
    writeMachineFiles(store.path(id, 'inside'), record.spec, record.uid, options.volumes.links(id))
    return launchNoted(id, {
      hostname: hostnameOf(record.spec.name),
      uid: record.uid,
      limits: options.limitsOf(record),
      devices,
      volume,
    })
  }

  interface Beginning {
    readonly hostname: string
    readonly uid: number | null
    readonly limits: GroupLimits
    readonly devices: readonly Bind[]
    readonly volume?: GivenVolume | null
    /** It is a spare, and this is its group. */
    readonly spareGroup?: string
  }

  function launchNoted(
    id: string,
    { hostname, uid, limits, devices, volume = null, spareGroup }: Beginning,
  ): Promise<Launched> {
    const folder = store.folder(id)
    const note = {
      bootId: boot,
      runtime: runtime.id,
      keeper: keeperVersion,
      startedAt: Date.now(),
      startedBy: identify(process.pid)!,
      stopBy: null,
      design: method!.design,
      ...(spareGroup ? { group: spareGroup, isHeld: true as const } : {}),
    }
    store.writeProcess(id, { ...note, launcher: null, init: null })
    const machine = {
      ...method!,
      folder,
      view: machineView(hostname, folder, runtime.folder, devices, volume),
      mark: spareGroup ?? id,
      run: runName(note),
      uid,
      isSpare: spareGroup !== undefined,
      groupFiles: cgroups.prepare(spareGroup ?? id, limits),
      filter: method!.hasFilter ? runtime.filter : null,
      socket: 'keeper.sock' as const,
      command: keeperCommand,
    }
    return launch(machine, pid => {
      const launcher = pid === undefined ? null : identify(pid)
      store.writeProcess(id, { ...note, launcher, init: null })
    })
  }

  /** Brings up a machine that is nobody's yet, in the folder of a spare. */
  async function startSpare(id: string, uid: number | null, limits: GroupLimits): Promise<Launched> {
    const launched = await launchNoted(id, {
      hostname: 'spare',
      uid,
      limits,
      devices: [],
      spareGroup: id.slice(1),
    })
    const { kind } = await whenUp(id, launched)
    if (kind !== 'done') throw new Error('it did not come up')
    return launched
  }

  /** False when it can't be begun: it has ended. Until it is noted it may be begun again. */
  async function beginHeld(id: string): Promise<boolean> {
    const contact = await ask(store.folder(id), { kind: 'begin' }, beginMs)
    contact?.socket.destroy()
    const noted = heldNow(id)
    if (!noted || !contact?.reply.ok) return false
    const { isHeld: _, ...begun } = noted
    store.writeProcess(id, { ...begun, beganAt: bootMs() })
    return true
  }

  async function whenUp(id: string, launched: Launched): Promise<Answer<Observation>> {
    const state = await Promise.race([lookAgain(id, lookMs), launched.ended.then(() => 'stopped' as const)])
    if (state === 'running') {
      launched.hush()
      return done(await observe(id))
    }
    if (state === 'starting') return notYet(100)
    await end(id)
    log(`machine ${id} did not come up: ${await launched.complaint()}`)
    return failed('transient', 'The machine could not be started.')
  }

  async function stop(id: string): Promise<Answer> {
    if (isHeld(id)) return (await endNow(id)) ? done() : notYet(100)
    const noted = store.process(id)
    if (noted?.init && look(id) === 'running') {
      const { stopGraceMs: graceMs } = options
      // Without the note nobody would wait for its grace: it is ended at once.
      if (note(id, { ...noted, stopBy: Date.now() + graceMs + keeperMs })) {
        const contact = await ask(store.folder(id), { kind: 'hangup', graceMs }, keeperMs)
        contact?.socket.destroy()
        if (!contact) note(id, { ...noted, stopBy: 0 })
      }
    }
    return (await end(id)) ? done() : notYet(100)
  }

  /** False when the disk refuses it: a tenant may have filled it, and must not outlive a stop by that. */
  function note(id: string, process: MachineProcess): boolean {
    try {
      store.writeProcess(id, process)
      return true
    } catch (error) {
      log(`machine ${id} could not be noted: ${String(error)}`)
      return false
    }
  }

  /** Ends everything at once. */
  function endNow(id: string): Promise<boolean> {
    const noted = store.process(id)
    if (noted && !noted.end) note(id, { ...noted, stopBy: 0 })
    return end(id)
  }

  /** Kills what is left once its grace is over. True when nothing is left, its groups included. */
  async function end(id: string): Promise<boolean> {
    const until = performance.now() + lookMs
    for (;;) {
      const isGone = processesOf(id) === 'stopped'
      if (isGone) await watched(id)
      if (isGone && !isWatched(id) && removeGroups(id)) break
      if (performance.now() > until) return false
      if (isGone || Date.now() >= (store.process(id)?.stopBy ?? 0)) killAll(id)
      await sleep(pollMs)
    }
    const noted = store.process(id)
    // A run that came up is remembered until the next: somebody may still ask how it ended.
    const ended = noted?.init &&
      !noted.isHeld && { ...noted, launcher: null, end: { ...endedNow(id, noted) } }
    if (!ended || !note(id, ended)) store.clearProcess(id)
    return true
  }

  function endedNow(id: string, noted: MachineProcess) {
    const end = endOf(noted, store.folder(id))
    return end.cause === 'asked' ? { ...end, at: end.at ?? bootMs() } : end
  }

  function killAll(id: string): void {
    const { init = null, launcher = null } = notedNow(id) ?? {}
    // The first process takes all others of its namespace with it; its launcher then ends by itself.
    if (init && isAlive(init)) kill(init)
    else if (launcher && isAlive(launcher)) (init ? kill : killLaunch)(launcher)
    else for (const member of membersOf(id).map(identify)) if (member) kill(member)
  }

  return { look, isHeld, groupOf, observe, glance, start, startSpare, stop, endNow }
}
