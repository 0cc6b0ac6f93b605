/** A snapshot and what comes after it must show what watching from the start would have shown. */
import { Terminal } from '@xterm/headless'
import { describe, expect, it } from 'vitest'
import { createScreen } from './screen.ts'

const size = { cols: 60, rows: 12 }
const bytes = (text: string) => Buffer.from(text.replaceAll('^[', '\u001B').replaceAll('^G', '\u0007'))

/** A shell, then a full-screen program drawing, then back: with colours, a title, wide characters, margins and modes. */
const session = bytes(
  'root@box:~# ls\r\n^[[01;34mdir^[[0m  Grüße 日本語 🚀 plain\r\n^[]0;title of the window^Groot@box:~# vi\r\n' +
    '^[[?1049h^[[?2004h^[[?1h^[=^[[2J^[[1;10r^[[?25l^[[3;5H^[[7mstatus 状態^[[m^[[5;1Hline five^[[?1006;1000h' +
    '^[[10;1Hlast\n\n^[[2;2H^[(0lqqk^[(B^[P+q544e^[\\^[[4;20Hmiddle^[[38;2;10;200;30mgreen^[[0m^[[?25h',
)
const leaving = bytes('^[[?1049l^[[?2004l^[[?1l^[>^[[r^[[?1000l\r\nback at the shell\r\nroot@box:~# ')

function write(terminal: Terminal, data: Buffer): Promise<void> {
  return new Promise(resolve => terminal.write(data, resolve))
}

/** What is seen: text, cursor, which screen, modes. */
function seen(terminal: Terminal) {
  const { active } = terminal.buffer
  const lines = Array.from({ length: active.length }, (_, at) => active.getLine(at)?.translateToString(true))
  while (lines.at(-1) === '') lines.pop()
  return { lines, x: active.cursorX, y: active.cursorY, type: active.type, modes: { ...terminal.modes } }
}

async function shown(...parts: Buffer[]) {
  const terminal = new Terminal({ ...size, scrollback: 1000, allowProposedApi: true })
  for (const part of parts) await write(terminal, part)
  return seen(terminal)
}

describe('a screen', () => {
  it('is the same after a snapshot at any byte, sequences and characters cut in two included', async () => {
    const whole = Buffer.concat([session, leaving])
    const during = await shown(session)
    const after = await shown(whole)
    for (let cut = 1; cut < whole.length; cut += 3) {
      const screen = createScreen(size)
      screen.push(whole.subarray(0, cut))
      const snapshot = await screen.snapshot()
      if (cut < session.length)
        expect(await shown(snapshot, session.subarray(cut)), `cut at ${cut}`).toEqual(during)
      expect(await shown(snapshot, whole.subarray(cut)), `cut at ${cut}, then left`).toEqual(after)
    }
  }, 30_000)

  it('is right for a viewer that showed something else before', async () => {
    const screen = createScreen(size)
    screen.push(session)
    const old = bytes('old text^[[?1049h^[[5mblinking^[[?1003h')
    expect(await shown(old, await screen.snapshot())).toEqual(await shown(session))
  })

  it('keeps what a flood switched on, and never reads a cut sequence as text', async () => {
    const screen = createScreen(size)
    screen.push(bytes('^[[?1049h^[[?2004h^[[?25l^[]2;my title^G^[[3 q'))
    const line = bytes('^[[38;5;123mcolour ünd mehr^[[0m^[]8;;http://localhost^G link ^[]8;;^G\r\n')
    const flood = Buffer.concat(Array.from({ length: 40_000 }, () => line))
    for (let at = 0; at < flood.length; at += 4093) screen.push(flood.subarray(at, at + 4093))
    screen.push(bytes('the end'))
    expect(screen.isIncomplete).toBe(true)
    const snapshot = await screen.snapshot()
    const { lines, type, modes } = await shown(snapshot)
    expect(type).toBe('alternate')
    expect(modes.bracketedPasteMode).toBe(true)
    for (const text of ['\u001B[?25l', '\u001B]2;my title\u0007', '\u001B[3 q'])
      expect(snapshot.toString()).toContain(text)
    expect(lines.at(-1)).toBe('the end')
    expect(new Set(lines.slice(0, -1))).toEqual(new Set(['colour ünd mehr link ']))
  })

  it('after a flood ends with the last lines, whole', async () => {
    const screen = createScreen(size)
    const flood = Buffer.from(Array.from({ length: 200_000 }, (_, at) => `line ${at}\r\n`).join(''))
    for (let at = 0; at < flood.length; at += 65_521) screen.push(flood.subarray(at, at + 65_521))
    const { lines } = await shown(await screen.snapshot())
    expect(lines.length).toBeGreaterThan(900)
    expect(lines.slice(1)).toEqual(
      Array.from({ length: lines.length - 1 }, (_, at) => `line ${200_001 - lines.length + at}`),
    )
  })

  it('forgets a reset’s past, and follows changes of size in order', async () => {
    const screen = createScreen(size)
    screen.push(bytes('^[[?1000h^[[?25lgone^[c'))
    screen.resize({ cols: 20, rows: 5 })
    screen.push(bytes(`${'x'.repeat(30)}\r\n`))
    screen.resize(size)
    const snapshot = await screen.snapshot()
    expect(snapshot.toString()).not.toContain('\u001B[?25l')
    expect((await shown(snapshot)).lines).toEqual(['x'.repeat(30)])
  })
})
