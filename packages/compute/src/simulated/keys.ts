/**
 * Splits key input, as terminals send it, into runs of text, named keys, and sequences that mean nothing here. Never
 * throws; a sequence that is cut at the end of the input answers null, to be read again when more has come.
 */

export type KeyName =
  | 'enter'
  | 'backspace'
  | 'delete'
  | 'left'
  | 'right'
  | 'up'
  | 'down'
  | 'home'
  | 'end'
  | 'kill-before'
  | 'kill-word'
  | 'kill-after'
  | 'clear'
  | 'interrupt'
  | 'delete-or-end'
  | 'tab'
  | 'paste-begin'
  | 'paste-end'
  | 'none'

export type Key =
  | { readonly kind: 'text'; readonly text: string; readonly end: number }
  | { readonly kind: 'key'; readonly name: KeyName; readonly end: number }

const controls: Readonly<Record<string, KeyName>> = {
  '\u0001': 'home',
  '\u0002': 'left',
  '\u0003': 'interrupt',
  '\u0004': 'delete-or-end',
  '\u0005': 'end',
  '\u0006': 'right',
  '\b': 'backspace',
  '\t': 'tab',
  '\n': 'enter',
  '\u000B': 'kill-after',
  '\f': 'clear',
  '\r': 'enter',
  '\u000E': 'down',
  '\u0010': 'up',
  '\u0015': 'kill-before',
  '\u0017': 'kill-word',
  '\u007F': 'backspace',
}

/** What follows `ESC [` or `ESC O`. */
const sequences: Readonly<Record<string, KeyName>> = {
  A: 'up',
  B: 'down',
  C: 'right',
  D: 'left',
  H: 'home',
  F: 'end',
  '1~': 'home',
  '7~': 'home',
  '4~': 'end',
  '8~': 'end',
  '3~': 'delete',
  '200~': 'paste-begin',
  '201~': 'paste-end',
}

const escape = '\u001B'
/** No real sequence is longer. A longer one is dropped, so that a cut one cannot grow for ever. */
const maxSequence = 32

/** The key that begins at `at`; null when it is not all there yet. */
export function nextKey(input: string, at: number): Key | null {
  const first = input.charAt(at)
  if (first === escape) return nextSequence(input, at)
  if (isControl(first)) {
    const isPair = first === '\r' && input.charAt(at + 1) === '\n'
    return { kind: 'key', name: controls[first] ?? 'none', end: at + (isPair ? 2 : 1) }
  }
  let end = at + 1
  while (end < input.length && !isControl(input.charAt(end))) end++
  return { kind: 'text', text: input.slice(at, end), end }
}

function nextSequence(input: string, at: number): Key | null {
  const kind = input.charAt(at + 1)
  if (kind === '') return null
  if (kind === 'O') {
    const final = input.charAt(at + 2)
    return final === '' ? null : { kind: 'key', name: sequences[final] ?? 'none', end: at + 3 }
  }
  if (kind === escape) return { kind: 'key', name: 'none', end: at + 1 }
  if (kind !== '[') return { kind: 'key', name: 'none', end: at + 2 }
  let end = at + 2
  while (end < input.length && /[ -?]/.test(input.charAt(end))) end++
  if (end - at > maxSequence) return { kind: 'key', name: 'none', end }
  if (end === input.length) return null
  return { kind: 'key', name: sequences[input.slice(at + 2, end + 1)] ?? 'none', end: end + 1 }
}

/** C0, DEL and C1. */
function isControl(char: string): boolean {
  const code = char.charCodeAt(0)
  return code < 32 || (code >= 127 && code < 160)
}
