/**
 * The process beside this one that starts machines, and what is said to it: `launcher.pl` has the words. There is one
 * for all drivers of a process, from the first machine on; it ends with this process. One that was killed is followed by
 * another, and what it has started goes on.
 */
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import type { Socket } from 'node:net'
import { isArchitecture } from './seccomp.ts'

export interface Watcher {
  readonly pid: number
  /** When all of it has ended: its code, null when nobody can tell, and what it complained of. */
  readonly ended: Promise<Ending>
  /** It begins. */
  go(): void
  /** It ends and has done nothing. */
  drop(): void
  /** A spare becomes this machine. Fails when it has ended. */
  name(mark: string, hostname: string): Promise<void>
}

export interface Ending {
  readonly code: number | null
  readonly complaint: string
}

/** System calls that Perl has no word for. */
const calls = {
  x64: {
    capset: 126,
    mount: 165,
    pivot_root: 155,
    prctl: 157,
    setgroups: 116,
    sethostname: 170,
    setresgid: 119,
    setresuid: 117,
    setrlimit: 160,
    umount2: 166,
    unshare: 272,
  },
  arm64: {
    capset: 91,
    mount: 40,
    pivot_root: 41,
    prctl: 167,
    setgroups: 159,
    sethostname: 161,
    setresgid: 149,
    setresuid: 147,
    setrlimit: 164,
    umount2: 39,
    unshare: 97,
  },
} as const

interface Pending {
  readonly ready: PromiseWithResolvers<number>
  readonly named: PromiseWithResolvers<void>
  readonly ended: PromiseWithResolvers<Ending>
}

interface Launcher {
  readonly runs: Map<string, Pending>
  send(fields: readonly string[]): void
  /** Whoever waits must not be left by an event loop that has nothing else to do. */
  awaited<T>(answer: Promise<T>): Promise<T>
}

const lengthBytes = 4
let launcher: Launcher | null = null
let runCount = 0

/** Starts a watcher, which waits for the word. Throws when there is none. */
export async function startWatcher(searchPath: string, request: readonly string[]): Promise<Watcher> {
  launcher ??= startLauncher(searchPath)
  const { runs, send, awaited } = launcher
  const run = String(++runCount)
  const pending: Pending = {
    ready: Promise.withResolvers(),
    named: Promise.withResolvers(),
    ended: Promise.withResolvers(),
  }
  const { ready, named, ended } = pending
  runs.set(run, pending)
  // Mostly nobody waits for it.
  named.promise.catch(() => {})
  void ended.promise.then(({ complaint }) => {
    const error = new Error(complaint.trim() || 'the launcher has ended')
    ready.reject(error)
    named.reject(error)
  })
  send(['launch', run, ...request])
  return {
    pid: await awaited(ready.promise),
    ended: ended.promise,
    go: () => send(['go', run]),
    drop: () => send(['drop', run]),
    name: (mark, hostname) => {
      send(['name', run, mark, hostname])
      return awaited(named.promise)
    },
  }
}

function startLauncher(searchPath: string): Launcher {
  const numbers = Object.entries(isArchitecture(process.arch) ? calls[process.arch] : {})
  const child = spawn(
    'perl',
    [join(import.meta.dirname, 'launcher.pl'), ...numbers.map(([name, number]) => `${name}=${number}`)],
    // Its own session: an interruption at the server's terminal is not for it.
    { cwd: '/', env: { PATH: searchPath }, detached: true, stdio: ['pipe', 'pipe', 'ignore'] },
  )
  // Node's types call them plain streams.
  const [input, output] = [child.stdin, child.stdout] as Socket[] as [Socket, Socket]
  const runs = new Map<string, Pending>()
  let waiting = 0
  const started: Launcher = {
    runs,
    send(fields) {
      const text = Buffer.from(fields.join('\0'))
      const length = Buffer.alloc(lengthBytes)
      length.writeUInt32BE(text.length)
      input.write(Buffer.concat([length, text]))
    },
    awaited(answer) {
      if (++waiting === 1) for (const handle of [child, output]) handle.ref()
      return answer.finally(() => {
        if (--waiting === 0) for (const handle of [child, output]) handle.unref()
      })
    },
  }
  const lose = () => {
    if (launcher === started) launcher = null
    for (const { ended } of runs.values()) ended.resolve({ code: null, complaint: '' })
    runs.clear()
  }
  child.on('error', lose).on('exit', lose)
  input.on('error', lose)
  let unread: Buffer = Buffer.alloc(0)
  output.on('data', (chunk: Buffer) => {
    unread = Buffer.concat([unread, chunk])
    while (unread.length >= lengthBytes && unread.length >= lengthBytes + unread.readUInt32BE()) {
      const end = lengthBytes + unread.readUInt32BE()
      hear(runs, unread.toString('utf8', lengthBytes, end).split('\0'))
      unread = unread.subarray(end)
    }
  })
  for (const handle of [child, input, output]) handle.unref()
  return started
}

function hear(runs: Map<string, Pending>, [what, run = '', number, complaint = '']: string[]): void {
  const pending = runs.get(run)
  if (what === 'ready') pending?.ready.resolve(Number(number))
  if (what === 'named') pending?.named.resolve()
  if (what !== 'end') return
  runs.delete(run)
  pending?.ended.resolve({ code: Number(number), complaint })
}
