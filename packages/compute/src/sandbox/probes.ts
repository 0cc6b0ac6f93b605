/**
 * What this host can do, found by doing it: each design is really started once, as the user that machines would run
 * as, up to a program that ends at once. The driver is offered when no required probe fails; it never makes do with
 * less isolation than it reports.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Probe } from '../driver.ts'
import type { Cgroups } from './cgroups.ts'
import { type Design, designs, launch } from './launch/launch.ts'
import { makeFolder } from './machine-store.ts'
import { hostView, runtimePath } from './machine-view.ts'
import type { Runtime } from './runtime.ts'
import { isArchitecture } from './launch/seccomp.ts'

export interface SandboxProbe extends Probe {
  /** Without it no machine can be started here. */
  readonly required: boolean
}

export interface Trial {
  readonly dir: string
  readonly runtime: Runtime
  /** The uid that machines run as; null: our own. */
  readonly uid: number | null
  /** Whether the launcher is tried. */
  readonly launcher: boolean
}

/** How machines are made here. */
export interface Method {
  readonly design: Design
  readonly byLauncher: boolean
  readonly hasFilter: boolean
}

const trialMs = 5_000

/** Which designs work, the better first, and what was seen on the way. */
export async function probeDesigns(
  trial: Trial,
  wanted: Design | 'auto',
): Promise<{ method: Method | null; probes: SandboxProbe[] }> {
  const reachable = probeFolder(trial)
  const namespaces = probeNamespaces(trial)
  const asked = wanted === 'auto' ? designs : [wanted]
  const outcomes = await Promise.all(asked.map(design => tryDesign(trial, design)))
  const works = outcomes.flatMap(outcome => outcome.method ?? [])
  // It takes the least time, and closes the first process to the machine's programs.
  const method = works.find(({ byLauncher }) => byLauncher) ?? works[0] ?? null
  return {
    method,
    probes: [
      reachable,
      namespaces,
      ...outcomes.map(outcome => outcome.probe),
      {
        name: 'isolation',
        required: true,
        ok: method !== null,
        detail: method ? `machines are made with ${method.design}` : 'no design works here',
      },
      {
        name: 'system call filter',
        required: false,
        ok: method?.hasFilter ?? false,
        detail: method?.hasFilter
          ? 'in force'
          : 'none: machines rely on namespaces and empty capabilities alone',
      },
    ],
  }
}

interface Outcome {
  readonly method: Method | null
  readonly probe: SandboxProbe
}

/** The ways in which a design can be made, the better first. */
const methods: Record<Design, readonly Method[]> = {
  bwrap: [{ design: 'bwrap', byLauncher: false, hasFilter: true }],
  unshare: [
    { design: 'unshare', byLauncher: true, hasFilter: true },
    { design: 'unshare', byLauncher: false, hasFilter: true },
    // Without perl, nothing could load the filter.
    { design: 'unshare', byLauncher: false, hasFilter: false },
  ],
}

async function tryDesign(trial: Trial, design: Design): Promise<Outcome> {
  const probe = { name: design === 'bwrap' ? 'bubblewrap' : 'util-linux', required: false }
  const failures: string[] = []
  for (const method of methods[design].filter(({ byLauncher }) => !byLauncher || trial.launcher)) {
    const failure = await run(trial, method)
    if (failure === null) {
      const how = method.byLauncher || design === 'bwrap' ? 'works' : 'works, by single tools'
      const filter = method.hasFilter ? 'with a filter' : 'without a filter'
      const why = failures.length > 0 ? ` (${failures.at(-1)})` : ''
      return { method, probe: { ...probe, ok: true, detail: `${how}, ${filter}${why}` } }
    }
    failures.push(failure)
  }
  return { method: null, probe: { ...probe, ok: false, detail: failures.at(-1)! } }
}

