/**
 * Programs and connections of simulated machines: a line of the simulated shell as a program, and a port that echoes.
 * Both end with their machine's run; a program also with this driver, which nobody else can read it from.
 */
import { type Duplex, PassThrough, Readable, Writable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { type Answer, type Command, done, type Execution, failed, type Ref } from '../driver.ts'
import type { MachineFacts } from './facts.ts'
import { find, resolve } from './files.ts'
import type { Wait } from './session.ts'
import { commandDelayMs, openShell, run, type RunResult, runWords, type ShellState } from './shell.ts'

/** As the service of that name in /etc/services. */
export const echoPort = 7
/** Programs and connections of one machine. */
export const maxChannels = 256

const tooMany = failed(
  'transient',
  'The machine has as many programs and connections open as it can have. Close some first.',
)

interface ChannelNeeds {
  readonly now: () => number
  readonly wait: Wait
}

export function openChannels({ now, wait }: ChannelNeeds) {
  /** What ends each of them, by machine. */
  const held = new Map<Ref, Set<() => void>>()

  function hold(ref: Ref, end: () => void): () => void {
    const ends = held.get(ref) ?? new Set()
    held.set(ref, ends.add(end))
    return () => {
      ends.delete(end)
      if (ends.size === 0 && held.get(ref) === ends) held.delete(ref)
    }
  }
  const isFull = (ref: Ref) => (held.get(ref)?.size ?? 0) >= maxChannels

  function end(ref: Ref): void {
    for (const over of held.get(ref) ?? []) over()
    held.delete(ref)
  }

  return {
    exec(ref: Ref, facts: MachineFacts, { command, cwd, size }: Command): Answer<Execution> {
      if (isFull(ref)) return tooMany
      const shell = openShell(facts)
      const place = resolve(shell.cwd, cwd ?? '.')
      if (find(place, facts)?.kind !== 'folder')
        return failed('rejected', 'There is no such folder to start in.')
      const program = createProgram({
        isOnTerminal: size !== undefined,
        wait,
        run: () => runCommand({ ...shell, cwd: place }, command, now()),
      })
      const letGo = hold(ref, program.lose)
      void program.execution.ended.then(letGo)
      return done(program.execution)
    },

    connect(ref: Ref, port: number): Answer<Duplex> {
      if (port !== echoPort) return failed('rejected', 'Nothing in the machine listens on this port.')
      if (isFull(ref)) return tooMany
      const echo = new PassThrough()
      echo.once(
        'close',
        hold(ref, () => echo.destroy()),
      )
      return done(echo)
    },

    /** The run of a machine is over. */
    end,
    close(): void {
      for (const ref of held.keys()) end(ref)
    },
  }
}

/** What a shell is told with `-c` is a line of it; any other program gets its arguments as they are. */
function runCommand(shell: ShellState, command: readonly string[], nowMs: number): RunResult {
  const [name = '', flags = '', line = ''] = command
  const isShell = name === 'sh' || name === 'bash'
  return isShell && /^-l?c$/.test(flags) ? run(shell, line, nowMs) : runWords(shell, command, nowMs)
}

interface ProgramOptions {
  readonly isOnTerminal: boolean
  readonly wait: Wait
  readonly run: () => RunResult
}

function createProgram({ isOnTerminal, wait, run }: ProgramOptions) {
  const { promise: ended, resolve } = Promise.withResolvers<Awaited<Execution['ended']>>()
  const [stdout, stderr] = [new Readable({ read() {} }), new Readable({ read() {} })]
  // It reads nothing, so whatever it is sent is gone.
  const stdin = new Writable({ write: (_data, _encoding, taken) => taken() })
  const outputs = [stdout, stderr] as const
  let isOver = false

  function end(how: Awaited<Execution['ended']>): void {
    if (isOver) return
    isOver = true
    cancel()
    const read = outputs.map(stream => finished(stream).catch(() => {}))
    for (const stream of outputs) stream.push(null)
    void Promise.all(read).then(() => resolve(how))
  }

  const cancel = wait(commandDelayMs, () => {
    const { output, effect, code } = run()
    const shown = effect === 'none' ? output : []
    const text = shown.map(line => line + (isOnTerminal ? '\r\n' : '\n')).join('')
    ;(isOnTerminal || code === 0 ? stdout : stderr).push(text)
    end({ code, signal: null })
  })

  const execution: Execution = {
    stdin,
    stdout,
    stderr,
    ended,
    resize() {},
    signal: signal => end({ code: null, signal }),
    close() {
      end({ code: null, signal: 'HUP' })
      for (const stream of [stdin, ...outputs]) stream.destroy()
    },
  }
  return { execution, lose: () => end(null) }
}
