/**
 * Runs inside a machine and keeps its terminals: the control plane comes and goes, shells and their screens stay. It
 * serves the listening socket that it was started with (descriptor 3), which the machine itself can't see as a file.
 *
 * It ends, and the machine with it, when the machine's folder is gone from the host, so that a deleted checkout
 * leaves nothing running; and when the machine’s main program has ended. Nothing else that a viewer or a program does
 * ends it.
 */
import { readdirSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { type ChannelRequest, protocol, type Reply, type Request, serveRequest } from '../wire/frames.ts'
import { connect } from './connect.ts'
import { exec } from './exec.ts'
import { beginInside, dropComplaints, listenFd, readSettings } from './inside.ts'
import { type Log, openLog, sendLog } from './log.ts'
import { runMainProgram } from './main-program.ts'
import { type Peer, peerOf } from './peer.ts'
import { openPty, warmUp } from './pty.ts'
import { serveFiles } from './serve-files.ts'
import { linkVolumes, type VolumeLinks } from './volume-links.ts'
import { openTerminal, type OpenShell, type ShellTerminal, takeFor, type Viewer } from './terminal.ts'

const maxTerminals = 16
/** Of all kinds together. Each costs memory here and at the control plane. */
const maxChannels = 256
const endCheckMs = 10
/** Whoever starts a machine sees it run, however soon its main program ends. */
const seenMs = 1_000

interface ShellSettings {
  readonly file: string
  readonly args: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  /** The main program; null: the machine is there for its terminals. */
  readonly command: readonly string[] | null
  /** Absent where an older version wrote this. */
  readonly volumes?: VolumeLinks
  /** It is nobody's yet, and has none of the others. */
  readonly isSpare?: true
}

let settings = beginInside<ShellSettings>('ingot-keeper')
const terminals = new Map<string, ShellTerminal>()
const channels = new Set<Peer>()
const log: Log = openLog()
let isEnding = false

createServer(serve).listen({ fd: listenFd }, () => {
  dropComplaints()
  if (settings.isSpare) warmUp()
  else beginWork()
})

/** False while it is nobody's. */
function begin(): boolean {
  if (!settings.isSpare) return true
  settings = readSettings()
  if (settings.isSpare) return false
  beginWork()
  return true
}

function beginWork(): void {
  if (settings.volumes) linkVolumes(settings.volumes)
  if (settings.command) void serveMain(settings.command)
}

async function serveMain(command: readonly string[]): Promise<void> {
  const seen = sleep(seenMs)
  await runMainProgram(command, settings, log)
  await seen
  // At a stop the other programs have their grace too.
  if (!isEnding) process.exit(0)
}

function serve(socket: Socket): void {
  serveRequest(socket, request => {
    if (!isChannel(request)) return takeFor(socket, answer(socket, request))
    const peer = peerOf(socket)
    open(peer, request)
    return peer.take
  })
}

const isChannel = (request: Request): request is ChannelRequest =>
  ['exec', 'connect', 'logs', 'files'].includes(request.kind)

function open(peer: Peer, request: ChannelRequest): void {
  if (settings.isSpare) return peer.refuse('failed')
  if (channels.size >= maxChannels) return peer.refuse('too_many')
  channels.add(peer)
  peer.closed.addEventListener('abort', () => channels.delete(peer))
  if (request.kind === 'exec') void exec(peer, request, settings)
  else if (request.kind === 'connect') void connect(peer, request.port)
  else if (request.kind === 'logs') void sendLog(peer, request, log)
  else void serveFiles(peer, request.call)
}

async function answer(socket: Socket, request: Exclude<Request, ChannelRequest>): Promise<Viewer | null> {
  if (request.kind === 'begin' && !begin()) return refuse(socket, 'failed')
  if (request.kind === 'attach') return settings.isSpare ? refuse(socket, 'failed') : attach(socket, request)
  const reply: Reply = { protocol, ok: true, known: true }
  socket.end(`${JSON.stringify(reply)}\n`)
  if (request.kind === 'hangup') endMachine(request.graceMs)
  return null
}

async function attach(
  socket: Socket,
  { terminalId, cols, rows }: Extract<Request, { kind: 'attach' }>,
): Promise<Viewer | null> {
  const known = terminals.get(terminalId)
  if (!known && terminals.size >= maxTerminals && !closeUnused()) return refuse(socket, 'too_many_terminals')
  try {
    const terminal = known ?? openTerminal(openShell, { cols, rows }, () => forget(terminalId, terminal))
    terminals.set(terminalId, terminal)
    return await terminal.attach(socket, { cols, rows })
  } catch {
    // No process could be made: the machine's limit is reached.
    return refuse(socket, 'no_shell')
  }
}

const openShell: OpenShell = (size, onData, onExit) => openPty({ ...settings, ...size }, onData, onExit)

function refuse(socket: Socket, error: Extract<Reply, { ok: false }>['error']): null {
  const reply: Reply = { protocol, ok: false, error }
  socket.end(`${JSON.stringify(reply)}\n`)
  return null
}

function forget(terminalId: string, terminal: ShellTerminal): void {
  if (terminals.get(terminalId) === terminal) terminals.delete(terminalId)
}

/** Makes room for a new terminal: closes the longest unused of those that nobody looks at and that wait at a prompt. */
function closeUnused(): boolean {
  const unused = [...terminals]
    .filter(([, terminal]) => terminal.viewers === 0 && terminal.isIdle())
    .toSorted(([, a], [, b]) => a.lastUsedAt - b.lastUsedAt)[0]
  if (!unused) return false
  const [terminalId, terminal] = unused
  terminals.delete(terminalId)
  terminal.close()
  return true
}

/** Asks all programs to end, waits for them, and then ends the machine by ending itself. */
function endMachine(graceMs: number): void {
  isEnding = true
  // A shell that misses the signal still finds its terminal gone.
  for (const terminal of terminals.values()) terminal.close()
  for (const signal of ['SIGHUP', 'SIGTERM', 'SIGCONT'] as const) {
    try {
      // Every process of the machine but this one and the first.
      process.kill(-1, signal)
    } catch {
      // There are none.
    }
  }
  setTimeout(() => process.exit(0), graceMs)
  setInterval(() => {
    if (readdirSync('/proc').filter(name => /^\d+$/.test(name)).length <= 2) process.exit(0)
  }, endCheckMs)
}
