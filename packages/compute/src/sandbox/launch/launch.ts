/**
 * Starts a machine's first process, in a way that leaves it nothing of ours: its own session, no environment but its
 * mark, none of our descriptors but the listening socket, limits and uid taken on before anything else runs. What is
 * started outlives this process; whether it came up is asked over its socket.
 *
 * Nothing runs that nobody knows of: the run's watcher waits until it has been noted, and ends when whoever was to note
 * it is killed before. It has no descriptor of the machine's and is outside of its limits, and the machine ends with it.
 * Design B has it from the process that stands beside this one (`launcher.ts`), unless that can't work here.
 */
import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, closeSync, existsSync, openSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { bwrapArguments } from './bwrap.ts'
import { makeEndNote, writeEndNote } from '../machine-run.ts'
import { makeFolder } from '../machine-store.ts'
import type { MachineView } from '../machine-view.ts'
import { startWatcher } from './launcher.ts'
import { counted, initScript, launcherRequest, mountTable, unshareCommand } from './unshare.ts'
import { listenIn, type SocketName } from '../wire/listener.ts'

export const designs = ['bwrap', 'unshare'] as const
export type Design = (typeof designs)[number]

export interface Launch {
  readonly design: Design
  /** By the launcher; else by a chain of tools. */
  readonly byLauncher: boolean
  readonly view: MachineView
  /** Ours, never seen inside: for what the start needs. */
  readonly folder: string
  /** In the name or the environment of the watcher and the first process, so that an operator knows whose they are. */
  readonly mark: string
  /** The run, as its watcher calls it. */
  readonly run: string
  readonly uid: number | null
  /** The first process writes its id into these before anything else. */
  readonly groupFiles: readonly string[]
  /** The system call filter to run under; null: none can be loaded. */
  readonly filter: string | null
  /** The socket to make in the folder, on which the keeper listens as descriptor 3. */
  readonly socket: SocketName | null
  readonly command: readonly string[]
  /** It waits for `name`, and ends with this process when that never came. Only by the launcher. */
  readonly isSpare?: boolean
}

export interface Launched {
  /** With the code that all of it ended with; null when nobody can tell. */
  readonly ended: Promise<number | null>
  /** Why a start failed, in the words of whatever failed. For our log alone. */
  complaint(): Promise<string>
  /** It is up: nothing more is listened to. */
  hush(): void
  /** Of a spare: whose it is from now on, and its host name. */
  name(mark: string, hostname: string): Promise<void>
}

type Watcher = ChildProcessByStdio<Writable, null, Readable>

const searchPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'
/** After the listening socket come bubblewrap's arguments, then its filter. */
const argumentsFd = 4
const maxComplaint = 2_000
/** What a process wrote right before its end arrives a moment after it. */
const complaintMs = 20
/** It has been ended, and its watcher says so. */
const endedMs = 200
/** A start that takes longer has nobody who would hear its complaint. */
const listenMs = 30_000

type Note = (pid: number | undefined) => void

/** Starts it and does not wait for it. `note` is called with its watcher's process on the host before anything runs. */
export const launch = (options: Launch, note: Note): Promise<Launched> =>
  options.byLauncher ? launchBeside(options, note) : launchByTools(options, note)

async function launchBeside(options: Launch, note: Note): Promise<Launched> {
  const { folder, uid, view, filter, command } = options
  const root = join(folder, 'root')
  makeFolder(root, 0o755)
  const watcher = await startWatcher(searchPath, [
    options.mark,
    folder,
    options.socket ?? '',
    makeEndNote(folder),
    options.run,
    ...counted(options.groupFiles),
    uid === null ? '' : String(uid),
    options.isSpare ? 'spare' : '',
    ...launcherRequest(view, { root, filter }, command),
  ])
  try {
    note(watcher.pid)
  } catch (error) {
    watcher.drop()
    throw error
  }
  watcher.go()
  return {
    ended: watcher.ended.then(({ code }) => code),
    complaint: () =>
      Promise.race([watcher.ended.then(({ complaint }) => complaint.trim()), sleep(endedMs, '')]),
    hush: () => {},
    name: watcher.name,
  }
}

async function launchByTools(options: Launch, note: Note): Promise<Launched> {
  const listener = options.socket && (await listenIn(options.folder, options.socket))
  try {
    const child = spawnTools(options, listener?.fd ?? null, note)
    return {
      ended: once(child, 'exit').then(
        ([code]) => code as number | null,
        () => null,
      ),
      complaint: () => complaintOf(child),
      hush: () => child.stderr.destroy(),
      name: () => Promise.reject(new Error('only a spare is given a name')),
    }
  } finally {
    listener?.close()
  }
}

