/**
 * A machine that is up before anybody asks for it: an ordinary one, with a uid of its own and the least limits, that is
 * nobody's. A deploy takes it, once: it gets its files, its limits and its host name, and becomes the machine by the
 * rename of its folder. Whoever is killed before that leaves a spare, which ends with the launcher when nobody has
 * taken it, and which the next sweep removes; whoever is killed after it leaves a machine that waits for its start.
 *
 * It is made while nobody waits and only where memory is plenty. Without one a machine is started as ever.
 */
import type { MachineSpec } from '../driver.ts'
import { roomInMemory, spareLimits } from './capacity.ts'
import type { Cgroups, GroupLimits } from './cgroups.ts'
import type { Launched } from './launch/launch.ts'
import { makeDisk } from './machine-disk.ts'
import { hostnameOf, writeMachineFiles, writeSpareFiles } from './machine-files.ts'
import type { Life } from './machine-life.ts'
import type { MachineRecord, MachineStore } from './machine-store.ts'
import { identify, isAlive } from './processes.ts'
import { withinMs } from './trees.ts'

export interface SpareOptions {
  readonly store: MachineStore
  readonly cgroups: Cgroups
  readonly life: Life
  /** How many there are; 0 where machines can't be made like this. */
  readonly most: number
  readonly processes: number
  /** Whether another machine may be started. */
  readonly hasRoom: () => boolean
  readonly limitsOf: (record: MachineRecord) => GroupLimits
  /** A uid that nobody has; null where all have ours. */
  readonly claimUid: (owner: string) => Promise<number | null>
  readonly log: (message: string) => void
}

export type Spares = ReturnType<typeof createSpares>

interface Spare {
  readonly id: string
  readonly uid: number | null
  readonly launched: Launched
}

/** After a machine was asked for, for as long nothing is made in reserve. */
const idleMs = 500
const checkMs = 5_000
/** A host on which none comes up is not asked for one all the time. */
const failedMs = 60_000
/** Machines that the host's memory must have room for beside. */
const reserve = 3
const nameMs = 1_000

/** Those of all drivers of this process that are being made, are ready or are being given away. */
const inUse = new Set<string>()

export function createSpares({ store, cgroups, life, most, log, ...options }: SpareOptions) {
  const ready: Spare[] = []
  let isClosed = most === 0
  let isMaking = false
  let timer: NodeJS.Timeout | undefined

  function later(ms: number): void {
    clearTimeout(timer)
    if (!isClosed) timer = setTimeout(() => void work(), ms).unref()
  }

  async function work(): Promise<void> {
    if (isMaking) return later(idleMs)
    isMaking = true
    try {
      await sweep()
      const isPlenty = options.hasRoom() && roomInMemory() > reserve
      if (!isPlenty) await Promise.all(ready.splice(0).map(({ id }) => discard(id)))
      while (isPlenty && !isClosed && ready.length < most) await make()
      isMaking = false
      later(checkMs)
    } catch (error) {
      log(`no spare could be made: ${String(error)}`)
      isMaking = false
      later(failedMs)
    }
  }

  async function make(): Promise<void> {
    const id = store.addSpare(identify(process.pid)!)
    inUse.add(id)
    try {
      const uid = await options.claimUid(id)
      makeDisk(store.folder(id), uid)
      writeSpareFiles(store.path(id, 'inside'), uid)
      const launched = await life.startSpare(id, uid, spareLimits(options.processes))
      if (isClosed) await discard(id)
      else ready.push({ id, uid, launched })
    } catch (error) {
      await discard(id)
      throw error
    }
  }

  /** Ends it and removes it. What does not end now is swept later. */
  async function discard(id: string): Promise<void> {
    inUse.delete(id)
    try {
      if (await life.endNow(id)) await store.discardSpare(id)
    } catch (error) {
      // Somebody else may have been faster.
      if (store.spares().includes(id)) log(`a spare could not be removed: ${String(error)}`)
    }
  }

  /** Removes spares of which nobody is left who could give them to anybody, or which have ended. */
  async function sweep(): Promise<void> {
    for (const id of store.spares()) {
      const at = ready.findIndex(spare => spare.id === id)
      const madeBy = store.madeBy(id)
      const isOthers = madeBy.pid !== process.pid && isAlive(madeBy)
      if (at !== -1 && !life.isHeld(id)) ready.splice(at, 1)
      else if (inUse.has(id) || isOthers) continue
      await discard(id)
    }
    // Whoever discarded one may have been killed before all of it was gone.
    await store.clearSpares()
  }

  /** Makes a spare into this machine. False when there is none, or it could not: then nothing has changed. */
  async function become(id: string, spec: MachineSpec): Promise<boolean> {
    later(idleMs)
    const spare = ready.pop()
    if (!spare) return false
    try {
      if (!life.isHeld(spare.id)) throw new Error('it has ended')
      const record = { spec, uid: spare.uid, createdAt: new Date().toISOString() }
      const told = spare.launched.name(id, hostnameOf(spec.name))
      const named = withinMs(
        told.then(
          () => true,
          () => false,
        ),
        nameMs,
      )
      writeMachineFiles(store.path(spare.id, 'inside'), spec, spare.uid)
      cgroups.raise(life.groupOf(spare.id), options.limitsOf(record))
      if (!(await named)) throw new Error('it was not given a name')
      store.adopt(spare.id, id, record)
      inUse.delete(spare.id)
      return true
    } catch (error) {
      log(`a spare could not be used: ${String(error)}`)
      void discard(spare.id)
      return false
    }
  }

  later(idleMs)
  return {
    become,
    /** Whoever waits goes first. */
    asked: () => later(idleMs),
    sweep,
    async close(): Promise<void> {
      isClosed = true
      clearTimeout(timer)
      await Promise.all(ready.splice(0).map(({ id }) => discard(id)))
    },
  }
}
