/**
 * The line a visitor edits: a state and key input in, the next state and what to write to the screen out. Knows the
 * arrows, Home, End, Delete, Backspace, Ctrl-A E U W K L C D, the history with Up and Down, and bracketed paste. Pure,
 * and never throws.
 *
 * Line breaks in a paste become blanks, so that Enter stays the visitor's. Input is text: whoever holds bytes decodes
 * them first and keeps a cut character; a cut escape sequence is kept here.
 */
import { type KeyName, nextKey } from './keys.ts'
import { characters, move, positionAfter, settleFullRow } from './line-layout.ts'

export interface EditorState {
  readonly prompt: string
  /** Width of the screen: a longer line goes on in the next row. */
  readonly columns: number
  readonly line: readonly string[]
  /** Index into `line`, its length when at the end. */
  readonly cursor: number
  /** Oldest first. */
  readonly history: readonly string[]
  /** Index into `history` while walking through it. */
  readonly recalled: number | null
  /** What was typed before Up was pressed. */
  readonly draft: string
  /** The beginning of an escape sequence whose rest has not come yet. */
  readonly cut: string
  readonly isPasting: boolean
}

/** How the line was left. `end` is Ctrl-D on an empty line, `clear` is Ctrl-L. */
export type EditorEvent =
  | { readonly kind: 'line'; readonly line: string }
  | { readonly kind: 'interrupt' | 'end' | 'clear'; readonly line: string }

export interface Edited {
  readonly state: EditorState
  readonly output: string
  /** Null when all input was taken. Otherwise `rest` is what came after it. */
  readonly event: EditorEvent | null
  readonly rest: string
}

const bell = '\u0007'
const maxHistory = 500
/** In characters. More is answered with the bell. */
const maxLine = 1_024

export const openEditor = (
  prompt: string,
  columns: number,
  history: readonly string[] = [],
): EditorState => ({
  prompt,
  columns,
  line: [],
  cursor: 0,
  history,
  recalled: null,
  draft: '',
  cut: '',
  isPasting: false,
})

/** An empty line under a new prompt; the history stays. */
export const nextLine = (state: EditorState, prompt: string): EditorState => ({
  ...openEditor(prompt, state.columns, state.history),
})

/** The prompt and the line as they stand, with the cursor in its place; written at the beginning of a row. */
export function showLine(state: EditorState): string {
  const end = place(state, state.line.length)
  return state.prompt + state.line.join('') + settleFullRow(end) + move(end, place(state, state.cursor))
}

/** Takes input up to the first thing that is not editing. */
export function edit(before: EditorState, input: string): Edited {
  const pending = before.cut + input
  let state: EditorState = { ...before, cut: '' }
  let output = ''
  let at = 0
  while (at < pending.length) {
    const key = nextKey(pending, at)
    if (!key) return { state: { ...state, cut: pending.slice(at) }, output, event: null, rest: '' }
    at = key.end
    const step = key.kind === 'text' ? insert(state, key.text) : press(state, key.name)
    state = step.state
    output += step.output
    if (step.event) return { state, output, event: step.event, rest: pending.slice(at) }
  }
  return { state, output, event: null, rest: '' }
}

interface Step {
  readonly state: EditorState
  readonly output: string
  readonly event?: EditorEvent
}

const place = (state: EditorState, index: number) =>
  positionAfter([...state.prompt, ...state.line.slice(0, index)], state.columns)

/** The step to a changed line: what comes after the first difference is wiped and written again. */
function change(before: EditorState, changes: Partial<EditorState>): Step {
  const state = { ...before, ...changes }
  const differs = state.line.findIndex((character, index) => character !== before.line[index])
  const same = differs < 0 ? state.line.length : differs
  const end = place(state, state.line.length)
  const output = [
    move(place(before, before.cursor), place(state, same)),
    '\u001B[J',
    ...state.line.slice(same),
    settleFullRow(end),
    move(end, place(state, state.cursor)),
  ]
  return { state, output: output.join('') }
}

