/**
 * Who answers for a stopped machine, and for a volume: a clerk, a process in the machine's own view, or one with nothing
 * but the volume, with its uid and filter and no network, that knows of files and the log and can start nothing. The
 * machine stays stopped; its own notes and groups are not touched.
 *
 * Nothing waits on a clerk or for it. It ends by itself soon after the last who asked, also when this process was
 * killed, and the next control plane goes on with it or starts another. A start of the machine leaves it alone: an upload goes
 * on to its end while the keeper answers whoever comes from then on. Each clerk is noted before it does anything, so
 * that `end` finds all of them, those of other control planes too.
 */
import { randomUUID } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Answer, done, failed } from '../driver.ts'
import { roomInMemory } from './capacity.ts'
import type { Cgroups } from './cgroups.ts'
import { launch, type Launched } from './launch/launch.ts'
import { hostnameOf, writeMachineFiles } from './machine-files.ts'
import type { MachineRecord, MachineStore } from './machine-store.ts'
import { clerkCommand, type MachineView, machineView } from './machine-view.ts'
import type { Method } from './probes.ts'
import { bootId, identify, isAlive, kill, killLaunch, type ProcessIdentity } from './processes.ts'
import type { Runtime } from './runtime.ts'
import { ask, type Contact } from './wire/contact.ts'
import type { ChannelRequest, Request } from './wire/frames.ts'
import type { SocketName } from './wire/listener.ts'

export interface ClerkOptions {
  readonly cgroups: Cgroups
  readonly runtime: Runtime
  readonly method: Method | null
  /** At once. Each takes some 50 MB of the host's memory while it runs. */
  readonly maxClerks: number
  readonly log: (message: string) => void
}

/** For whom a clerk answers. */
export interface ClerkHome {
  /** Of all homes its own: the name of its control group. */
  readonly id: string
  /** It has its socket and its notes here. */
  readonly folder: string
}

export interface ClerkPlace {
  readonly view: MachineView
  readonly uid: number | null
}

export type Clerks = ReturnType<typeof createClerks>

const socketName: SocketName = 'clerk.sock'
const noteName = 'launcher.json'
/** It runs nothing of the tenant's, but the tenant decides how much there is to read. */
const limits = { cpuCores: 1, memoryBytes: 256 * 2 ** 20, processes: 64 }
const helloMs = 1_000
const endMs = 1_500
const pollMs = 5
/** A folder without a note that is younger may be another control plane's work in progress. */
const scrapMs = 60_000

/** The control group of a machine's clerks, beside the machine's own. */
export const clerkGroup = (id: string): string => `${id}.clerk`

export const machineHome = (store: MachineStore, id: string): ClerkHome => ({ id, folder: store.folder(id) })

/** What a stopped machine shows to its clerk. */
export function machinePlace(
  store: MachineStore,
  runtime: Runtime,
  id: string,
  record: MachineRecord,
): ClerkPlace {
  const inside = store.path(id, 'inside')
  if (!existsSync(join(inside, 'shell.json'))) writeMachineFiles(inside, record.spec, record.uid)
  const view = machineView(hostnameOf(record.spec.name), store.folder(id), runtime.folder)
  return { view, uid: record.uid }
}

interface Noted {
  readonly bootId: string
  readonly launcher: ProcessIdentity | null
}