function spawnTools(options: Launch, listenFd: number | null, note: Note): Watcher {
  const { uid } = options
  const strayFds = inheritedFds()
  const design = options.design === 'bwrap' ? bwrap(options) : unshare(options)
  const asUser = uid === null ? [] : [`--reuid=${uid}`, `--regid=${uid}`, '--clear-groups']
  const child = spawn(
    // Only bash can close descriptors above 9, and there hardly ever are any.
    strayFds.length > 0 ? 'bash' : 'sh',
    [
      // Started on a socket, bash would take itself for a remote login and read its owner's settings.
      ...(strayFds.length > 0 ? ['--norc'] : []),
      '-c',
      watch(strayFds),
      'ingot-watch',
      makeEndNote(options.folder),
      options.run,
      enter,
      ...options.groupFiles,
      '--',
      'setpriv',
      ...asUser,
      // A change of uid takes back what was said before.
      ...endWithWatcher,
      '--no-new-privs',
      ...design.command,
    ],
    {
      cwd: '/',
      env: { PATH: searchPath, INGOT_MACHINE: options.mark },
      detached: true,
      stdio: ['pipe', 'ignore', 'pipe', listenFd ?? 'ignore', ...design.files],
    },
  ) as Watcher
  for (const fd of design.files) closeSync(fd)
  child.on('error', () => {})
  // It may have ended before it was let go.
  child.stdin.on('error', () => {})
  child.unref()
  setTimeout(() => child.stderr.destroy(), listenMs).unref()
  try {
    note(child.pid)
    child.stdin.end('go\n')
  } finally {
    // Without a word the launcher ends.
    child.stdin.end()
  }
  return child
}

async function complaintOf(child: Watcher): Promise<string> {
  await sleep(complaintMs)
  const text = String(child.stderr.read() ?? '')
  child.stderr.destroy()
  return text.slice(0, maxComplaint).trim()
}

const endWithWatcher = ['--pdeathsig', 'KILL']

/** Starts `enter` and waits for its end. The arguments are the note's file, the run, `enter`, and what that takes. */
const watch = (strayFds: readonly number[]): string =>
  [
    'set -e',
    ...strayFds.map(fd => `fd=${fd}; exec {fd}>&-`),
    'exec 8<&0 < /dev/null 9<> "$1"',
    'run=$2; enter=$3; shift 3',
    `setpriv ${endWithWatcher.join(' ')} sh -c "$enter" ingot-launch $$ "$@" <&8 8<&- 9>&- &`,
    'exec 3>&- 4>&- 5>&- 8<&-',
    'code=0',
    'wait $! || code=$?',
    writeEndNote,
    'exit $code',
  ].join('\n')

/**
 * Waits for the word. Under memory pressure on the host machines go first, and a crash inside leaves no core file. The
 * arguments are the watcher, which may have ended before anything could end with it, and the groups' files; what comes
 * after `--` becomes the process.
 */
const enter = [
  'set -e',
  '[ "$PPID" = "$1" ]',
  'shift',
  'read -r go',
  'exec < /dev/null',
  'echo 500 > /proc/self/oom_score_adj || :',
  'ulimit -c 0',
  'while [ "$1" != -- ]; do echo $$ > "$1"; shift; done',
  'shift',
  'exec "$@"',
].join('\n')

function bwrap({ folder, view, filter, command }: Launch): { command: string[]; files: number[] } {
  const file = join(folder, 'bwrap.args')
  writeFileSync(file, bwrapArguments(view, filter !== null).join('\0'), { mode: 0o600 })
  const files = [openSync(file, 'r'), ...(filter ? [openSync(filter, 'r')] : [])]
  return { command: ['bwrap', '--args', String(argumentsFd), '--', ...command], files }
}

function unshare({ folder, view, filter, command }: Launch): { command: string[]; files: number[] } {
  const root = join(folder, 'root')
  const table = join(folder, 'mounts')
  makeFolder(root, 0o755)
  writeFileSync(table, mountTable(view, root))
  // The machine's own uid reads it, whatever our umask.
  chmodSync(table, 0o644)
  const script = initScript(view, { root, table, hasFilter: filter !== null }, command)
  return { command: [...unshareCommand, 'sh', '-c', script], files: [] }
}

/** Descriptors that this process itself was started with and would hand on. Node closes its own. */
function inheritedFds(): number[] {
  const closeOnExec = 0o2000000
  const isHandedOn = (fd: number) => {
    const info = `/proc/self/fdinfo/${fd}`
    const flags = existsSync(info) ? /^flags:\s*(\d+)/m.exec(readFileSync(info, 'latin1'))?.[1] : undefined
    return flags !== undefined && (Number.parseInt(flags, 8) & closeOnExec) === 0
  }
  return readdirSync('/proc/self/fd')
    .map(Number)
    .filter(fd => fd > 2 && isHandedOn(fd))
}
