import { createRequire } from 'node:module'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { edit, type EditorState, nextLine, openEditor, showLine } from './line-editor.ts'
import { positionAfter, width } from './line-layout.ts'

/** CommonJS: Node cannot see its names. */
const { Terminal } = createRequire(import.meta.url)('@xterm/headless') as typeof import('@xterm/headless')

const up = '\u001B[A'
const down = '\u001B[B'
const right = '\u001B[C'
const left = '\u001B[D'
const home = '\u001B[H'
const end = '\u001B[F'
const del = '\u001B[3~'
const backspace = '\u007F'
const ctrl = (letter: string) => String.fromCharCode(letter.charCodeAt(0) - 64)
const paste = (text: string) => `\u001B[200~${text}\u001B[201~`

const fresh = (history: string[] = []) => openEditor('$ ', 80, history)
const text = (state: EditorState) => state.line.join('')
/** The line and `|` where the cursor stands. */
const typed = (input: string, state = fresh()) => {
  const { line, cursor } = edit(state, input).state
  return `${line.slice(0, cursor).join('')}|${line.slice(cursor).join('')}`
}

describe('the line editor', () => {
  it.each([
    ['text goes in at the cursor', `ac${left}b`, 'ab|c'],
    ['Left and Right stop at the ends', `ab${left.repeat(5)}x${right.repeat(9)}y`, 'xaby|'],
    ['Home and End', `bc${home}a${end}d`, 'abcd|'],
    ['Home and End of an application keypad', `bc\u001BOHa\u001BOFd`, 'abcd|'],
    ['Home and End of a VT220', `bc\u001B[1~a\u001B[4~d`, 'abcd|'],
    ['Ctrl-A and Ctrl-E', `bc${ctrl('A')}a${ctrl('E')}d`, 'abcd|'],
    ['Backspace takes the character before', `abc${left}${backspace}`, 'a|c'],
    ['Delete and Ctrl-D take the one after', `abcd${home}${del}${ctrl('D')}`, '|cd'],
    ['Ctrl-U takes all before', `abc${left}${ctrl('U')}`, '|c'],
    ['Ctrl-K takes all after', `abc${home}${right}${ctrl('K')}`, 'a|'],
    ['Ctrl-W takes a word and its blanks', `cat  /etc/os  ${ctrl('W')}`, 'cat  |'],
    ['an accent typed on its own belongs to its letter', `cafe\u0301${backspace}`, 'caf|'],
    ['an emoji of several code points is one character', `a👩‍🚀${backspace}`, 'a|'],
    ['unknown sequences leave nothing behind', 'a\u001B[15~\u001B[1;5Cb\u001Bxc\u0007d', 'abcd|'],
    ['line breaks in a paste become blanks', `${paste('ls\npwd\r\ndate\tx')}!`, 'ls pwd date x!|'],
    ['keys in a paste do nothing', paste(`ab${left}${up}${ctrl('U')}c`), 'abc|'],
  ])('%s', (_name, input, expected) => {
    expect(typed(input)).toBe(expected)
  })

  it('Enter hands over the line and what came after it', () => {
    const { event, rest, state } = edit(fresh(), 'ls\rpwd\r')
    expect(event).toEqual({ kind: 'line', line: 'ls' })
    expect(rest).toBe('pwd\r')
    expect(text(nextLine(state, '$ '))).toBe('')
  })

  it('CR LF is one Enter', () => {
    expect(edit(fresh(), 'ls\r\n').rest).toBe('')
  })

  it('Ctrl-C drops the line, also from within a paste that never ends', () => {
    expect(edit(fresh(), `abc${ctrl('C')}`).event).toEqual({ kind: 'interrupt', line: 'abc' })
    expect(edit(fresh(), `\u001B[200~abc${ctrl('C')}`).event).toEqual({ kind: 'interrupt', line: 'abc' })
  })

  it('Ctrl-D ends the shell only on an empty line', () => {
    expect(edit(fresh(), ctrl('D')).event?.kind).toBe('end')
    expect(edit(fresh(), `a${ctrl('D')}`).event).toBeNull()
  })

  it('Ctrl-L clears the screen and keeps the line', () => {
    const { event, output, state } = edit(fresh(), `ab${ctrl('L')}`)
    expect(event?.kind).toBe('clear')
    expect(output).toContain('\u001B[2J$ ab')
    expect(text(state)).toBe('ab')
  })

  it('Up and Down walk the history and return to what was being typed', () => {
    const state = fresh(['one', 'two'])
    expect(typed(`dra${up}`, state)).toBe('two|')
    expect(typed(`dra${up}${up}${up}`, state)).toBe('one|')
    expect(typed(`dra${up}${up}${down}`, state)).toBe('two|')
    expect(typed(`dra${up}${up}${down}${down}${down}ft`, state)).toBe('draft|')
    expect(typed(`${up}\u001BOA!`, state)).toBe('one!|')
  })

  it('the history leaves out blank lines and repeats', () => {
    let state = fresh()
    for (const line of ['ls', 'ls', '  ', 'pwd', 'ls']) state = nextLine(edit(state, `${line}\r`).state, '$ ')
    expect(state.history).toEqual(['ls', 'pwd', 'ls'])
  })

  it('line and history are bounded', () => {
    expect(edit(fresh(), 'x'.repeat(5_000)).state.line).toHaveLength(1_024)
    let state = fresh()
    for (let n = 0; n < 600; n++) state = nextLine(edit(state, `line ${n}\r`).state, '$ ')
    expect(state.history).toHaveLength(500)
    expect(state.history.at(-1)).toBe('line 599')
  })

  it('a sequence cut anywhere between two chunks is the same key', () => {
    const whole = `ab${left}${up}${down}c${home}${paste('x\ny')}${end}${del}é`
    for (let at = 1; at < whole.length; at++) {
      const first = edit(fresh(['old']), whole.slice(0, at)).state
      expect(typed(whole.slice(at), first)).toBe(typed(whole, fresh(['old'])))
    }
  })
})

