/** A program that somebody runs beside the terminals, and what the machine itself was started for. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import type { Readable, Writable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { type ExecRequest, frameType } from '../wire/frames.ts'
import type { Peer } from './peer.ts'
import { openPipes, type PipeMeans } from './pipes.ts'
import { openPty, type Program } from './pty.ts'

export type Surroundings = Pick<Program, 'env' | 'cwd'> & { readonly means?: Means }

/** What of the machine's own it takes to start a program. */
export interface Means extends PipeMeans {
  readonly shell: readonly string[]
}

const ordinary: Means = { shell: ['/bin/sh'], mkfifo: ['mkfifo'], folder: '/run' }

/** What the control plane hangs up on has this long to end by itself. */
const hangupMs = 2_000
/** Pipes that a program has left open behind it are read until nothing came for this long, */
const quietMs = 100
/** and no longer than this while somebody reads. */
const lingerMs = 5_000
const maxInputBytes = 128 * 1024
/** Ctrl-D. */
const endOfInput = Buffer.of(4)
/** A few characters are copied; a flood gets a new buffer. */
const smallBytes = 4 * 1024

/**
 * A shell takes the program's place at once: it looks the program up and says what is wrong with it. Descriptor 3 would
 * be the keeper's door; it is `/dev/null` already for the shell, which a variable may have given other code to run.
 */
const start = ['-c', 'exec "$@" 3>&-', 'sh']
const nowhere = openSync('/dev/null', 'r+')

interface Running {
  readonly pid: number
  readonly stdin: Writable | null
  readonly outputs: readonly [Readable, Readable]
  readonly ended: Promise<Exit>
  kill(signal: NodeJS.Signals): void
}

interface Exit {
  readonly code: number | null
  readonly signal: string | null
}

/** Fails when no process can be made, or it can't begin where it was told to. */
export async function spawnProgram(
  command: readonly string[],
  { env, cwd, means = ordinary }: Surroundings,
  hasInput: boolean,
): Promise<Running> {
  const pipes = await openPipes(means, hasInput ? [true, false, false] : [false, false])
  const theirs = pipes.map(pipe => pipe.theirs)
  const ours = pipes.map(pipe => pipe.ours)
  try {
    const stdio = [...(hasInput ? [] : ['ignore' as const]), ...theirs, nowhere]
    const [shell, ...rest] = means.shell
    const child = spawn(shell!, [...rest, ...start, ...command], { env, cwd, stdio, detached: true })
    const ended = once(child, 'exit').then(([code, signal]) => ({ code, signal }) as Exit)
    await Promise.race([once(child, 'spawn'), ended])
    const [stdout, stderr] = ours.slice(-2)
    return {
      pid: child.pid!,
      stdin: hasInput ? ours[0]! : null,
      outputs: [stdout!, stderr!],
      ended,
      kill: signal => void child.kill(signal),
    }
  } catch (error) {
    for (const end of ours) end.destroy()
    throw error
  } finally {
    for (const fd of theirs) closeSync(fd)
  }
}

export async function exec(peer: Peer, request: ExecRequest, settings: Surroundings): Promise<void> {
  const { env, cwd, means = ordinary } = settings
  const surroundings = { env: { ...env, ...request.env }, cwd: request.cwd ?? cwd, means }
  try {
    if (request.size)
      onTerminal(peer, [...means.shell, ...start, ...request.command], { ...surroundings, ...request.size })
    else await onPipes(peer, request.command, surroundings)
  } catch (error) {
    // No process could be made: the machine's limit is reached.
    if (!isMissing(error as NodeJS.ErrnoException)) return peer.refuse('no_shell')
    peer.accept()
    peer.errors.write(`${surroundings.cwd}: no such folder\n`)
    await peer.finish({ code: 127, signal: null })
  }
}

async function onPipes(peer: Peer, command: readonly string[], surroundings: Surroundings): Promise<void> {
  const { pid, stdin, outputs, ended, kill } = await spawnProgram(command, surroundings, true)
  peer.accept()
  // It may end without having read all of it.
  stdin!.on('error', () => peer.input.resume())
  peer.input.pipe(stdin!)
  outputs.forEach((output, at) => output.pipe(at === 0 ? peer.output : peer.errors, { end: false }))
  peer.onFrame = (type, payload) => {
    if (type === frameType.signal) signalGroup(pid, payload.toString())
  }
  const letGo = () => {
    signalGroup(pid, 'SIGHUP')
    const late = setTimeout(kill, hangupMs, 'SIGKILL').unref()
    void ended.then(() => clearTimeout(late))
    for (const stream of [stdin!, ...outputs]) stream.destroy()
  }
  if (peer.closed.aborted) letGo()
  else peer.closed.addEventListener('abort', letGo)
  const exit = await ended
  peer.closed.removeEventListener('abort', letGo)
  await drained(outputs, [peer.output, peer.errors])
  stdin!.destroy()
  await peer.finish(exit)
}

/** Resolves when all has been read of what a program that has ended wrote. */
export async function drained(outputs: readonly Readable[], to: readonly Writable[]): Promise<void> {
  let heard = 0
  for (const output of outputs) output.on('data', () => heard++)
  const ended = Promise.all(outputs.map(output => finished(output).catch(() => {})))
  for (let left = lingerMs / quietMs, before = -1; left > 0;) {
    if (await Promise.race([ended.then(() => true), sleep(quietMs, false)])) return
    if (to.some(stream => stream.writableNeedDrain)) continue
    if (heard === before) break
    before = heard
    left--
  }
  for (const output of outputs) output.destroy()
}

function onTerminal(
  peer: Peer,
  [file, ...args]: readonly string[],
  program: Omit<Program, 'file' | 'args'>,
): void {
  const pty = openPty(
    { ...program, file: file!, args },
    data => {
      const sent = data.length <= smallBytes ? Buffer.from(data) : data
      if (!peer.output.write(sent)) hold()
      return sent === data ? 'kept' : 'done'
    },
    () => void pty.exit.then(exit => peer.finish(exit)),
  )
  function hold(): void {
    pty.pause()
    peer.output.once('drain', () => pty.resume())
  }
  peer.accept()
  peer.input.on('data', (data: Buffer) => {
    pty.write(data)
    if (pty.inputLength <= maxInputBytes) return
    peer.input.pause()
    const look = setInterval(() => {
      if (pty.inputLength > maxInputBytes / 4 && !peer.closed.aborted) return
      clearInterval(look)
      peer.input.resume()
    }, 10)
  })
  peer.input.once('end', () => pty.write(endOfInput))
  peer.onFrame = (type, payload) => {
    if (type === frameType.resize) pty.resize(payload.readUInt16BE(0), payload.readUInt16BE(2))
    else if (type === frameType.signal) signalGroup(pty.pid, payload.toString())
  }
  peer.closed.addEventListener('abort', () => {
    pty.close()
    const kill = setTimeout(() => process.kill(pty.pid, 'SIGKILL'), hangupMs).unref()
    void pty.exit.then(() => clearTimeout(kill))
  })
}

/** To a program and those of its children that have not left it. */
function signalGroup(pid: number, signal: string): void {
  try {
    process.kill(-pid, signal)
  } catch {
    // Gone, or no signal.
  }
}

const isMissing = (error: NodeJS.ErrnoException) => ['ENOENT', 'ENOTDIR', 'EACCES'].includes(error.code ?? '')
