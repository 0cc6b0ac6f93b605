/**
 * Processes as the kernel shows them. A process is known by its id and its start time, so a number that the kernel has
 * given away again is never taken for the old process. Of a machine only two count, its launcher on the host and the
 * first process of its namespace: when that one dies the kernel ends the rest.
 *
 * A tenant decides how many processes there are, and how long their names, arguments and environments are. So nothing
 * here reads more of a file than it needs, none of those is read at all, and whoever goes through all processes does
 * so in steps between which everything else goes on.
 */
import { closeSync, openSync, readSync, statSync } from 'node:fs'
import { opendir } from 'node:fs/promises'

export interface ProcessIdentity {
  readonly pid: number
  /** Clock ticks after boot. */
  readonly startTime: string
}

/** The kernel shows times in hundredths of a second, whatever it counts in. */
export const msPerTick = 10
/** More than any of the kernel's own lines about one process. */
const headBytes = 4_096
/** Processes that are looked at in one step: a millisecond or two. */
const step = 64
/** How often a machine whose processes come and go is looked at. */
const mostTries = 3
/** Without control groups a tenant may have any number of processes; from here on their work is not known. */
const mostTimed = 20_000

export const bootId = (): string => readHead('/proc/sys/kernel/random/boot_id')!.trim()

/** The process's fields after its name, or null when there is none. A zombie is none. */
function statFields(pid: number): string[] | null {
  const fields = anyStatFields(pid)
  return !fields || fields[0] === 'Z' || fields[0] === 'X' ? null : fields
}

function anyStatFields(pid: number): string[] | null {
  const stat = readHead(`/proc/${pid}/stat`)
  return stat ? stat.slice(stat.lastIndexOf(')') + 2).split(' ') : null
}

export function identify(pid: number): ProcessIdentity | null {
  const startTime = statFields(pid)?.[19]
  return startTime ? { pid, startTime } : null
}

export const isAlive = (process: ProcessIdentity): boolean =>
  identify(process.pid)?.startTime === process.startTime

/** SIGKILL, unless the number has passed to another process. */
export const kill = (process: ProcessIdentity): void => signal(process, 'SIGKILL')

function signal({ pid, startTime }: ProcessIdentity, name: NodeJS.Signals): void {
  if (!isAlive({ pid, startTime })) return
  try {
    process.kill(pid, name)
  } catch {
    // Gone meanwhile.
  }
}

/**
 * Ends a launcher and what it has started, when called until nothing is left. It is held still first: else it could
 * make the first process after that was looked for.
 */
export function killLaunch(launcher: ProcessIdentity): void {
  if (statFields(launcher.pid)?.[0] === 'T') kill(findInit(launcher.pid) ?? launcher)
  else signal(launcher, 'SIGSTOP')
}

/** The machine's first process among the descendants of its launcher: at most three steps down. */
export function findInit(launcherPid: number): ProcessIdentity | null {
  let generation = [launcherPid]
  for (let depth = 0; depth < 4 && generation.length > 0; depth++) {
    const init = firstOfNamespace(generation)
    if (init) return init
    generation = generation.flatMap(childrenOf)
  }
  return null
}

/** Which of these is the first process of its namespace. */
export function firstOfNamespace(pids: readonly number[]): ProcessIdentity | null {
  for (const pid of pids) {
    // The ids of a process in its namespaces, from the host's to its own.
    const ids = /^NSpid:\s*(.*)$/m.exec(readHead(`/proc/${pid}/status`) ?? '')?.[1]?.split(/\s+/) ?? []
    const identity = ids.length > 1 && ids.at(-1) === '1' ? identify(pid) : null
    if (identity) return identity
  }
  return null
}

/** Every uid that something runs under. */
export async function usedUids(): Promise<Set<number>> {
  const uids = new Set<number>()
  for await (const pid of allProcesses()) {
    const uid = statSync(`/proc/${pid}`, { throwIfNoEntry: false })?.uid
    if (uid !== undefined) uids.add(uid)
  }
  return uids
}

/**
 * Processor time of a machine in ms, without its keeper's own: of all processes below its first one together with the
 * children they waited for, or `counted` where a control group has counted it. Null when it cannot be told.
 */
export async function cpuMsBelow(init: ProcessIdentity, counted: number | null): Promise<number | null> {
  // It starts before anything that a customer starts, and the machine ends with it.
  const keeperPid = childrenOf(init.pid)[0]
  const keeper = keeperPid === undefined ? null : timedProcess(keeperPid)
  if (!keeper) return null
  if (counted !== null) return Math.max(0, counted - keeper.ownMs)
  for (let tries = 1; ; tries++) {
    const tree = await treeBelow(init.pid)
    if (!tree) return null
    // One that was waited for between the look at its parent and the look at itself is in neither.
    const isWhole = tree.every(
      ({ pid, childrenMs }) => (timedProcess(pid)?.childrenMs ?? childrenMs) === childrenMs,
    )
    if (isWhole || tries === mostTries)
      return tree.reduce((sum, { ownMs, childrenMs }) => sum + ownMs + childrenMs, -keeper.ownMs)
  }
}

/** It and all below it. Null where there are too many on the host. */
async function treeBelow(pid: number): Promise<TimedProcess[] | null> {
  const all: TimedProcess[] = []
  for await (const each of allProcesses()) {
    const timed = timedProcess(each)
    if (timed) all.push(timed)
    if (all.length > mostTimed) return null
  }
  const children = Map.groupBy(all, process => process.parent)
  const tree = all.filter(process => process.pid === pid)
  // Grows while it is gone through.
  for (const process of tree) tree.push(...(children.get(process.pid) ?? []))
  return tree
}

/** Reads the next few only when the event loop has gone round. */
async function* allProcesses(): AsyncGenerator<number, void, void> {
  for await (const { name } of await opendir('/proc', { bufferSize: step })) {
    const pid = Number(name)
    if (pid > 1) yield pid
  }
}

type TimedProcess = NonNullable<ReturnType<typeof timedProcess>>

/** A zombie counts: its parent has not been given its time yet. */
function timedProcess(pid: number) {
  const fields = anyStatFields(pid)
  if (!fields) return null
  const at = (index: number) => Number(fields[index])
  return {
    pid,
    parent: at(1),
    ownMs: (at(11) + at(12)) * msPerTick,
    childrenMs: (at(13) + at(14)) * msPerTick,
  }
}

/** The oldest ones. */
const childrenOf = (pid: number): number[] => numbersIn(readHead(`/proc/${pid}/task/${pid}/children`) ?? '')

/** Whole numbers only: the last may be cut. */
export const numbersIn = (text: string): number[] => (text.match(/\d+(?=\s)/g) ?? []).map(Number)

const shortages: readonly unknown[] = ['EMFILE', 'ENFILE', 'ENOMEM']

/** Throws when the host lacks what reading takes: then nobody can tell whether the file is there. */
export function refuseShortage(error: unknown): void {
  if (shortages.includes((error as NodeJS.ErrnoException).code)) throw error
}

/** The beginning of a file of the kernel's; null when there is none. */
export function readHead(path: string): string | null {
  let file: number
  try {
    file = openSync(path, 'r')
  } catch (error) {
    refuseShortage(error)
    return null
  }
  try {
    const head = Buffer.allocUnsafe(headBytes)
    return head.toString('latin1', 0, readSync(file, head, 0, headBytes, null))
  } catch (error) {
    refuseShortage(error)
    // Gone meanwhile.
    return null
  } finally {
    closeSync(file)
  }
}
