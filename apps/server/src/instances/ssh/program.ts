/** A shell or a command that somebody runs in a machine over SSH: it ends with its channel, and its channel with it. */
import { randomBytes } from 'node:crypto'
import type { Duplex } from 'node:stream'
import {
  type Driver,
  type Execution,
  type ExecutionSignal,
  executionSignals,
  type TerminalSize,
} from '@ingot/compute/driver'
import type { ServerChannel } from 'ssh2'
import { relay } from './relay.ts'
import type { Inside } from './standing.ts'

/** What a client asked for before it started the program. */
export interface Wish {
  /** Null: the shell of the machine. */
  readonly command: string | null
  readonly env: Readonly<Record<string, string>>
  /** Null: no terminal. */
  readonly size: TerminalSize | null
}

/** What a client may tell it while it runs. */
export interface Program {
  resize(size: TerminalSize): void
  signal(name: string): void
}

const failedCode = 1
const lostCode = 255

/** What people call their shell: the one that knows most, as a login would start it. */
const shell = ['sh', '-c', 'command -v bash >/dev/null 2>&1 && exec bash -l; exec sh -l']
const commandIn = (driver: Driver, command: string): readonly string[] =>
  driver.capabilities.shell === 'simulated'
    ? ['sh', '-c', command]
    : ['sh', '-c', 'command -v bash >/dev/null 2>&1 && exec bash -c "$1"; exec sh -c "$1"', 'sh', command]

export function startProgram(inside: Inside, channel: ServerChannel, wish: Wish): Program {
  let running: Execution | null = null
  let size = wish.size
  const over = new AbortController()
  const end = () => over.abort()
  inside.over.addEventListener('abort', end)
  channel.on('close', () => {
    inside.over.removeEventListener('abort', end)
    end()
  })
  // The client may go away between any two writes.
  channel.on('error', end)
  channel.stderr.on('error', end)

  async function run(driver: Driver, ref: string): Promise<void> {
    const started = await driver.exec(ref, {
      command: wish.command === null ? shell : commandIn(driver, wish.command),
      env: wish.env,
      ...(size && { size }),
    })
    if (started.kind !== 'done')
      return say(
        channel,
        started.kind === 'failed' ? started.message : 'The machine is not ready. Try again in a moment.',
      )
    const execution = started.value
    running = execution
    if (size) execution.resize(size)
    const letGo = () => execution.close()
    over.signal.addEventListener('abort', letGo)
    if (over.signal.aborted) letGo()
    // It may end without having read all of it.
    execution.stdin.on('error', () => channel.resume())
    channel.on('data', inside.noteInput)
    channel.pipe(execution.stdin)
    await Promise.all([
      relay(execution.stdout, channel, inside.socket, over.signal),
      relay(execution.stderr, channel.stderr, inside.socket, over.signal),
    ])
    const end = await execution.ended
    over.signal.removeEventListener('abort', letGo)
    if (end === null) return say(channel, 'The machine went away.', lostCode)
    if (end.signal !== null) channel.exit(end.signal.replace(/^SIG/, ''), false, '')
    else channel.exit(end.code ?? lostCode)
    channel.end()
  }

  const work =
    inside.driver.capabilities.shell === 'simulated' && wish.command === null
      ? runSimulatedShell(inside, channel, over.signal, () => size)
      : { resize: null, done: run(inside.driver, inside.ref) }
  work.done.catch(error => {
    inside.log.warn({ err: error }, 'a program over SSH failed')
    channel.destroy()
  })

  return {
    resize(to) {
      size = to
      running?.resize(to)
      work.resize?.(to)
    },
    signal(name) {
      const known = executionSignals.find(each => each === name)
      if (known) running?.signal(known satisfies ExecutionSignal)
    },
  }
}

/** A simulated machine runs no programs: its shell is a terminal, as the console's. */
function runSimulatedShell(
  { driver, ref, socket, noteInput }: Inside,
  channel: ServerChannel,
  signal: AbortSignal,
  sizeNow: () => TerminalSize | null,
) {
  let resize: ((size: TerminalSize) => void) | null = null
  async function run(): Promise<void> {
    const size = sizeNow()
    if (!size) return say(channel, 'This machine is simulated: its shell needs a terminal. Try ssh -t.')
    const id = `ssh-${randomBytes(9).toString('base64url')}`
    const answer = await driver.attach(ref, id, size)
    if (answer.kind !== 'done')
      return say(channel, answer.kind === 'failed' ? answer.message : 'The machine is not ready.')
    const terminal = answer.value
    resize = to => terminal.resize(to)
    // It would go on without us.
    signal.addEventListener('abort', () => terminal.end('\u0003exit\r'))
    channel.on('data', noteInput)
    channel.pipe(terminal, { end: false })
    await relay(terminal, channel, socket, signal)
    channel.exit(0)
    channel.end()
  }
  return { resize: (size: TerminalSize) => resize?.(size), done: run() }
}

/** Tells the person at the other end, and ends. */
export function say(channel: ServerChannel & Duplex, message: string, code = failedCode): void {
  channel.stderr.write(`${message}\r\n`)
  channel.exit(code)
  channel.end()
}
