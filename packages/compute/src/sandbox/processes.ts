/**
 * Processes of machines as the kernel shows them. A process is known by its id and its start time, so a number that
 * the kernel has given away again is never taken for the old process. A machine's own processes are found by a mark
 * in the environment that they were started with; only the control plane can put it on the first process of a
 * namespace, and that one is all that counts: when it dies the kernel ends the rest.
 */
import { readdirSync, readFileSync, statSync } from 'node:fs'

export interface ProcessIdentity {
  readonly pid: number
  /** Clock ticks after boot. */
  readonly startTime: string
}

export interface MarkedProcess extends ProcessIdentity {
  /** It is the first process of its namespace. */
  readonly isInit: boolean
}

export const markName = 'INGOT_MACHINE'

export const bootId = (): string => readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim()

/** The kernel shows times in hundredths of a second, whatever it counts in. */
const msPerTick = 10

/** The process's fields after its name, or null when there is none. A zombie is none. */
function statFields(pid: number): string[] | null {
  const fields = anyStatFields(pid)
  return !fields || fields[0] === 'Z' || fields[0] === 'X' ? null : fields
}

function anyStatFields(pid: number): string[] | null {
  const stat = readOrNull(`/proc/${pid}/stat`)
  return stat ? stat.slice(stat.lastIndexOf(')') + 2).split(' ') : null
}

export function identify(pid: number): ProcessIdentity | null {
  const startTime = statFields(pid)?.[19]
  return startTime ? { pid, startTime } : null
}

export const isAlive = (process: ProcessIdentity): boolean =>
  identify(process.pid)?.startTime === process.startTime

/** SIGKILL, unless the number has passed to another process. */
export function kill(process: ProcessIdentity): void {
  if (isAlive(process)) signal(process.pid, 'SIGKILL')
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch {
    // Gone meanwhile.
  }
}

/** Every process whose environment carries the mark: the launchers on the host and the machine's first process. */
export function findMarked(mark: string): MarkedProcess[] {
  return readdirSync('/proc')
    .map(Number)
    .filter(pid => pid > 1 && pid !== process.pid)
    .flatMap(pid => markedProcess(pid, mark) ?? [])
}

/** The machine's first process among the descendants of its launcher: at most three steps down. */
export function findInit(launcherPid: number, mark: string): ProcessIdentity | null {
  let generation = [launcherPid]
  for (let depth = 0; depth < 4 && generation.length > 0; depth++) {
    for (const pid of generation) {
      const found = markedProcess(pid, mark)
      if (found?.isInit) return found
    }
    generation = generation.flatMap(childrenOf)
  }
  return null
}

/** Every uid that something runs under. */
export function usedUids(): Set<number> {
  const pids = readdirSync('/proc').filter(name => /^\d+$/.test(name))
  return new Set(pids.flatMap(pid => statSync(`/proc/${pid}`, { throwIfNoEntry: false })?.uid ?? []))
}

/**
 * Processor time of a machine in ms, without its keeper's own: of all processes below its first one together with the
 * children they waited for, or `counted` where a control group has counted it. Null when its keeper is not there.
 */
export function cpuMsBelow(init: ProcessIdentity, counted: number | null): number | null {
  const all = readdirSync('/proc')
    .map(Number)
    .filter(pid => pid > 1)
    .flatMap(pid => timedProcess(pid) ?? [])
  const children = Map.groupBy(all, process => process.parent)
  // It starts before anything that a customer starts, and the machine ends with it.
  const keeper = children.get(init.pid)?.toSorted((a, b) => a.startTime - b.startTime || a.pid - b.pid)[0]
  if (!keeper) return null
  if (counted !== null) return Math.max(0, counted - keeper.ownMs)
  let ms = -keeper.ownMs
  let generation = all.filter(({ pid }) => pid === init.pid)
  while (generation.length > 0) {
    for (const { ownMs, childrenMs } of generation) ms += ownMs + childrenMs
    generation = generation.flatMap(({ pid }) => children.get(pid) ?? [])
  }
  return ms
}

/** A zombie counts: its parent has not been given its time yet. */
function timedProcess(pid: number) {
  const fields = anyStatFields(pid)
  if (!fields) return null
  const at = (index: number) => Number(fields[index])
  return {
    pid,
    parent: at(1),
    startTime: at(19),
    ownMs: (at(11) + at(12)) * msPerTick,
    childrenMs: (at(13) + at(14)) * msPerTick,
  }
}

function markedProcess(pid: number, mark: string): MarkedProcess | null {
  const environment = readOrNull(`/proc/${pid}/environ`)
  if (!environment || !environment.split('\0').includes(`${markName}=${mark}`)) return null
  const identity = identify(pid)
  if (!identity) return null
  // The ids of a process in its namespaces, from the host's to its own.
  const ids = /^NSpid:\s*(.*)$/m.exec(readOrNull(`/proc/${pid}/status`) ?? '')?.[1]?.split(/\s+/) ?? []
  return { ...identity, isInit: ids.length > 1 && ids.at(-1) === '1' }
}

function childrenOf(pid: number): number[] {
  const children = readOrNull(`/proc/${pid}/task/${pid}/children`)
  return children ? children.trim().split(' ').filter(Boolean).map(Number) : []
}

function readOrNull(path: string): string | null {
  try {
    return readFileSync(path, 'latin1')
  } catch {
    return null
  }
}
