/**
 * A process of its own beside the worker: holds the streams of the shells that the engine runs in machines, and their
 * screens, so that servers come and go and shells stay. It serves the listening socket that it was started with
 * (descriptor 3; in the driver's folder, for its user alone), in the words of a sandbox's keeper. Where several servers
 * share the engine it is reached over the network too, by those that have its secret (`secure.ts`).
 *
 * Letting go of a stream does not end the program behind it. So each shell is noted with its process id and start time
 * before anybody sees it, and ended when nobody keeps it any more: by this keeper, or by the next one when this one is
 * killed. It ends when nothing has been asked of it for a while, and when its folder is gone or another has taken over.
 */
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { openTerminal, type ShellTerminal, takeFor, type Viewer } from '../../sandbox/agent/terminal.ts'
import { protocol, type Reply, type Request, serveRequest } from '../../sandbox/wire/frames.ts'
import { type EngineOptions, openEngine } from '../engine.ts'
import { namesOf } from '../names.ts'
import { secureServer } from './secure.ts'
import { beginShell, endShells } from './shell.ts'
import { openShellNotes } from './shell-notes.ts'

export interface KeeperOptions {
  readonly dir: string
  readonly engine: EngineOptions
  readonly installation: string
  /** Where other servers reach it, and the secret that they have, as base64. */
  readonly network: { readonly host: string; readonly secret: string } | null
}

const listenFd = 3
/** Of one machine, and of all. Each may keep 256 KiB of output and a screen. */
const maxTerminals = 16
const maxTerminalsInAll = 512
const folderCheckMs = 1_000
const idleMs = 60_000

type Refusal = Extract<Reply, { ok: false }>['error']

const { dir, engine: address, installation, network } = JSON.parse(readFileSync(0, 'utf8')) as KeeperOptions
const engine = openEngine(address)
const names = namesOf(installation)
const notes = openShellNotes(dir)
const terminals = new Map<string, Promise<ShellTerminal>>()
const place = () => statSync(join(dir, 'keeper.sock'), { throwIfNoEntry: false })?.ino
const ownPlace = place()
let connections = 0
let usedAt = performance.now()

process.title = 'ingot-docker-keeper'
// For whoever wants to know which process it is.
writeFileSync(join(dir, 'keeper.pid'), `${process.pid}\n`, { mode: 0o600 })
for (const signal of ['SIGHUP', 'SIGINT', 'SIGPIPE'] as const) process.on(signal, () => {})
process.on('SIGTERM', () => void leave())
process.on('uncaughtException', () => {})
process.on('unhandledRejection', () => {})
// A keeper that was killed has left these.
void endShells(engine, notes.taken())
setInterval(look, folderCheckMs)
if (network) await listenOn(network)
createServer(serve).listen({ fd: listenFd })

/** Whoever started it reads there where it is. */
async function listenOn({ host, secret }: { host: string; secret: string }): Promise<void> {
  const server = secureServer(Buffer.from(secret, 'base64'), serve)
  try {
    await once(server.listen(0, host), 'listening')
    const { port } = server.address() as AddressInfo
    writeFileSync(join(dir, 'keeper.address'), JSON.stringify({ host, port }), { mode: 0o600 })
  } catch (error) {
    writeFileSync(join(dir, 'keeper.problem'), String(error), { mode: 0o600 })
    process.exit(1)
  }
}

function look(): void {
  if (connections > 0 || terminals.size > 0) usedAt = performance.now()
  const isIdle = performance.now() - usedAt > idleMs
  if (isIdle || place() !== ownPlace) void leave()
}

async function leave(): Promise<void> {
  await endShells(engine, notes.own()).catch(() => {})
  process.exit(0)
}

function serve(socket: Socket): void {
  connections++
  serveRequest(socket, request => takeFor(socket, answer(socket, request)))
  socket.on('close', () => void connections--)
}

async function answer(socket: Socket, request: Request): Promise<Viewer | null> {
  if (request.kind === 'attach') return attach(socket, request)
  const reply: Reply =
    request.kind === 'hello' ? { protocol, ok: true, known: true } : { protocol, ok: false, error: 'failed' }
  socket.end(`${JSON.stringify(reply)}\n`)
  return null
}

async function attach(
  socket: Socket,
  { terminalId, cols, rows }: Extract<Request, { kind: 'attach' }>,
): Promise<Viewer | null> {
  const [ref = ''] = terminalId.split('/', 1)
  const known = terminals.get(terminalId)
  const ofMachine = [...terminals.keys()].filter(key => key.startsWith(`${ref}/`)).length
  if (!known && (ofMachine >= maxTerminals || terminals.size >= maxTerminalsInAll))
    return refuse(socket, 'too_many_terminals')
  const opening = known ?? open(terminalId, names.container(ref), { cols, rows })
  try {
    const terminal = await opening
    return await terminal.attach(socket, { cols, rows })
  } catch {
    return refuse(socket, 'no_shell')
  }
}

function open(
  terminalId: string,
  container: string,
  size: { cols: number; rows: number },
): Promise<ShellTerminal> {
  const forget = () => {
    if (terminals.get(terminalId) === opening) terminals.delete(terminalId)
  }
  const opening = beginShell(engine, notes, container, size).then(shell => openTerminal(shell, size, forget))
  terminals.set(terminalId, opening)
  opening.catch(forget)
  return opening
}

function refuse(socket: Socket, error: Refusal): null {
  socket.end(`${JSON.stringify({ protocol, ok: false, error } satisfies Reply)}\n`)
  return null
}
