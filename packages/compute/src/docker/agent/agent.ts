/**
 * Runs inside a machine, beside its programs and with no more rights than they have, and does there what the engine's
 * own interface cannot: runs programs that can be signalled, connects to the machine's loopback, works on its files. It
 * speaks HTTP/2 over its input and output, one stream for each channel, so each is slowed down by itself and both halves
 * end apart; on a stream the words are those of a sandbox's keeper (`sandbox/wire/frames.ts`).
 *
 * It belongs to the driver that started it. When that goes, the programs it ran are hung up on, and it ends.
 */
import { existsSync, readFileSync, statSync } from 'node:fs'
import { performServerHandshake, type ServerHttp2Stream } from 'node:http2'
import { Socket } from 'node:net'
import { Duplex } from 'node:stream'
import { connect } from '../../sandbox/agent/connect.ts'
import { exec } from '../../sandbox/agent/exec.ts'
import { confineTo } from '../../sandbox/agent/open-files.ts'
import { type Peer, peerOf } from '../../sandbox/agent/peer.ts'
import { serveFiles } from '../../sandbox/agent/serve-files.ts'
import { serveRequest } from '../../sandbox/wire/frames.ts'
import {
  type AgentRequest,
  own,
  session as limits,
  sessionWindowBytes,
  toolsFolder,
  variablesFile,
} from './session.ts'

/** Of all kinds together: each costs memory here and at the driver. */
const maxChannels = 256
/** Longer than what is hung up on has to end by itself. */
const endMs = 2_500
const pingMs = 15_000

/** The machine is stopped: whoever started this looks at its files, and nothing of the customer's may run. */
const isForFiles = process.argv[2] === '--files'
/** Of a volume: nothing beside it is anybody's. */
const top = process.argv[3]
if (isForFiles && top !== undefined) {
  confineTo(top)
  become(top)
}

/** What is made here is whose the volume is. */
function become(folder: string): void {
  const { uid, gid } = statSync(folder)
  if (uid === 0) return
  process.setgroups!([gid])
  process.setgid!(gid)
  process.setuid!(uid)
}

/** Of the image only a shell is used, where it has one. */
const means = {
  shell: existsSync('/bin/sh') ? ['/bin/sh'] : own('sh'),
  mkfifo: own('mkfifo'),
  folder: '/dev/shm',
}
let channels = 0

if (process.argv[2] === '--check') check()
else serveAll()

function serveAll(): void {
  // Node would write to these descriptors without ever going on with something else.
  const stdin = new Socket({ fd: 0, readable: true, writable: false })
  const stdout = new Socket({ fd: 1, readable: false, writable: true })
  const session = performServerHandshake(Duplex.from({ readable: stdin, writable: stdout }), limits)
  for (const signal of ['SIGHUP', 'SIGINT', 'SIGTERM', 'SIGPIPE'] as const) process.on(signal, () => {})
  process.on('uncaughtException', error => console.error(error))
  session.setLocalWindowSize(sessionWindowBytes)
  session.on('error', () => session.destroy())
  session.on('stream', serve)
  session.once('close', () => setTimeout(() => process.exit(0), endMs))
  stdin.once('close', () => session.destroy())
  let isHeard = true
  setInterval(() => {
    if (!isHeard || session.destroyed) return session.destroy()
    isHeard = false
    session.ping(error => {
      isHeard = error === null
    })
  }, pingMs)
}

function serve(stream: ServerHttp2Stream): void {
  channels++
  stream.respond({ ':status': 200 })
  serveRequest<AgentRequest>(stream, request => {
    const peer = peerOf(stream)
    open(peer, request)
    return peer.take
  })
  // The driver has let go of it. With something unsent it would never close by itself.
  stream.on('aborted', () => stream.destroy())
  stream.on('close', () => void channels--)
}

function open(peer: Peer, request: AgentRequest): void {
  if (channels > maxChannels) peer.refuse('too_many')
  else if (request.kind === 'files') void serveFiles(peer, request.call)
  else if (isForFiles) peer.refuse('failed')
  else if (request.kind === 'exec') void exec(peer, request, surroundings(request.size !== null))
  else if (request.kind === 'connect') void connect(peer, request.port)
  // The engine keeps it.
  else if (request.kind === 'logs') peer.refuse('failed')
  else {
    const { user, system } = process.cpuUsage()
    peer.accept()
    void peer.finish({ ownMs: (user + system) / 1_000 })
  }
}

/** The container's own variables, without what was set for this program alone, and those that its customer set. */
function surroundings(isTerminal: boolean) {
  const set = new Set((process.env['AGENT_UNSETS'] ?? '').split(',').concat('AGENT_UNSETS'))
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !set.has(name)))
  const terminal: Record<string, string> = isTerminal ? { TERM: 'xterm-256color' } : {}
  return { env: { ...(env as Record<string, string>), ...terminal, ...given() }, cwd: process.cwd(), means }
}

/** The customer may have changed or removed it. */
function given(): Record<string, string> {
  try {
    const found = JSON.parse(readFileSync(variablesFile, 'utf8')) as object
    return Object.fromEntries(Object.entries(found).map(([name, value]) => [name, String(value)]))
  } catch {
    return {}
  }
}

/** Whether our programs came over whole. */
function check(): void {
  const sizes = JSON.parse(readFileSync(`${toolsFolder}/manifest.json`, 'utf8')) as Record<string, number>
  const isWhole = ([path, bytes]: [string, number]) =>
    statSync(`${toolsFolder}/${path}`, { throwIfNoEntry: false })?.size === bytes
  process.exit(Object.entries(sizes).every(isWhole) ? 0 : 1)
}
