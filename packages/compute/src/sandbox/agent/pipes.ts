/**
 * Pipes for a program's input and outputs. Node alone would give it sockets, and what is a socket no program can open
 * again as `/dev/stdout`, which scripts and servers that log do.
 */
import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { closeSync, constants, fstatSync, openSync, unlinkSync } from 'node:fs'
import { Socket } from 'node:net'
import { promisify } from 'node:util'

export interface Pipe {
  /** The program's end: closed here once the program has it. */
  readonly theirs: number
  readonly ours: Socket
}

const { O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_RDWR, O_WRONLY } = constants
export interface PipeMeans {
  readonly mkfifo: readonly string[]
  /** In memory, gone with the run. */
  readonly folder: string
}

/** For each of `readers` one: true where the program reads from it. */
export async function openPipes({ mkfifo, folder }: PipeMeans, readers: readonly boolean[]): Promise<Pipe[]> {
  const paths = readers.map(() => `${folder}/.ingot-${randomUUID()}`)
  const [file, ...args] = mkfifo
  await promisify(execFile)(file!, [...args, '-m', '600', ...paths], { cwd: '/' })
  const opened: Pipe[] = []
  try {
    for (const [at, path] of paths.entries()) opened.push(openPipe(path, readers[at]!))
    return opened
  } catch (error) {
    for (const { theirs, ours } of opened) {
      closeSync(theirs)
      ours.destroy()
    }
    throw error
  }
}

/** Once it is open both ways each end can be opened by itself, and nothing waits. */
function openPipe(path: string, isRead: boolean): Pipe {
  const both = openSync(path, O_RDWR | O_NONBLOCK | O_NOFOLLOW)
  try {
    unlinkSync(path)
    // A program may have put something else there.
    if (!fstatSync(both).isFIFO()) throw new Error('not a pipe')
    const same = `/proc/self/fd/${both}`
    const theirs = openSync(same, isRead ? O_RDONLY : O_WRONLY)
    const fd = openSync(same, (isRead ? O_WRONLY : O_RDONLY) | O_NONBLOCK)
    return { theirs, ours: new Socket({ fd, readable: !isRead, writable: isRead }) }
  } finally {
    closeSync(both)
  }
}