const pieces = ['a', 'b ', ' ', 'é', '世界', up, down, left, left, right, home, end, backspace, del]
const letters = 'AEUWK'.split('').map(ctrl)
const input = fc.array(fc.constantFrom(...pieces, ...letters, 'a longer run of words', paste('p\nq')), {
  maxLength: 40,
})

/** More than any of these lines needs: the editor does not scroll. */
const rows = 200
async function screenOf(columns: number, output: string) {
  const terminal = new Terminal({ cols: columns, rows, allowProposedApi: true })
  await new Promise<void>(resolve => terminal.write(output, resolve))
  const { active } = terminal.buffer
  const lines = Array.from({ length: rows }, (_, row) =>
    active.getLine(row)!.translateToString(true).trimEnd(),
  )
  return { lines, row: active.cursorY, column: active.cursorX }
}

describe('the screen of the line editor', () => {
  it('shows the line as it is and the cursor in its place, whatever is typed and however narrow it is', async () => {
    await fc.assert(
      fc.asyncProperty(input, fc.integer({ min: 7, max: 30 }), async (keys, columns) => {
        let state = openEditor('$ ', columns, ['first', 'a second line of history', '世界'])
        let output = showLine(state)
        for (const key of keys) {
          const edited = edit(state, key)
          state = edited.state
          output += edited.output
        }
        const edited = await screenOf(columns, output)
        expect(edited).toEqual(await screenOf(columns, showLine(state)))
        const { row, column } = positionAfter([...'$ ', ...state.line.slice(0, state.cursor)], columns)
        expect({ row: edited.row, column: edited.column }).toEqual({ row, column })
      }),
      { numRuns: 150 },
    )
  })

  it.each([
    ['a', 1],
    ['世', 2],
    ['😀', 2],
    ['e\u0301', 1],
    ['\u200B', 0],
  ])('%j is %i columns wide', (text, columns) => {
    expect(width(text)).toBe(columns)
  })

  it('never throws, whatever comes', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary' })), chunks => {
        let state = openEditor('$ ', 10)
        for (const chunk of chunks) state = edit(state, chunk).state
        expect(state.cursor).toBeLessThanOrEqual(state.line.length)
      }),
    )
  })
})
