/**
 * Machines on disk: the only memory that the driver has. A machine exists from the rename that puts its finished folder
 * in place until the rename that throws it away, so whoever is killed in between leaves either all of it or a scrap
 * that `sweep` and `discard` know. Files are replaced whole.
 *
 *   machines/<instance id>/   record.json      what it is
 *                             process.json     what runs, was being started, or ran last
 *                             ended            how that run ended: written by its watcher
 *                             keeper.sock      where its keeper listens; outside the sandbox
 *                             clerk.sock       the same of its clerk, while it is stopped
 *                             clerk/<run>/     who that is, and what its launcher needs
 *                             inside/          what it is told about itself; bound read-only
 *                             disk/            bound writable: the customer's own, untrusted; never written by us again
 *   machines/.spare-…/        the same of one that is nobody's yet; its name says which process made it
 *   uids/<uid> -> <tenant>                     who holds a uid; a link is claimed by being made. Older ones name a machine
 *   trash/                                     on its way out; also where designs are tried
 */
import { randomUUID } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import type { MachineSpec } from '../driver.ts'
import type { RunEnd } from '../driver.ts'
import { type ProcessIdentity, refuseShortage } from './processes.ts'
import { removeTree, withinMs } from './trees.ts'

export interface MachineRecord {
  readonly spec: MachineSpec
  /** The host's uid and gid of everything in it; null: that of the control plane. */
  readonly uid: number | null
  readonly createdAt: string
}

export interface MachineProcess {
  readonly bootId: string
  readonly runtime: string
  /** What its keeper understands: `keeperVersion` when it was started; absent: 1. */
  readonly keeper?: number
  readonly startedAt: number
  /** The control plane that started it. */
  readonly startedBy: ProcessIdentity
  /** On the host. Null until there is one. */
  readonly launcher: ProcessIdentity | null
  /** The machine's first process. Null until it has come up. */
  readonly init: ProcessIdentity | null
  /** It was asked to end; from this time on it is made to. */
  readonly stopBy: number | null
  readonly design?: string
  /** The control group that it runs in; absent: the one with its own id. */
  readonly group?: string
  /** It is up and nobody has started it: for everybody else it is stopped. */
  readonly isHeld?: true
  /** When its run began, in ms since boot; absent: when its first process did. */
  readonly beganAt?: number
  /** All of it has ended. */
  readonly end?: RunEnd
}

/** One that was made before cards were named has none. */
export const cardsOf = ({ cards }: Pick<MachineSpec, 'cards'>): readonly string[] => cards ?? []

const idPattern = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/
/** No machine's id begins like this. */
const spareStart = '.spare-'
/** A scrap younger than this may be another control plane's work in progress. */
const scrapMs = 60_000

export type MachineStore = ReturnType<typeof openMachineStore>