function moveTo(before: EditorState, cursor: number): Step {
  if (cursor < 0 || cursor > before.line.length) return { state: before, output: bell }
  const state = { ...before, cursor }
  return { state, output: move(place(before, before.cursor), place(state, cursor)) }
}

function insert(state: EditorState, text: string): Step {
  const added = characters(text)
    .slice(0, maxLine - state.line.length)
    .join('')
  if (added === '') return { state, output: bell }
  const before = state.line.slice(0, state.cursor).join('') + added
  const line = characters(before + state.line.slice(state.cursor).join(''))
  const cursor = Math.min(characters(before).length, line.length)
  if (state.cursor < state.line.length) return change(state, { line, cursor })
  const next = { ...state, line, cursor }
  return { state: next, output: added + settleFullRow(place(next, cursor)) }
}

function remove(state: EditorState, from: number, to: number): Step {
  if (from < 0 || to > state.line.length || from === to) return { state, output: bell }
  const text = state.line.slice(0, from).join('') + state.line.slice(to).join('')
  return change(state, { line: characters(text), cursor: from })
}

/** Walks the history: -1 to older lines, 1 to newer ones and at last to what was being typed. */
function recall(state: EditorState, direction: -1 | 1): Step {
  const { history, recalled } = state
  const target = (recalled ?? history.length) + direction
  if (target < 0 || target > history.length) return { state, output: bell }
  const isDraft = target === history.length
  const draft = recalled === null ? state.line.join('') : state.draft
  const line = characters(isDraft ? draft : history[target]!)
  return change(state, { line, cursor: line.length, recalled: isDraft ? null : target, draft })
}

/** Leaves the line: the cursor goes below it and an event says why. */
function leave(state: EditorState, event: EditorEvent, shown: string): Step {
  const below = move(place(state, state.cursor), place(state, state.line.length))
  return { state, output: `${below}${shown}\r\n`, event }
}

function enter(state: EditorState): Step {
  const line = state.line.join('')
  const isNew = line.trim() !== '' && line !== state.history.at(-1)
  const history = isNew ? [...state.history, line].slice(-maxHistory) : state.history
  return leave({ ...state, history }, { kind: 'line', line }, '')
}

function wordStart(state: EditorState): number {
  let index = state.cursor
  while (index > 0 && state.line[index - 1] === ' ') index--
  while (index > 0 && state.line[index - 1] !== ' ') index--
  return index
}

const keys: Readonly<Record<KeyName, (state: EditorState) => Step>> = {
  enter,
  backspace: state => remove(state, state.cursor - 1, state.cursor),
  delete: state => remove(state, state.cursor, state.cursor + 1),
  left: state => moveTo(state, state.cursor - 1),
  right: state => moveTo(state, state.cursor + 1),
  home: state => moveTo(state, 0),
  end: state => moveTo(state, state.line.length),
  up: state => recall(state, -1),
  down: state => recall(state, 1),
  'kill-before': state => remove(state, 0, state.cursor),
  'kill-word': state => remove(state, wordStart(state), state.cursor),
  'kill-after': state => remove(state, state.cursor, state.line.length),
  clear: state => ({
    state,
    output: `\u001B[H\u001B[2J${showLine(state)}`,
    event: { kind: 'clear', line: state.line.join('') },
  }),
  interrupt: state => leave(state, { kind: 'interrupt', line: state.line.join('') }, '^C'),
  'delete-or-end': state =>
    state.line.length === 0
      ? leave(state, { kind: 'end', line: '' }, 'exit')
      : remove(state, state.cursor, state.cursor + 1),
  tab: state => ({ state, output: bell }),
  'paste-begin': state => ({ state: { ...state, isPasting: true }, output: '' }),
  'paste-end': state => ({ state: { ...state, isPasting: false }, output: '' }),
  none: state => ({ state, output: '' }),
}

function press(state: EditorState, name: KeyName): Step {
  if (!state.isPasting || name === 'paste-end') return keys[name](state)
  /** A way out for a visitor whose terminal never sends the end of a paste. */
  if (name === 'interrupt') return keys.interrupt({ ...state, isPasting: false })
  if (name === 'enter' || name === 'tab') return insert(state, ' ')
  return { state, output: '' }
}
