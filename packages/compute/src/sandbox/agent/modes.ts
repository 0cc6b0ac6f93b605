/**
 * What a terminal's output has switched on and off: what must survive when the text that did it is thrown away, or
 * when a new viewer gets the screen but not its history. Only the latest of each kind is kept, in the order in which
 * they were set, so replaying them is short and lands in the same state.
 */
import type { Sequence } from './escapes.ts'

/** What a serialized screen leaves out. */
const notInSnapshot = /^(\?(12|25|1005|1006|1015|1016)|cursor|title|[()*+])$/
/** What a soft reset puts back. */
const softReset = ['?1', '?6', '?7', '?25', '4', 'margins', 'keypad', 'sgr', '(', ')']
const maxSgr = 32
/** Far more than there are; a program may invent numbers. */
const maxKept = 64

export interface TerminalModes {
  readonly note: Sequence
  readonly isAlternateScreen: boolean
  readonly margins: string | undefined
  /** Everything, for a screen that has missed it. */
  replay(): string
  /** What to add to a serialized screen. */
  unserialized(): string
  clear(): void
}

export function createModes(): TerminalModes {
  const set = new Map<string, string>()
  let sgr: string[] = []

  const put = (key: string, text: string) => {
    set.delete(key)
    set.set(key, text)
    if (set.size > maxKept) set.delete(set.keys().next().value!)
  }

  function noteCsi(body: string): void {
    const text = `\u001B[${body}`
    const mode = /^(\??)([\d;]+)([hl])$/.exec(body)
    if (mode) {
      for (const number of mode[2]!.split(';'))
        put(`${mode[1]}${number}`, `\u001B[${mode[1]}${number}${mode[3]}`)
    } else if (/^[\d;:]*m$/.test(body)) {
      sgr = /^(0?m|0?;)/.test(body) ? [text] : [...sgr, text].slice(-maxSgr)
      put('sgr', sgr.join(''))
    } else if (/^[\d;]*r$/.test(body)) put('margins', text)
    else if (/^\d* q$/.test(body)) put('cursor', text)
    else if (body === '!p') {
      for (const key of softReset) set.delete(key)
      sgr = []
      put('soft', text)
    }
  }

  function noteEscape(body: string): void {
    if (body === 'c') {
      set.clear()
      sgr = []
      put('reset', '\u001Bc')
    } else if (body === '=' || body === '>') put('keypad', `\u001B${body}`)
    else if (/^[()*+]./.test(body)) put(body[0]!, `\u001B${body}`)
  }

  return {
    note(kind, body) {
      if (kind === 'csi') noteCsi(body)
      else if (kind === 'escape') noteEscape(body)
      else if (/^[02];/.test(body)) put('title', `\u001B]${body}\u0007`)
    },

    get isAlternateScreen() {
      const latest = [...set].findLast(([key]) => key === '?1049' || key === '?1047' || key === '?47')
      return latest?.[1].endsWith('h') ?? false
    },

    get margins() {
      return set.get('margins')
    },

    replay: () => [...set.values()].join(''),

    unserialized: () =>
      [...set]
        .filter(([key]) => notInSnapshot.test(key))
        .map(([, text]) => text)
        .join(''),

    clear() {
      set.clear()
      sgr = []
    },
  }
}