/** `heldBeside`: uids that something other than a machine belongs to. */
export function openMachineStore(dir: string, heldBeside: () => readonly (number | null)[] = () => []) {
  const machines = join(dir, 'machines')
  const uids = join(dir, 'uids')
  const trash = join(dir, 'trash')
  for (const path of [machines, uids, trash]) makeFolder(path, 0o711)
  openFolder(dir)

  const folder = (id: string) => join(machines, id)
  const unfinished = (id: string) => join(machines, `.new-${id}`)
  const uidOwners = () => readdirSync(uids).map(uid => [uid, readLink(join(uids, uid))] as const)

  const spares = () => readdirSync(machines).filter(name => name.startsWith(spareStart))
  const ids = () => readdirSync(machines).filter(name => idPattern.test(name))
  const readRecord = (id: string) =>
    idPattern.test(id) ? readJson<MachineRecord>(join(folder(id), 'record.json')) : null

  function ownedUid(owner: string): number | null {
    const held = uidOwners().find(([, name]) => name === owner)
    return held ? Number(held[0]) : null
  }

  /** Gives a uid that is held to another owner. */
  function passUid(uid: number, owner: string): void {
    const link = join(trash, `uid.${randomUUID()}`)
    symlinkSync(owner, link)
    renameSync(link, join(uids, String(uid)))
  }

  /** Gives back those that no machine has any more. */
  function freeUids(candidates: readonly string[]): void {
    if (candidates.length === 0) return
    const held = new Set([...ids().map(id => readRecord(id)?.uid), ...heldBeside()].map(String))
    const isSpares = (uid: string) => spares().includes(readLink(join(uids, uid)) ?? '')
    for (const uid of candidates)
      if (!held.has(uid) && !isSpares(uid)) rmSync(join(uids, uid), { force: true })
  }

  /** What was discarded of spares goes, and first their uids are free: no tenant had any of it. */
  async function clearSpares(): Promise<void> {
    const left = readdirSync(trash).filter(name => name.startsWith(spareStart.slice(1)))
    freeUids(left.map(name => name.split('.')[1]!).filter(Boolean))
    await Promise.all(left.map(name => removeTree(join(trash, name))))
  }

  return {
    isId: (id: string): boolean => idPattern.test(id),
    folder,
    path: (id: string, name: string) => join(machines, id, name),

    ids,
    record: readRecord,

    writeRecord(id: string, record: MachineRecord): void {
      replaceFile(join(folder(id), 'record.json'), JSON.stringify(record), true)
    },

    process: (id: string): MachineProcess | null =>
      readJson<MachineProcess>(join(folder(id), 'process.json')),

    writeProcess(id: string, process: MachineProcess): void {
      replaceFile(join(folder(id), 'process.json'), JSON.stringify(process), false)
    },

    clearProcess(id: string): void {
      rmSync(join(folder(id), 'process.json'), { force: true })
    },

    /** The one that the tenant has. */
    uidOf: ownedUid,

    /** The first from `first` on that nobody holds and `isFree` accepts. */
    claimUid(tenant: string, first: number, isFree: (uid: number) => boolean): number {
      for (let uid = first; ; uid++) {
        const link = join(uids, String(uid))
        if (!isFree(uid) || readLink(link) !== null) continue
        try {
          symlinkSync(tenant, link)
          return uid
        } catch (error) {
          if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
        }
      }
    },

    /** It has no machine any more. */
    releaseUid(uid: number | null): void {
      if (uid !== null) freeUids([String(uid)])
    },

    /** Makes a machine in one step: `fill` writes into a folder that nobody sees until it is complete. */
    add(id: string, record: MachineRecord, fill: (folder: string) => void): void {
      const building = unfinished(id)
      rmSync(building, { recursive: true, force: true })
      makeFolder(building, 0o711)
      fill(building)
      writeFileSync(join(building, 'record.json'), JSON.stringify(record), { mode: 0o600, flush: true })
      renameSync(building, folder(id))
    },

    spares,

    /** An empty folder for a spare. */
    addSpare({ pid, startTime }: ProcessIdentity): string {
      const id = `${spareStart}${pid}-${startTime}-${randomUUID()}`
      makeFolder(folder(id), 0o711)
      return id
    },

    madeBy(spareId: string): ProcessIdentity {
      const [pid, startTime = ''] = spareId.slice(spareStart.length).split('-')
      return { pid: Number(pid), startTime }
    },

    /** A spare becomes this machine, in one step. Its uid becomes the tenant's, who has none, else the machine's own. */
    adopt(spareId: string, id: string, record: MachineRecord): void {
      replaceFile(join(folder(spareId), 'record.json'), JSON.stringify(record), true)
      const { tenant } = record.spec
      if (record.uid !== null) passUid(record.uid, ownedUid(tenant) === null ? tenant : id)
      renameSync(folder(spareId), folder(id))
    },

    /** Removes what is left of a spare, and frees its uid, which may have been passed on already. */
    async discardSpare(id: string): Promise<void> {
      const uid = ownedUid(id) ?? readJson<MachineRecord>(join(folder(id), 'record.json'))?.uid ?? ''
      renameSync(folder(id), join(trash, `${id.slice(1)}.${uid}.${randomUUID()}`))
      await clearSpares()
    },

    clearSpares,

    /** Takes it out of sight. Its files go with `discarded`. */
    discard(id: string): void {
      const uid = readRecord(id)?.uid ?? ''
      for (const path of [folder(id), unfinished(id)])
        if (existsSync(path)) renameSync(path, join(trash, `${id}.${uid}.${randomUUID()}`))
    },

    /** Moves a folder of the customer's out of the way and removes it in the background. */
    discardPart(id: string, path: string): void {
      const thrown = join(trash, `${id}..${randomUUID()}`)
      renameSync(path, thrown)
      void removeTree(thrown)
    },

    /** Starts removing what was discarded; true when nothing is left, and the uid is free again. */
    async discarded(id: string, patienceMs: number): Promise<boolean> {
      const left = readdirSync(trash).filter(name => name.startsWith(`${id}.`))
      const removals = Promise.all(left.map(name => removeTree(join(trash, name))))
      const removed = await withinMs(
        removals.then(results => results.every(Boolean)),
        patienceMs,
      )
      if (!removed) return false
      // Whoever removed the files may have been killed before the uid was free.
      const own = uidOwners().flatMap(([uid, owner]) => (owner === id ? [uid] : []))
      freeUids([...left.map(name => name.split('.')[1]!).filter(Boolean), ...own])
      return true
    },

    /** Removes what a killed control plane left half done: scraps, trash, uids held for nobody. */
    sweep(): void {
      for (const name of readdirSync(machines)) {
        const path = join(machines, name)
        if (name.startsWith('.new-') && isOld(path)) renameSync(path, join(trash, `scrap.${randomUUID()}`))
      }
      for (const name of readdirSync(trash).filter(each => !each.startsWith(spareStart.slice(1))))
        // Another control plane may be trying what this host can do.
        if (!name.startsWith('probe-') || isOld(join(trash, name))) void removeTree(join(trash, name))
      freeUids(
        uidOwners()
          .map(([uid]) => uid)
          .filter(uid => isOld(join(uids, uid))),
      )
    },
  }
}

/** Sets this mode whatever the process's umask says: machines run under uids of their own. */
export function makeFolder(path: string, mode: number): void {
  mkdirSync(path, { recursive: true })
  chmodSync(path, mode)
}

/** The probes report a user who may not pass through it. */
function openFolder(path: string): void {
  try {
    chmodSync(path, 0o711)
  } catch {
    // Not ours to open.
  }
}

const isOld = (path: string): boolean =>
  Date.now() - (lstatSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0) > scrapMs

/** `flush`: it must be there after a power cut. */
function replaceFile(path: string, text: string, flush: boolean): void {
  const next = `${path}.new`
  writeFileSync(next, text, { mode: 0o600, flush })
  renameSync(next, path)
}

function readJson<T>(path: string): T | null {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as T
  } catch (error) {
    refuseShortage(error)
    return null
  }
}

function readLink(path: string): string | null {
  try {
    return readlinkSync(path)
  } catch {
    return null
  }
}
