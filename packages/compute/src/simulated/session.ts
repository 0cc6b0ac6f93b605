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
  /** A session of an earlier process that this one continues: it is connected at once. */
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
/** Room for one wide character; less is no screen. */
const minColumns = 2
const interrupt = '\u0003'
const bracketedPaste = '\u001B[?2004h'
const nothing = () => {}
const clearScreen = '\u001B[H\u001B[2J\u001B[3J'

export function createSession(options: SessionOptions): Session {
  const { machine, now, wait, saved, write } = options
  let shell = openShell(machine)
  if (saved) shell = { ...shell, cwd: saved.cwd, previousCwd: saved.previousCwd }
  let editor: EditorState = openEditor(prompt(shell), Math.max(options.columns, minColumns), saved?.history)
  let lines: readonly string[] = saved?.lines ?? []
  let typedAhead = ''
  let phase: 'connecting' | 'ready' | 'busy' | 'over' = 'connecting'
  let cancel = nothing

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

  /** Answers whether a command runs now. */
  function take(event: EditorEvent): boolean {
    if (event.kind === 'clear') {
      lines = []
      return false
    }
    const mark = { line: '', interrupt: '^C', end: 'exit' }[event.kind]
    lines = keepLast([...lines, editor.prompt + event.line + mark])
    if (event.kind === 'end') {
      exit()
      return false
    }
    if (event.kind === 'line' && event.line.trim() !== '') {
      phase = 'busy'
      cancel = wait(commandDelayMs, () => finish(event.line))
      return true
    }
    editor = nextLine(editor, prompt(shell))
    write(showLine(editor))
    return false
  }

  /** While nothing reads the input: Ctrl-C counts at once, the rest waits. */
  function typeAhead(text: string): void {
    const at = text.lastIndexOf(interrupt)
    const ahead = (at < 0 ? typedAhead : '') + text.slice(at + 1)
    typedAhead = ahead.slice(0, maxTypedAhead)
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
      if (edited.event && take(edited.event)) return typeAhead(rest)
    }
  }

  if (saved) phase = 'ready'
  else cancel = wait(connectDelayMs, connect)

  return {
    input,
    resize(columns) {
      editor = { ...editor, columns: Math.max(columns, minColumns) }
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
