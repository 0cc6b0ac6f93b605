/** Limits land where the host keeps them: on folders laid out like the hierarchies of other hosts than this one. */
import {
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { findCgroups } from './cgroups.ts'

const limits = { cpuCores: 1.5, memoryBytes: 2 ** 30, processes: 100 }
let root: string

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'ingot-groups-'))
})
afterEach(() => rmSync(root, { recursive: true }))

const line = (path: string, kind: string, options: string) =>
  `30 20 0:25 / ${path} rw,nosuid shared:9 - ${kind} ${kind} rw,${options}\n`

/** A host's mounts: hierarchies by name, and for the unified one its controllers. */
function host(version1: Record<string, string>, unified: string | null): string {
  let mounts = line('/', 'ext4', 'discard')
  for (const [name, options] of Object.entries(version1)) {
    mkdirSync(join(root, name))
    mounts += line(join(root, name), 'cgroup', options)
  }
  if (unified !== null) {
    mkdirSync(join(root, 'unified'))
    writeFileSync(join(root, 'unified/cgroup.controllers'), `${unified}\n`)
    mounts += line(join(root, 'unified'), 'cgroup2', 'nsdelegate')
  }
  writeFileSync(join(root, 'mountinfo'), mounts)
  return join(root, 'mountinfo')
}

const read = (...path: string[]) => readFileSync(join(root, ...path), 'utf8')

describe('control groups', () => {
  it('are one in the unified hierarchy, with its controllers switched on above it', () => {
    const cgroups = findCgroups('ingot-x', host({}, 'cpuset cpu io memory pids'))
    expect([...cgroups.limits].toSorted()).toEqual(['cpu', 'memory', 'pids'])
    expect(cgroups.prepare('one', limits)).toEqual([join(root, 'unified/ingot-x/one/cgroup.procs')])
    expect(read('unified/cgroup.subtree_control')).toBe('+cpu +memory +pids')
    expect(read('unified/ingot-x/cgroup.subtree_control')).toBe('+cpu +memory +pids')
    expect(read('unified/ingot-x/one/cpu.max')).toBe('150000 100000')
    expect(read('unified/ingot-x/one/memory.max')).toBe(String(2 ** 30))
    expect(read('unified/ingot-x/one/pids.max')).toBe('100')
    writeFileSync(join(root, 'unified/ingot-x/one/cpu.stat'), 'usage_usec 1234500\nuser_usec 1000000\n')
    expect(cgroups.cpuMs('one')).toBe(1234.5)
  })

  it('are one for each controller in version 1, joint mounts included', () => {
    const cgroups = findCgroups('ingot-x', host({ both: 'cpu,cpuacct', memory: 'memory', pids: 'pids' }, ''))
    expect(cgroups.prepare('one', limits)).toHaveLength(3)
    expect(read('both/ingot-x/one/cpu.cfs_quota_us')).toBe('150000')
    expect(read('memory/ingot-x/one/memory.limit_in_bytes')).toBe(String(2 ** 30))
    expect(read('pids/ingot-x/one/pids.max')).toBe('100')
    // Not every host counts processor time.
    expect(cgroups.cpuMs('one')).toBeNull()
    writeFileSync(join(root, 'both/ingot-x/one/cpuacct.usage'), '1234500000\n')
    expect(cgroups.cpuMs('one')).toBe(1234.5)
  })

  it('are in both where a host has both', () => {
    const cgroups = findCgroups('ingot-x', host({ cpu: 'cpu', memory: 'memory' }, 'pids hugetlb'))
    expect(cgroups.description).toBe('pids (v2); cpu (v1); memory (v1)')
    expect(cgroups.prepare('one', limits)).toHaveLength(3)
    expect(read('unified/ingot-x/one/pids.max')).toBe('100')
  })

  it('of folders that are gone are taken away, but neither young ones nor those of others', () => {
    const mountInfo = host({ pids: 'pids' }, null)
    const old = [
      'ingot-0123456789ab/lost',
      'ingot-0123456789ac',
      'ingot-0123456789ad/busy',
      'ingot-other/lost',
      'other',
    ]
    for (const path of [...old, 'ingot-0123456789ae/young'])
      mkdirSync(join(root, 'pids', path), { recursive: true })
    // A group in which something runs can't be removed.
    writeFileSync(join(root, 'pids/ingot-0123456789ad/busy/process'), '')
    const hourAgo = new Date(Date.now() - 3_600_000)
    for (const path of [...old, 'ingot-0123456789ab', 'ingot-0123456789ad'])
      utimesSync(join(root, 'pids', path), hourAgo, hourAgo)
    findCgroups('ingot-x', mountInfo).sweep(new Set())
    expect(globSync('*/*', { cwd: join(root, 'pids') }).toSorted()).toEqual([
      'ingot-0123456789ad/busy',
      'ingot-0123456789ae/young',
      'ingot-other/lost',
    ])
    expect(readdirSync(join(root, 'pids')).toSorted()).toEqual([
      'ingot-0123456789ad',
      'ingot-0123456789ae',
      'ingot-other',
      'other',
    ])
  })

  it('are none where none can be made, and that is said', () => {
    const mountInfo = host({}, null)
    const cgroups = findCgroups('ingot-x', mountInfo)
    expect([...cgroups.limits]).toEqual([])
    expect(cgroups.prepare('one', limits)).toEqual([])
    expect(cgroups.cpuMs('one')).toBeNull()
    expect(cgroups.remove('one')).toBe(true)
    expect(cgroups.description).toBe('no control group can be made')
  })
})
