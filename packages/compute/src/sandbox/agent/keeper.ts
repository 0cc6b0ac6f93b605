/**
 * Runs inside a machine and keeps its terminals: the control plane comes and goes, shells and their screens stay. It
 * serves the listening socket that it was started with (descriptor 3), which the machine itself can't see as a file.
 *
 * It ends, and the machine with it, when the machine's folder is gone from the host, so that a deleted checkout
 * leaves nothing running. It never ends because of what a viewer or a program does.
 */
import { closeSync, openSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { createFrameReader, frameType, protocol, type Reply, type Request } from '../frames.ts'
import { openTerminal, type ShellTerminal, type Viewer } from './terminal.ts'

const listenFd = 3
const maxTerminals = 16
/** A connection says what it wants within this time. */
const requestMs = 10_000
const folderCheckMs = 2_000
const endCheckMs = 10
/** In the machine's folder on the host, which is bound here, read-only. */
const machineFile = '/run/ingot/machine/shell.json'

interface ShellSettings {
  readonly file: string
  readonly args: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
}

/** Outside a machine there is no such file, and nothing goes on: ending all programs would end those of the host. */
const settings = JSON.parse(readFileSync(machineFile, 'utf8')) as ShellSettings
const terminals = new Map<string, ShellTerminal>()

closeInherited()
process.title = 'ingot-keeper'
// Ctrl-C and hang-ups are for the programs in the terminals.
for (const signal of ['SIGHUP', 'SIGINT', 'SIGTERM', 'SIGPIPE'] as const) process.on(signal, () => {})
process.on('uncaughtException', error => console.error(error))
setInterval(() => {
  if (!statSync(machineFile, { throwIfNoEntry: false })) process.exit(0)
}, folderCheckMs)
createServer(serve).listen({ fd: listenFd }, dropComplaints)

function serve(socket: Socket): void {
  let viewer: Viewer | null = null
  const tooLate = setTimeout(() => socket.destroy(), requestMs)
  const read = createFrameReader((type, payload) => {
    if (type === frameType.request) {
      clearTimeout(tooLate)
      void answer(socket, JSON.parse(payload.toString()) as Request).then(joined => {
        viewer = joined
        if (socket.destroyed) viewer?.leave()
      })
    } else if (type === frameType.input) viewer?.input(payload)
    else if (type === frameType.ack) viewer?.acknowledge(payload.readUInt32BE(0))
    else viewer?.resize({ cols: payload.readUInt16BE(0), rows: payload.readUInt16BE(2) })
  })
  socket.on('data', chunk => {
    try {
      read(chunk)
    } catch {
      socket.destroy()
    }
  })
  socket.on('error', () => socket.destroy())
  socket.on('close', () => {
    clearTimeout(tooLate)
    viewer?.leave()
  })
}

async function answer(socket: Socket, request: Request): Promise<Viewer | null> {
  if (request.kind === 'attach') return attach(socket, request)
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
    const terminal = known ?? openTerminal(settings, { cols, rows }, () => forget(terminalId, terminal))
    terminals.set(terminalId, terminal)
    return await terminal.attach(socket, { cols, rows })
  } catch {
    // No process could be made: the machine's limit is reached.
    return refuse(socket, 'no_shell')
  }
}

function refuse(socket: Socket, error: 'too_many_terminals' | 'no_shell'): null {
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

/** It is up, and whoever started it listens no more. An open file takes the lowest number that is free. */
function dropComplaints(): void {
  closeSync(2)
  openSync('/dev/null', 'w')
}

/** Closes what the control plane's own parents left open: a machine must hold no door to the host. */
function closeInherited(): void {
  const closeOnExec = 0o2000000
  for (const name of readdirSync('/proc/self/fd')) {
    const fd = Number(name)
    if (fd <= listenFd) continue
    try {
      const flags = /^flags:\s*(\d+)/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, 'latin1'))?.[1]
      if (flags && (Number.parseInt(flags, 8) & closeOnExec) === 0) closeSync(fd)
    } catch {
      // It was the listing's own.
    }
  }
}
