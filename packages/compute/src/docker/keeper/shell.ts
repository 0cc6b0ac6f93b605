/**
 * A shell that the engine runs in a container, as a terminal's program. It says first which process it is: the engine
 * tells that only by the numbers of its own host. Whoever resizes what has just ended is refused by the engine, which
 * matters to nobody. An engine older than API 1.42 takes no size with the program, so it gets one right after.
 */
import type { Duplex } from 'node:stream'
import type { OpenShell } from '../../sandbox/agent/terminal.ts'
import type { Engine } from '../engine.ts'
import { own, toolsFolder } from '../agent/session.ts'
import { isOlder, variablesOf } from '../variables.ts'
import type { ShellNote, ShellNotes } from './shell-notes.ts'

type Size = { readonly cols: number; readonly rows: number }

const helloMs = 5_000
const maxHello = 8 * 1024
const hello = /^ingot (\d{1,10}) (\d{1,20})\r?\n/
/** A shell that was hung up on has this long, and then the stream is let go of. */
const endMs = 3_000

export async function beginShell(
  engine: Engine,
  notes: ShellNotes,
  name: string,
  size: Size,
): Promise<OpenShell> {
  const container = engine.calls.getContainer(name)
  const { Id: containerId, Config } = await container.inspect()
  const program = await container.exec({
    Cmd: [
      ...own('sh'),
      `${toolsFolder}/terminal`,
      ...(isOlder(Config) ? ['TERM=xterm-256color', ...variablesOf(Config)] : []),
    ],
    AttachStdin: true,
    AttachStdout: true,
    AttachStderr: true,
    Tty: true,
  })
  const stream = await engine.hijack(`/exec/${program.id}/start`, { Detach: false, Tty: true })
  stream.on('error', () => stream.destroy())
  let turn: Promise<unknown> = Promise.resolve()
  const resize = ({ cols, rows }: Size): Promise<unknown> => {
    turn = turn.then(() => program.resize({ w: cols, h: rows })).catch(() => {})
    return turn
  }
  await resize(size)
  const { pid, startTime } = await heard(stream).catch(error => {
    stream.destroy()
    throw error
  })
  const note = { containerId, pid, startTime }
  const forget = notes.add(note)
  stream.once('close', forget)
  return shellOf(stream, size, resize, () => void endShells(engine, [note]))
}

/** Reads the first line, and leaves what comes behind it. */
function heard(stream: Duplex): Promise<{ pid: number; startTime: string }> {
  return new Promise((resolve, reject) => {
    let head: Buffer = Buffer.alloc(0)
    const settle = (act: () => void) => {
      clearTimeout(timer)
      stream.off('data', look).off('close', fail).off('end', fail)
      stream.pause()
      act()
    }
    const fail = () => settle(() => reject(new Error('no shell')))
    const look = (chunk: Buffer) => {
      head = Buffer.concat([head, chunk])
      const [line, pid, startTime] = hello.exec(head.toString('latin1')) ?? []
      if (!line) return head.length > maxHello || head.includes(0x0a) ? fail() : undefined
      settle(() => {
        const rest = head.subarray(line.length)
        if (rest.length > 0) stream.unshift(rest)
        resolve({ pid: Number(pid), startTime: startTime! })
      })
    }
    const timer = setTimeout(fail, helloMs)
    stream.on('data', look).once('close', fail).once('end', fail)
  })
}

function shellOf(
  stream: Duplex,
  size: Size,
  resize: (size: Size) => Promise<unknown>,
  end: () => void,
): OpenShell {
  let current = size
  let resizing = 0
  const held: Buffer[] = []

  /** A change of size goes another way than input does: what is typed behind it waits for it. */
  function change(wanted: Size): void {
    current = wanted
    resizing++
    void resize(wanted).then(() => {
      resizing--
      while (resizing === 0 && held.length > 0 && stream.writable) stream.write(held.shift()!)
    })
  }

  return (wanted, onData, onExit) => {
    let isOver = false
    const over = () => {
      if (isOver) return
      isOver = true
      stream.destroy()
      onExit()
    }
    stream.on('data', (data: Buffer) => void onData(data))
    stream.once('end', over).once('close', over)
    if (wanted.cols !== size.cols || wanted.rows !== size.rows) change(wanted)
    return {
      get inputLength() {
        return held.reduce((sum, { length }) => sum + length, stream.writableLength)
      },
      write(data) {
        if (!stream.writable) return
        if (resizing > 0) held.push(data)
        else stream.write(data)
      },
      resize: (cols, rows) => change({ cols, rows }),
      pause: () => void stream.pause(),
      resume: () => void stream.resume(),
      // Which program has the keyboard only the machine knows: none is ended to make room.
      isIdle: () => false,
      redraw() {
        const { cols, rows } = current
        change({ cols, rows: rows + 1 })
        change({ cols, rows })
      },
      close() {
        end()
        setTimeout(over, endMs).unref()
      },
    }
  }
}

/** By a program of ours in each container, since the engine signals none but a container's first process. */
export async function endShells(engine: Engine, shells: readonly ShellNote[]): Promise<void> {
  const byContainer = Map.groupBy(shells, ({ containerId }) => containerId)
  await Promise.all(
    [...byContainer].map(async ([id, ofContainer]) => {
      try {
        const program = await engine.calls.getContainer(id).exec({
          Cmd: [
            ...own('sh'),
            `${toolsFolder}/end`,
            ...ofContainer.map(({ pid, startTime }) => `${pid}:${startTime}`),
          ],
        })
        await program.start({ Detach: true })
      } catch {
        // The container is gone or stopped, and its shells with it.
      }
    }),
  )
}
