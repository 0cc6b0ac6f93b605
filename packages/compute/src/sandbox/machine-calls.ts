/**
 * The contract's calls, each for one machine at a time. A call that goes wrong in a way nobody foresaw is an answer
 * too, `transient`, and a line in the log.
 */
import { setImmediate as eventLoop } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import {
  type Answer,
  type Capabilities,
  done,
  type Driver,
  failed,
  type Host,
  type Listed,
  type MachineSpec,
  notYet,
  type Observation,
  type Ref,
  type Stats,
  type TerminalSize,
  type TerminalStream,
} from '../driver.ts'
import { refusedMount } from '../checks.ts'
import type { StoringDriver } from '../volumes.ts'
import type { SandboxVolumes } from './volumes/open.ts'
import { hostOf, limitsOf } from './capacity.ts'
import type { HostCards } from './cards.ts'
import type { Cgroups } from './cgroups.ts'
import type { DiskSpace } from './disk-space.ts'
import { makeDisk } from './machine-disk.ts'
import type { Life } from './machine-life.ts'
import { bootMs } from './machine-run.ts'
import { cardsOf, type MachineRecord, type MachineStore } from './machine-store.ts'
import { diskFolders } from './machine-view.ts'
import { cpuMsBelow } from './processes.ts'
import type { Runtime } from './runtime.ts'
import type { Spares } from './spares.ts'
import type { TenantUids } from './tenant-uids.ts'
import { channelCalls } from './channel-calls.ts'
import { type Clerks, machineHome } from './clerk.ts'
import { createFileCalls } from './file-calls.ts'
import { machineChannels } from './machine-channels.ts'
import { refusals } from './agreed.ts'
import { ask } from './wire/contact.ts'
import { clamped, terminalStream } from './wire/terminal-stream.ts'
import { ownTrees, withinMs } from './trees.ts'
import { createTurns } from './turns.ts'

/** Machines between which everything else goes on: a millisecond or two. */
const listedAtOnce = 16
const attachMs = 3_000
const removeMs = 2_000
const ownMs = 2_000
/** A deploy starts what it has created at once. */
const heldMs = 30_000
const maxTerminalId = 200
const maxTenant = 200
/** Of all terminals of one machine: each costs the control plane memory. */
const maxViewers = 64

export interface Parts {
  readonly store: MachineStore
  readonly cgroups: Cgroups
  readonly life: Life
  readonly clerks: Clerks
  readonly runtime: Runtime
  /** Null: they are simulated. */
  readonly cards: HostCards | null
  readonly spares: Spares
  readonly uids: TenantUids
  readonly isOffered: boolean
  /** How many machines run, and how many more may. */
  readonly room: () => { readonly running: number; readonly free: number }
  readonly space: DiskSpace
  readonly volumes: SandboxVolumes
  readonly log: (message: string) => void
}

const gone = (): Observation => ({ state: 'gone', publicIp: null, at: bootMs(), run: null })
const lost = () => failed('lost', 'The machine is gone.')
export const capabilitiesOf = (limits: Cgroups['limits'], hasCards: boolean): Capabilities => ({
  hardware: hasCards ? 'real' : 'simulated',
  shell: 'real',
  images: false,
  enforces: {
    cpu: limits.has('cpu'),
    memory: limits.has('memory'),
    processes: limits.has('pids'),
    disk: false,
  },
  // Nothing holds a disk to its size, there is no network, and a simulated card does nothing.
  measures: { processor: true, memory: limits.has('memory'), disk: false, network: false, cards: hasCards },
})

type Calls = Omit<Driver, 'name' | 'probes' | 'capabilities'> & Pick<StoringDriver, 'volumes'>

