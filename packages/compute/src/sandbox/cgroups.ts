/**
 * The limits of a machine: one control group for each, under one of this driver's own. Works with cgroup v2, v1 and
 * both side by side; each controller is used where the host has it. A machine's first process puts itself into its
 * groups before it becomes anything else, so nothing of a machine ever runs without them.
 *
 * Where groups can't be made, as for an ordinary user, there are no limits and `limits` says so; whoever sells
 * machines to more than one tenant must then refuse.
 */
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { numbersIn, readHead } from './processes.ts'

const controllers = ['cpu', 'memory', 'pids'] as const
export type Controller = (typeof controllers)[number]

export interface GroupLimits {
  readonly cpuCores: number
  readonly memoryBytes: number
  readonly processes: number
}

interface Hierarchy {
  readonly version: 1 | 2
  readonly mount: string
  readonly controllers: readonly Controller[]
}

export interface Cgroups {
  /** What can be limited here. */
  readonly limits: ReadonlySet<Controller>
  readonly description: string
  /** Makes the groups and sets their limits. Answers the files into which the first process writes its id. */
  prepare(id: string, limits: GroupLimits): readonly string[]
  /** Gives a group that is in use these limits, none of which may be less than it has. */
  raise(id: string, limits: GroupLimits): void
  /** Processor time of a group's processes so far, in ms; null where it is not counted. */
  cpuMs(id: string): number | null
  /** Memory of a group's processes, without file contents that the kernel could drop; null where it is not counted. */
  memoryBytes(id: string): number | null
  /** Some of the host's ids of a group's processes; none where there is no group. */
  members(id: string): readonly number[]
  /** True when none is left; false while a process is still on its way out. */
  remove(id: string): boolean
  /** Takes away what is left of machines that are not in `keep`, and of drivers whose folders are gone. */
  sweep(keep: ReadonlySet<string>): void
}

const cpuPeriodUs = 100_000
/** Against 1024 of everything else: a busy machine must not slow down the control plane. */
const cpuShares = 256

/** A host may have several drivers, each with a folder and a group of its own. */
export const groupNameOf = (dir: string): string =>
  `ingot-${createHash('sha256').update(dir).digest('hex').slice(0, 12)}`

const anyGroupName = /^ingot-[0-9a-f]{12}$/
/** A younger group may be one that another driver is about to fill. */
const abandonedMs = 60_000

export function findCgroups(groupName: string, mountInfo = '/proc/self/mountinfo'): Cgroups {
  const usable = findHierarchies(mountInfo).filter(hierarchy => makeParent(hierarchy, groupName))
  const parents = usable.map(({ mount }) => join(mount, groupName))
  // This takes back the trial only: a parent that holds machines stays.
  for (const parent of parents) removeGroup(parent)

  function remove(id: string): boolean {
    const gone = parents.map(parent => removeGroup(join(parent, id)))
    // The last machine takes the parent with it; until then it is not empty.
    for (const parent of parents) removeGroup(parent)
    return gone.every(Boolean)
  }

  return {
    limits: new Set(usable.flatMap(hierarchy => hierarchy.controllers)),
    description:
      usable.map(({ version, controllers }) => `${controllers.join(', ')} (v${version})`).join('; ') ||
      'no control group can be made',
    remove,

    cpuMs(id) {
      const hierarchy = usable.find(({ controllers }) => controllers.includes('cpu'))
      return hierarchy ? cpuMsOf(hierarchy, join(hierarchy.mount, groupName, id)) : null
    },

    memoryBytes(id) {
      const hierarchy = usable.find(({ controllers }) => controllers.includes('memory'))
      return hierarchy ? memoryOf(hierarchy, join(hierarchy.mount, groupName, id)) : null
    },

    members: id =>
      parents.slice(0, 1).flatMap(parent => numbersIn(readHead(join(parent, id, 'cgroup.procs')) ?? '')),

    sweep(keep) {
      for (const parent of parents) for (const name of foldersIn(parent)) if (!keep.has(name)) remove(name)
      for (const { mount } of usable)
        for (const name of foldersIn(mount))
          if (anyGroupName.test(name) && name !== groupName) sweepAbandoned(join(mount, name))
    },

    raise(id, limits) {
      for (const hierarchy of usable) {
        const group = join(hierarchy.mount, groupName, id)
        // Version 1 lets memory not grow beyond the limit of memory and swap together.
        for (const [file, value] of settings(hierarchy, limits).toReversed()) set(join(group, file), value)
      }
    },

    prepare(id, limits) {
      return usable.map(hierarchy => {
        makeParent(hierarchy, groupName)
        const group = join(hierarchy.mount, groupName, id)
        // Raising the limits of an old group would have to be done in another order.
        removeGroup(group)
        mkdirSync(group, { recursive: true })
        for (const [file, value] of settings(hierarchy, limits)) set(join(group, file), value)
        return join(group, 'cgroup.procs')
      })
    },
  }
}