export function createClerks({ cgroups, runtime, method, maxClerks, log }: ClerkOptions) {
  const boot = bootId()
  const running = new Map<Launched, string>()
  const endings = new Set<(id: string) => void>()
  const notesOf = ({ folder }: ClerkHome) => join(folder, 'clerk')

  /** Null when there is none, or it does not answer. */
  const contact = (
    { folder }: ClerkHome,
    request: ChannelRequest | Extract<Request, { kind: 'hello' }>,
    patienceMs: number,
  ): Promise<Contact | null> => ask(folder, request, patienceMs, socketName)

  /** Sees to it that there is one. Comes in turn with its home's other calls, of which none may remove the folder meanwhile. */
  async function provide(home: ClerkHome, place: () => ClerkPlace): Promise<Answer> {
    const present = await contact(home, { kind: 'hello' }, helloMs)
    present?.socket.destroy()
    if (present?.reply.ok) return done()
    if (!method) return failed('denied', 'This region can’t isolate machines from its host.')
    if (running.size >= maxClerks || roomInMemory() === 0)
      return failed(
        'transient',
        'The files of too many stopped instances and volumes are in use here. Try again in a moment.',
      )
    await begin(home, place)
    return done()
  }

  async function begin(home: ClerkHome, place: () => ClerkPlace): Promise<void> {
    const { id } = home
    sweepEnded(home)
    const folder = join(notesOf(home), randomUUID())
    for (const path of [notesOf(home), folder]) makeExisting(path)
    const clerk = {
      ...method!,
      ...place(),
      folder,
      mark: clerkGroup(id),
      run: '0',
      groupFiles: cgroups.prepare(clerkGroup(id), limits),
      filter: method!.hasFilter ? runtime.filter : null,
      socket: socketName,
      command: clerkCommand,
    }
    const launched = await launch(clerk, pid => {
      const noted: Noted = { bootId: boot, launcher: pid === undefined ? null : identify(pid) }
      writeFileSync(join(folder, noteName), JSON.stringify(noted), { mode: 0o600 })
    })
    running.set(launched, id)
    void launched.ended.then(() => ended(id, launched))
    renameSync(join(folder, socketName), join(home.folder, socketName))
  }

  async function ended(id: string, launched: Launched): Promise<void> {
    running.delete(launched)
    const complaint = await launched.complaint()
    if (complaint) log(`the clerk of machine ${id} ended: ${complaint}`)
    // The group of the next one, which may not have entered it yet, has the same name.
    if (!running.values().some(other => other === id)) cgroups.remove(clerkGroup(id))
    for (const tell of endings) tell(id)
  }

  /** Ends all of this home's. True when nothing is left. */
  async function end(home: ClerkHome): Promise<boolean> {
    const { id } = home
    const until = performance.now() + endMs
    for (;;) {
      const launchers = foldersOf(home).flatMap(folder => launcherOf(folder) ?? [])
      const members = cgroups.members(clerkGroup(id)).flatMap(pid => identify(pid) ?? [])
      if (launchers.length + members.length === 0 && cgroups.remove(clerkGroup(id))) return true
      if (performance.now() > until) return false
      for (const launcher of launchers) killLaunch(launcher)
      // Without its launcher a process of the group has nobody else to end it.
      if (launchers.length === 0) for (const member of members) kill(member)
      await sleep(pollMs)
    }
  }

  const foldersOf = (home: ClerkHome): string[] =>
    existsSync(notesOf(home)) ? readdirSync(notesOf(home)).map(name => join(notesOf(home), name)) : []

  /** Of one that runs. */
  function launcherOf(folder: string): ProcessIdentity | null {
    const noted = readNote(join(folder, noteName))
    return noted?.bootId === boot && noted.launcher && isAlive(noted.launcher) ? noted.launcher : null
  }

  function sweepEnded(home: ClerkHome): void {
    for (const folder of foldersOf(home)) {
      const isNew = !existsSync(join(folder, noteName)) && Date.now() - statSync(folder).mtimeMs < scrapMs
      if (!isNew && !launcherOf(folder)) rmSync(folder, { recursive: true, force: true })
    }
  }

  return {
    contact,
    provide,
    end,
    /** Tells of each that ends and was begun here, by its home's id. */
    onEnd: (tell: (id: string) => void): void => void endings.add(tell),
  }
}

/** In a folder that is there: a machine that was destroyed meanwhile must not come back. */
function makeExisting(path: string): void {
  if (!existsSync(path)) mkdirSync(path)
  chmodSync(path, 0o711)
}

function readNote(path: string): Noted | null {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Noted
  } catch {
    return null
  }
}
