import { createRequire } from 'node:module'
import { stripVTControlCharacters } from 'node:util'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createSession, type SavedSession, type Wait } from './session.ts'

/** CommonJS: Node cannot see its names. */
const { Terminal } = createRequire(import.meta.url)('@xterm/headless') as typeof import('@xterm/headless')

const nowMs = Date.UTC(2026, 10, 21, 14, 5, 9)
const machine = {
  name: 'demo',
  gpuType: 'A40',
  gpuCount: 1,
  gpuMemoryGb: 48,
  cpuCores: 8,
  memoryGb: 48,
  storageGb: 140,
  startedAtMs: nowMs,
}

/** A session whose delays pass when the test says so. */
function start(saved?: SavedSession) {
  const waiting: (() => void)[] = []
  const waits: number[] = []
  const seen = { output: '', exits: 0, changes: 0 }
  const wait: Wait = (ms, then) => {
    waiting.push(then)
    waits.push(ms)
    return () => void waiting.splice(waiting.indexOf(then), 1)
  }
  const session = createSession({
    machine,
    saved,
    wait,
    columns: 80,
    now: () => nowMs,
    write: text => void (seen.output += text),
    changed: () => void seen.changes++,
    exited: () => void seen.exits++,
  })
  const elapse = () => waiting.shift()?.()
  const elapseAll = () => {
    while (waiting.length > 0) elapse()
  }
  return {
    session,
    seen,
    waits,
    waiting,
    elapse,
    elapseAll,
    text: () => stripVTControlCharacters(seen.output),
  }
}

function connected() {
  const started = start()
  started.elapse()
  started.seen.output = ''
  return started
}

describe('a session', () => {
  it('connects after a second, says so and shows a prompt', () => {
    const { session, elapse, text, waits } = start()
    expect(session.screen()).toBe('')
    expect(text()).toBe('')
    elapse()
    expect(waits).toEqual([1_000])
    expect(text()).toBe(
      "Connected to instance\r\ndemo: 1 x A40, simulated. Type 'help' for available commands.\r\n\r\nroot@demo:~# ",
    )
  })

  it('answers each command after 200 ms', () => {
    const { session, elapse, text, waits } = connected()
    session.input('uname\r')
    expect(text()).toBe('uname\r\n')
    elapse()
    expect(text()).toBe('uname\r\nLinux\r\nroot@demo:~# ')
    expect(waits).toEqual([1_000, 200])
  })

  it('runs what was typed ahead, one after the other, also from before it was connected', () => {
    const { session, elapseAll, text } = start()
    session.input('uname\rwho')
    session.input('ami\r')
    elapseAll()
    expect(text()).toMatch(/# uname\r\nLinux\r\nroot@demo:~# whoami\r\nroot\r\nroot@demo:~# $/)
  })

  it('Ctrl-C ends a pending command and drops what was typed ahead', () => {
    const { session, elapseAll, text, waiting } = connected()
    session.input('ping example.com\rdate\r')
    session.input('\u0003un')
    expect(waiting).toEqual([])
    expect(text()).toBe('ping example.com\r\n^C\r\nroot@demo:~# un')
    session.input('ame\r')
    elapseAll()
    expect(text()).toMatch(/uname\r\nLinux\r\nroot@demo:~# $/)
  })

  it('Ctrl-C in the chunk of its command ends it too', () => {
    const { session, text, waiting } = connected()
    session.input('ping example.com\r\u0003')
    expect(waiting).toEqual([])
    expect(text()).toBe('ping example.com\r\n^C\r\nroot@demo:~# ')
  })

  it('holds no more typed ahead than a terminal does', () => {
    const { session, elapseAll, text } = start()
    session.input('x'.repeat(1_000_000))
    session.input('\r')
    elapseAll()
    expect(text().length).toBeLessThan(5_000)
  })

  it.each(['exit\r', '\u0004'])('%j disconnects, and nothing is written afterwards', input => {
    const { session, seen, elapseAll, text } = connected()
    session.input(input)
    elapseAll()
    expect(text()).toMatch(/^exit\r\n(logout\r\n)?Disconnected from instance\r\n$/)
    expect(seen.exits).toBe(1)
    const { output } = seen
    session.input('uname\r')
    elapseAll()
    expect(seen.output).toBe(output)
  })

  it('keeps at most 1000 lines of screen', () => {
    const { session, elapseAll } = connected()
    for (let n = 0; n < 60; n++) {
      session.input('help\r')
      elapseAll()
    }
    const lines = stripVTControlCharacters(session.screen()).split('\r\n')
    expect(lines).toHaveLength(1_001)
    expect(lines.at(-1)).toBe('root@demo:~# ')
  })

  it('goes on in a later process from what was saved', () => {
    const before = connected()
    before.session.input('cd /tmp\r')
    before.elapseAll()
    expect(before.seen.changes).toBe(1)
    const saved = JSON.parse(JSON.stringify(before.session.saved())) as SavedSession

    const after = start(saved)
    expect(stripVTControlCharacters(after.session.screen())).toMatch(/# cd \/tmp\r\nroot@demo:\/tmp# $/)
    after.session.input('\u001B[A')
    expect(after.text()).toBe('cd /tmp')
    expect(after.waits).toEqual([])
  })

  it('close cancels what is pending', () => {
    const { session, waiting } = connected()
    session.input('uname\r')
    session.close()
    expect(waiting).toEqual([])
  })
})

const rows = 40
async function visible(output: string) {
  const terminal = new Terminal({ cols: 80, rows, allowProposedApi: true })
  await new Promise<void>(resolve => terminal.write(output, resolve))
  const { active } = terminal.buffer
  const line = (row: number) => active.getLine(active.baseY + row)!.translateToString(true)
  return {
    lines: Array.from({ length: rows }, (_, row) => line(row)),
    row: active.cursorY,
    column: active.cursorX,
  }
}

describe('a restored screen', () => {
  const commands = ['nvidia-smi\r', 'ls -la\r', 'cd /tmp\r', 'nope\r', '\r', 'clear\r', 'top\r', 'free -h\r']
  const keys = ['who', 'ami', '\u001B[A', '\u001B[D', '\u0001', '\u0003', '\f', 'a line of text ', '\u007F']
  const typing = fc.array(fc.constantFrom(...commands, ...keys), { maxLength: 25 })

  it('is the screen that a viewer who never left sees', async () => {
    await fc.assert(
      fc.asyncProperty(typing, fc.boolean(), async (inputs, isBusy) => {
        const { session, seen, elapse, elapseAll } = start()
        elapse()
        for (const input of inputs) {
          session.input(input)
          elapseAll()
        }
        if (isBusy) session.input('\r\rpwd\r')
        expect(await visible(session.screen())).toEqual(await visible(seen.output))
      }),
      { numRuns: 100 },
    )
  })
})