/** Files and values, in the order in which the kernel accepts them. */
function settings({ version, controllers }: Hierarchy, limits: GroupLimits): [string, string][] {
  const quotaUs = Math.round(limits.cpuCores * cpuPeriodUs)
  const memory = String(limits.memoryBytes)
  const pids: [string, string][] = [['pids.max', String(limits.processes)]]
  const byController: Record<Controller, [string, string][]> =
    version === 2
      ? {
          cpu: [
            ['cpu.max', `${quotaUs} ${cpuPeriodUs}`],
            ['cpu.weight', String(Math.round((cpuShares * 100) / 1024))],
          ],
          memory: [
            ['memory.max', memory],
            ['memory.swap.max', '0'],
          ],
          pids,
        }
      : {
          cpu: [
            ['cpu.cfs_period_us', String(cpuPeriodUs)],
            ['cpu.cfs_quota_us', String(quotaUs)],
            ['cpu.shares', String(cpuShares)],
          ],
          memory: [
            ['memory.limit_in_bytes', memory],
            ['memory.memsw.limit_in_bytes', memory],
          ],
          pids,
        }
  return controllers.flatMap(controller => byController[controller])
}

/** Swap accounting may be off: its file is then missing, and that limit with it. Any other failure is thrown. */
function set(file: string, value: string): void {
  if (/swap|memsw/.test(file) && !existsSync(file)) return
  writeFileSync(file, value)
}

/** Version 1 counts in a controller of its own, which most hosts mount together with `cpu`. */
function cpuMsOf({ version }: Hierarchy, group: string): number | null {
  try {
    if (version === 1) return Number(readFileSync(join(group, 'cpuacct.usage'), 'latin1')) / 1e6
    const us = /^usage_usec (\d+)$/m.exec(readFileSync(join(group, 'cpu.stat'), 'latin1'))?.[1]
    return us === undefined ? null : Number(us) / 1e3
  } catch {
    return null
  }
}

/** As `docker stats` counts it. */
function memoryOf({ version }: Hierarchy, group: string): number | null {
  const [current, inactive] =
    version === 2
      ? (['memory.current', /^inactive_file (\d+)$/m] as const)
      : (['memory.usage_in_bytes', /^total_inactive_file (\d+)$/m] as const)
  try {
    const used = Number(readFileSync(join(group, current), 'latin1'))
    const stat = readFileSync(join(group, 'memory.stat'), 'latin1')
    return Math.max(0, used - Number(inactive.exec(stat)?.[1] ?? 0))
  } catch {
    return null
  }
}

function makeParent({ version, mount, controllers }: Hierarchy, groupName: string): boolean {
  const parent = join(mount, groupName)
  try {
    mkdirSync(parent, { recursive: true })
    if (version === 2) {
      const enable = controllers.map(name => `+${name}`).join(' ')
      writeFileSync(join(mount, 'cgroup.subtree_control'), enable)
      writeFileSync(join(parent, 'cgroup.subtree_control'), enable)
    }
    return true
  } catch {
    removeGroup(parent)
    return false
  }
}

function removeGroup(path: string): boolean {
  try {
    rmdirSync(path)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT'
  }
}

/** Another driver's group. Those in which something runs stay, because the kernel doesn't remove them. */
function sweepAbandoned(parent: string): void {
  const isOld = (path: string) =>
    Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0) > abandonedMs
  const groups = [...foldersIn(parent).map(name => join(parent, name)), parent]
  for (const group of groups.filter(isOld)) removeGroup(group)
}

function foldersIn(path: string): string[] {
  if (!existsSync(path)) return []
  return readdirSync(path, { withFileTypes: true })
    .filter(entry => entry.isDirectory())
    .map(entry => entry.name)
}

/** Where each controller lives: in the unified hierarchy if it is there, else in a hierarchy of version 1. */
function findHierarchies(mountInfo: string): Hierarchy[] {
  const mounts = readFileSync(mountInfo, 'utf8')
    .split('\n')
    .map(line => line.split(' '))
    .map(fields => ({
      mount: fields[4] ?? '',
      kind: fields[fields.indexOf('-') + 1],
      options: fields.at(-1) ?? '',
    }))
  const unified = mounts.find(({ kind }) => kind === 'cgroup2')
  const inUnified = new Set(unified ? readWords(join(unified.mount, 'cgroup.controllers')) : [])
  const found: Hierarchy[] = []
  if (unified) {
    const here = controllers.filter(name => inUnified.has(name))
    if (here.length > 0) found.push({ version: 2, mount: unified.mount, controllers: here })
  }
  for (const { mount, kind, options } of mounts) {
    const taken = new Set(found.flatMap(hierarchy => hierarchy.controllers))
    const here = controllers.filter(name => !taken.has(name) && options.split(',').includes(name))
    if (kind === 'cgroup' && here.length > 0) found.push({ version: 1, mount, controllers: here })
  }
  return found
}

function readWords(path: string): string[] {
  try {
    return readFileSync(path, 'utf8').trim().split(' ')
  } catch {
    return []
  }
}