export function machineCalls({
  store,
  cgroups,
  life,
  clerks,
  runtime,
  cards,
  spares,
  uids,
  isOffered,
  room,
  space,
  volumes,
  log,
}: Parts): Calls {
  const inTurn = createTurns()
  const viewers = new Map<TerminalStream, Ref>()

  /** One call at a time for each machine. */
  const inOrder = <T>(ref: Ref, act: () => Promise<Answer<T>>): Promise<Answer<T>> =>
    inTurn(ref, act).catch(error => unforeseen(ref, error))

  /** Acts only on a machine that exists. */
  const withMachine = <T>(ref: Ref, act: (record: MachineRecord) => Promise<Answer<T>>): Promise<Answer<T>> =>
    inOrder(ref, async () => {
      const record = store.record(ref)
      return record ? act(record) : lost()
    })

  function unforeseen(ref: Ref | null, error: unknown): Answer<never> {
    log(`${ref === null ? 'machines' : `machine ${ref.slice(0, 64)}`}: ${String(error)}`)
    return failed('transient', 'The host can’t do this right now.')
  }

  async function create(spec: MachineSpec, key: string): Promise<Answer<Ref>> {
    if (!spec.tenant || Buffer.byteLength(spec.tenant) > maxTenant || /[\0/]/.test(spec.tenant))
      return failed('rejected', 'This machine’s owner can’t be used here.')
    if (!store.isId(key)) return failed('rejected', 'This machine’s id can’t be used here.')
    const refused = spec.volume && refusedMount(spec.volume)
    if (refused) return refused
    const known = store.record(key)
    if (known) {
      if (isDeepStrictEqual(known.spec, spec)) return done(key)
      // A new name or size counts from the next start: one that waits for it is up with the old.
      if (life.isHeld(key) && !(await life.endNow(key))) return notYet(100)
      store.writeRecord(key, { ...known, spec })
      return done(key)
    }
    if (!isOffered) return failed('denied', 'This region can’t isolate machines from its host.')
    if (room().free === 0) return failed('no_capacity', 'No machine is free in this region right now.')
    // One with cards of its own, or a volume, gets them when it is launched.
    if (cardsOf(spec).length === 0 && !spec.volume && (await spares.become(key, spec))) {
      expire(key)
      return done(key)
    }
    const uid = await uids.of(spec.tenant)
    const record = { spec, uid, createdAt: new Date().toISOString() }
    store.add(key, record, folder => makeDisk(folder, uid))
    return done(key)
  }

  /** One that is not started soon is an ordinary stopped machine from then on. */
  function expire(ref: Ref): void {
    setTimeout(() => {
      void inOrder(ref, async () => (life.isHeld(ref) && !(await life.endNow(ref)) ? notYet(100) : done()))
    }, heldMs).unref()
  }

  async function start(ref: Ref, record: MachineRecord): Promise<Answer<Observation>> {
    spares.asked()
    const isCold = life.look(ref) === 'stopped' && !life.isHeld(ref)
    const uid = isCold ? await uids.of(record.spec.tenant) : record.uid
    if (uid === record.uid || uid === null) return life.start(ref, record)
    // It was made when each machine had a uid of its own.
    if (!(await clerks.end(machineHome(store, ref)))) return notYet(100)
    const folders = Object.keys(diskFolders).map(name => store.path(ref, `disk/${name}`))
    if (!(await withinMs(ownTrees(folders, uid), ownMs))) return notYet(500)
    const owned = { ...record, uid }
    store.writeRecord(ref, owned)
    store.releaseUid(record.uid)
    return life.start(ref, owned)
  }

  async function destroy(ref: Ref): Promise<Answer> {
    if (!store.isId(ref)) return done()
    const record = store.record(ref)
    if (record && !(await life.endNow(ref))) return notYet(100)
    if (record && !(await clerks.end(machineHome(store, ref)))) return notYet(100)
    cgroups.remove(life.groupOf(ref))
    store.discard(ref)
    return (await store.discarded(ref, removeMs)) ? done() : notYet(500)
  }

  async function observe(ref: Ref): Promise<Answer<Observation>> {
    return done(store.record(ref) ? await life.observe(ref) : gone())
  }

  async function list(): Promise<Answer<readonly Listed[]>> {
    const listed: Listed[] = []
    for (const ref of store.ids()) {
      const record = store.record(ref)
      const seen = record ? life.glance(ref) : gone()
      listed.push({ ref, instanceId: record?.spec.instanceId ?? ref, ...seen })
      if (listed.length % listedAtOnce === 0) await eventLoop()
    }
    return done(listed)
  }

  async function attach(ref: Ref, terminalId: string, size: TerminalSize): Promise<Answer<TerminalStream>> {
    const record = store.record(ref)
    if (!record) return lost()
    if (terminalId.length > maxTerminalId) return failed('rejected', 'This terminal’s id is too long.')
    const state = life.look(ref)
    if (state !== 'running' && state !== 'starting') return failed('rejected', 'The instance is not running.')
    const contact = await ask(store.folder(ref), { kind: 'attach', terminalId, ...clamped(size) }, attachMs)
    if (!contact)
      return life.look(ref) === 'starting'
        ? notYet(200)
        : failed('transient', 'The instance’s terminal does not answer.')
    if (!contact.reply.ok) return refusals[contact.reply.error]
    if (
      viewers
        .values()
        .filter(viewed => viewed === ref)
        .toArray().length >= maxViewers
    ) {
      contact.socket.destroy()
      return refusals.too_many_terminals
    }
    const stream = terminalStream(contact)
    viewers.set(stream, ref)
    stream.once('close', () => viewers.delete(stream))
    return done(stream)
  }

  async function cpuTime(ref: Ref): Promise<Answer<number>> {
    const record = store.record(ref)
    if (!record) return lost()
    const init = store.process(ref)?.init
    const isRunning = init && life.look(ref) === 'running'
    const ms = isRunning ? await cpuMsBelow(init, cgroups.cpuMs(life.groupOf(ref))) : null
    return ms === null ? failed('rejected', 'The instance is not running.') : done(ms)
  }

  async function stats(ref: Ref): Promise<Answer<Stats>> {
    const record = store.record(ref)
    if (!record) return lost()
    const worked = await cpuTime(ref)
    if (worked.kind !== 'done') return worked
    const { cpuCores, memoryBytes: limitBytes } = limitsOf(record.spec, 0)
    const usedBytes = cgroups.memoryBytes(life.groupOf(ref))
    return done({
      processor: { usedMs: worked.value, cores: cpuCores },
      memory: usedBytes === null ? null : { usedBytes, limitBytes },
      disk: null,
      network: null,
      cards: (await cards?.stats(cardsOf(record.spec))) ?? [],
    })
  }

  async function inventory(): Promise<Answer<readonly Host[]>> {
    if (!isOffered) return done([])
    const found = cards ? await cards.list() : null
    // It says nothing of machines that have theirs already.
    if (cards && !found) return failed('transient', 'The host can’t tell of its cards right now.')
    return done([hostOf(room(), await space.bytes(), found)])
  }

  for (const ref of store.ids()) if (life.isHeld(ref)) expire(ref)
  const channels = machineChannels({ store, life, clerks, runtime, withMachine })
  const { exec, connect, logs } = channelCalls(channels)
  const files = createFileCalls((ref, call) =>
    channels.always(ref, { kind: 'files', call }).catch(error => unforeseen(ref, error)),
  )

  let closed: Promise<void> | null = null
  async function close(): Promise<void> {
    for (const stream of viewers.keys()) stream.destroy()
    channels.close()
    space.close()
    await spares.close()
    await volumes.close()
  }

  return {
    volumes: volumes.storeFor({ withMachine, exec, log }),
    inventory: () => inventory().catch(error => unforeseen(null, error)),
    create: (spec, key) => inOrder(key, () => create(spec, key)),
    observe: ref => observe(ref).catch(error => unforeseen(ref, error)),
    start: ref => withMachine(ref, record => start(ref, record)),
    stop: ref => withMachine(ref, () => volumes.after(ref, () => life.stop(ref))),
    destroy: ref => inOrder(ref, () => volumes.after(ref, () => destroy(ref))),
    attach: (ref, terminalId, size) => attach(ref, terminalId, size).catch(error => unforeseen(ref, error)),
    exec: (ref, command) => exec(ref, command).catch(error => unforeseen(ref, error)),
    connect: (ref, port) => connect(ref, port).catch(error => unforeseen(ref, error)),
    logs: (ref, options) => logs(ref, options).catch(error => unforeseen(ref, error)),
    stats: ref => stats(ref).catch(error => unforeseen(ref, error)),
    files,
    cpuTime: ref => cpuTime(ref).catch(error => unforeseen(ref, error)),
    list: () => list().catch(error => unforeseen(null, error)),
    close: () => (closed ??= close()),
  }
}
