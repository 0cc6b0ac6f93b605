/**
 * The simulated shell: the state of one shell and a line in, the next state and lines out. Everything it prints
 * agrees with the machine it is told about, and says that the machine is simulated where a reader could take it for
 * a real one.
 *
 * It is pure: no input or output, no clock, no timers, nothing of Node. The delays and limits stand here as data and
 * are kept by whoever shows the shell, on the server or in a page. It never throws, whatever is typed.
 */
import { execute, type Place } from './commands.ts'
import { hostname, type MachineFacts } from './facts.ts'
import { home } from './files.ts'

/** From opening a terminal to its first prompt. */
export const connectDelayMs = 1_000
/** From Enter to the output. */
export const commandDelayMs = 200
/** Of one command, and of the screen that is kept. */
export const maxOutputLines = 1_000
/** A longer line is cut, typed or printed: nothing the shell knows needs more, and a file may hold anything. */
export const maxLineLength = 1_024

export const connectedMessage = 'Connected to instance'
export const disconnectedMessage = 'Disconnected from instance'

export interface ShellState extends Place {
  readonly machine: MachineFacts
}

export interface RunResult {
  readonly state: ShellState
  readonly output: readonly string[]
  /** `clear`: empty the screen. `exit`: show the output, then disconnect. */
  readonly effect: 'none' | 'clear' | 'exit'
  /** As the command ended: 127 if there is none of this name. */
  readonly code: number
}

/** A customer chooses the name: control characters in it would reach the screen as commands. */
export const openShell = (machine: MachineFacts): ShellState => ({
  machine: { ...machine, name: withoutControls(machine.name) },
  cwd: home,
  previousCwd: null,
})

/** Shown when the connection stands, above the first prompt. */
export const banner = ({ machine }: ShellState): string[] => [
  connectedMessage,
  `${machine.name}: ${machine.gpuCount} x ${machine.gpuType}, simulated. Type 'help' for available commands.`,
  '',
]

export function prompt({ machine, cwd }: ShellState): string {
  const place = cwd === home || cwd.startsWith(`${home}/`) ? `~${cwd.slice(home.length)}` : cwd
  return `root@${hostname(machine.name)}:${place}# `
}

export function run(state: ShellState, line: string, nowMs: number): RunResult {
  const text = withoutControls(line.slice(0, maxLineLength))
  if (text === '') return { state, output: [], effect: 'none', code: 0 }
  const operator = /[|&;<>`$]/.exec(text)
  if (operator) {
    const output = [`bash: '${operator[0]}' is not simulated: type one command a line.`]
    return { state, output, effect: 'none', code: 2 }
  }
  return runWords(state, text.split(/\s+/), nowMs)
}

/** One command that no shell has to split. */
export function runWords(state: ShellState, words: readonly string[], nowMs: number): RunResult {
  const context = { cwd: state.cwd, previousCwd: state.previousCwd, facts: state.machine, nowMs }
  const { output, place, effect = 'none', code = 0 } = execute(words, context)
  return {
    state: { ...state, ...place },
    output: output.slice(0, maxOutputLines).map(printable),
    effect,
    code,
  }
}

/** The last lines that a screen may keep. */
export const keepLast = (lines: readonly string[]): readonly string[] =>
  lines.length > maxOutputLines ? lines.slice(-maxOutputLines) : lines

/** Names, words and files may hold anything; on a screen control characters would be commands. */
function printable(line: string): string {
  const text = line
    .slice(0, maxLineLength)
    .replaceAll('\t', '        ')
    .replaceAll(/\p{Cc}/gu, '?')
  const isWhole = text.length <= maxLineLength && line.length <= maxLineLength
  return isWhole ? text : `${text.slice(0, maxLineLength)}…`
}

const withoutControls = (text: string): string => text.replaceAll(/\p{Cc}/gu, ' ').trim()