/** Starts a program in a sandbox made like this. Null when it ran, else what went wrong. */
async function run(trial: Trial, method: Method): Promise<string | null> {
  const folder = mkdtempSync(join(trial.dir, 'trash', 'probe-'))
  try {
    makeFolder(folder, 0o711)
    const view = hostView('probe')
    const runtime = { source: trial.runtime.folder, path: runtimePath }
    const options = {
      ...method,
      folder,
      view: { ...view, readOnly: [...view.readOnly, runtime] },
      mark: 'probe',
      run: '0',
      uid: trial.uid,
      groupFiles: [],
      filter: method.hasFilter ? trial.runtime.filter : null,
      socket: null,
      // Its own Node, because a folder may be mounted so that nothing in it can run.
      command: [`${runtimePath}/node`, '--version'],
    }
    let watcher: number | undefined
    const launched = await launch(options, pid => {
      watcher = pid
    })
    const timer = setTimeout(() => watcher && process.kill(watcher, 'SIGKILL'), trialMs)
    const code = await launched.ended.finally(() => clearTimeout(timer))
    const complaint = await launched.complaint()
    return code === 0 ? null : (complaint.split('\n')[0] ?? '') || `it ended with ${code}`
  } catch (error) {
    return (error as Error).message
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const asUser = ({ uid }: Trial): string[] =>
  uid === null ? [] : [`--reuid=${uid}`, `--regid=${uid}`, '--clear-groups']

function probeFolder(trial: Trial): SandboxProbe {
  const command = [...asUser(trial), 'test', '-r', trial.runtime.filter]
  const { status, error, stderr } = spawnSync('setpriv', command, { encoding: 'utf8' })
  const who = trial.uid === null ? 'this user' : `uid ${trial.uid}`
  const closed = `${trial.dir} can’t be reached by ${who}: a folder above it is closed`
  return {
    name: 'folder',
    required: true,
    ok: status === 0,
    detail:
      status === 0 ? `${trial.dir} can be reached by ${who}` : error?.message || stderr.trim() || closed,
  }
}

function probeNamespaces(trial: Trial): SandboxProbe {
  const command = [
    '--no-new-privs',
    'unshare',
    '--user',
    '--map-root-user',
    '--net',
    '--pid',
    '--fork',
    'true',
  ]
  const { status, stderr, error } = spawnSync('setpriv', [...asUser(trial), ...command], { encoding: 'utf8' })
  const blocked = 'blocked here; on Ubuntu see kernel.apparmor_restrict_unprivileged_userns'
  return {
    name: 'user namespaces',
    required: true,
    ok: status === 0,
    detail: status === 0 ? 'usable' : `${blocked} (${error?.message ?? stderr.trim()})`,
  }
}

/** What has to be there before anything can be tried: Linux, and the parts that go into every machine. */
export function probeInstallation(stage: () => Runtime): { runtime: Runtime | null; probes: SandboxProbe[] } {
  const name = 'installation'
  const fail = (detail: string) => ({ runtime: null, probes: [{ name, required: true, ok: false, detail }] })
  if (process.platform !== 'linux' || !isArchitecture(process.arch))
    return fail(`needs Linux on x64 or arm64; this is ${process.platform} on ${process.arch}`)
  try {
    const runtime = stage()
    return { runtime, probes: [{ name, required: true, ok: true, detail: `Linux, runtime ${runtime.id}` }] }
  } catch (error) {
    return fail(`a part is missing: ${String(error)}`)
  }
}

/** What needs no trial. */
export function probeHost(firstUid: number | null, cgroups: Cgroups): SandboxProbe[] {
  const missing = ['cpu', 'memory', 'pids'].filter(name => !new Set<string>(cgroups.limits).has(name))
  return [
    {
      name: 'user',
      required: false,
      ok: true,
      detail:
        firstUid === null
          ? `uid ${process.getuid?.()}: machines run as this user`
          : `root: each tenant gets a uid of its own, from ${firstUid}`,
    },
    {
      name: 'limits',
      required: false,
      ok: missing.length === 0,
      detail:
        missing.length === 0
          ? cgroups.description
          : `not enforced: ${missing.join(', ')}; ${cgroups.description}`,
    },
    {
      name: 'disk limit',
      required: false,
      ok: false,
      detail: 'not enforced: machines share the disk of the host',
    },
  ]
}
