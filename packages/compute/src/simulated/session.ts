/**
 * One simulated shell as a terminal sees it: key input in, screen output out, with the delays of the shell between
 * them. Lives as long as somebody holds it, watched or not; `screen` redraws the last lines, the prompt and the line
 * being typed, and `saved` is what a later process needs to go on from here.
 *
 * Nothing grows without limit: the screen keeps the last lines, the line and the history are capped, and what is
 * typed ahead of a running command is dropped beyond a fixed length. Ctrl-C ends a command that has not answered yet
 * and drops what was typed ahead. Free of Node, so that a page can run it too.
 */
import type { MachineFacts } from './facts.ts'
import { edit, type EditorEvent, type EditorState, nextLine, openEditor, showLine } from './line-editor.ts'
import {
  banner,
  commandDelayMs,
  connectDelayMs,
  disconnectedMessage,
  keepLast,
  openShell,
  prompt,
  run,
} from './shell.ts'

/** Calls `then` once after `ms`; the answer cancels it. */
export type Wait = (ms: number, then: () => void) => () => void

export interface SavedSession {
  readonly cwd: string
  readonly previousCwd: string | null
  readonly history: readonly string[]
  readonly lines: readonly string[]
}

export interface SessionOptions {
  readonly machine: MachineFacts
  readonly now: () => number
  readonly wait: Wait
  readonly columns: number
  /** A session of an earlier process to go on with: it is connected at once. */
  readonly saved?: SavedSession | undefined
  readonly write: (text: string) => void
  /** A command has ended: what `saved` answers has changed. */
  readonly changed: () => void
  /** The visitor left the shell; nothing is written after this. */
  readonly exited: () => void
}

export interface Session {
  input(text: string): void
  resize(columns: number): void
  screen(): string
  saved(): SavedSession
  /** Cancels what is pending. The session is not to be used again. */
  close(): void
}

/** As much as a Linux terminal holds of input that no program reads. */
const maxTypedAhead = 4_096
const interrupt = '\u0003'
const bracketedPaste = '\u001B[?2004h'
const clearScreen = '\u001B[H\u001B[2J\u001B[3J'

export function createSession(options: SessionOptions): Session {
  const { machine, now, wait, saved, write } = options
  let shell = openShell(machine)
  if (saved) shell = { ...shell, cwd: saved.cwd, previousCwd: saved.previousCwd }
  let editor: EditorState = openEditor(prompt(shell), options.columns, saved?.history)
  let lines: readonly string[] = saved?.lines ?? []
  let typedAhead = ''
  let phase: 'connecting' | 'ready' | 'busy' | 'over' = 'connecting'
  let cancel = () => {}

  /** Lines that stay on the screen. */
  function print(added: readonly string[]): void {
    lines = keepLast([...lines, ...added])
    write(added.map(line => `${line}\r\n`).join(''))
  }

  function ready(): void {
    phase = 'ready'
    editor = nextLine(editor, prompt(shell))
    write(showLine(editor))
    const ahead = typedAhead
    typedAhead = ''
    input(ahead)
  }

  function connect(): void {
    write(bracketedPaste)
    print(banner(shell))
    ready()
  }

  function exit(): void {
    print([disconnectedMessage])
    phase = 'over'
    options.exited()
  }

  function finish(line: string): void {
    const result = run(shell, line, now())
    shell = result.state
    print(result.output)
    if (result.effect === 'exit') return exit()
    if (result.effect === 'clear') {
      lines = []
      write(clearScreen)
    }
    ready()
    options.changed()
  }

  function take(event: EditorEvent, rest: string): void {
    if (event.kind === 'clear') {
      lines = []
      return
    }
    const mark = { line: '', interrupt: '^C', end: 'exit' }[event.kind]
    lines = keepLast([...lines, editor.prompt + event.line + mark])
    if (event.kind === 'end') return exit()
    if (event.kind === 'line' && event.line.trim() !== '') {
      phase = 'busy'
      typedAhead = rest
      cancel = wait(commandDelayMs, () => finish(event.line))
      return
    }
    editor = nextLine(editor, prompt(shell))
    write(showLine(editor))
  }

  /** While a command runs: only Ctrl-C counts, the rest waits. */
  function typeAhead(text: string): void {
    const at = text.lastIndexOf(interrupt)
    typedAhead = (at < 0 ? typedAhead : '') + text.slice(at + 1)
    typedAhead = typedAhead.slice(0, maxTypedAhead)
    if (at < 0 || phase !== 'busy') return
    cancel()
    print(['^C'])
    ready()
  }

  function input(text: string): void {
    if (phase === 'connecting' || phase === 'busy') return typeAhead(text)
    let rest = text
    while (phase === 'ready' && rest !== '') {
      const edited = edit(editor, rest)
      editor = edited.state
      rest = edited.rest
      write(edited.output)
      if (edited.event) take(edited.event, rest)
    }
  }

  if (saved) phase = 'ready'
  else cancel = wait(connectDelayMs, connect)

  return {
    input,
    resize(columns) {
      editor = { ...editor, columns }
    },
    screen() {
      if (phase === 'connecting') return ''
      const shown = lines.map(line => `${line}\r\n`).join('')
      return bracketedPaste + shown + (phase === 'ready' ? showLine(editor) : '')
    },
    saved: () => ({ cwd: shell.cwd, previousCwd: shell.previousCwd, history: editor.history, lines }),
    close() {
      phase = 'over'
      cancel()
    },
  }
}
