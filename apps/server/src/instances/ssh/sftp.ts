/**
 * Files over SSH: SFTP version 3, as OpenSSH's `sftp` and `scp` speak it. Requests are answered one after the other in the
 * order in which they came. What a client sends ahead is bounded by letting its connection wait, and so is what it does
 * not take.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { FileEntry } from '@ingot/compute/driver'
import ssh2, { type Attributes, type SFTPWrapper } from 'ssh2'
import { untilSent } from './relay.ts'
import { attributesOf, failure, lineOf, type Machine, openMachine, Refused } from './sftp-machine.ts'
import { type OpenFile, openFile } from './sftp-file.ts'
import type { Inside } from './standing.ts'

const { OPEN_MODE, STATUS_CODE } = ssh2.utils.sftp

const mostHandles = 256
const mostWaiting = 65_536
const mostWaitingBytes = 4 * 1024 * 1024
const mostReadBytes = 256 * 1024
/** What is open and rests is let go of in the machine, which waits for nobody long. */
const restMs = 5_000
const plainMode = 0o644

interface Folder {
  readonly path: string
  after: string | undefined
  isOver: boolean
}
type Handle = { readonly file: OpenFile; readonly isAppending: boolean } | { readonly folder: Folder }

/** What the library has no call for. */
interface ChannelOfSftp {
  readonly outgoing: { readonly id: number; readonly window: number }
  readonly _protocol: { exitStatus(id: number, code: number): void }
}

export function serveFiles(inside: Inside, sftp: SFTPWrapper): void {
  const handles = new Map<string, Handle>()
  const over = new AbortController()
  const channel = sftp as unknown as ChannelOfSftp
  const machine = openMachine(inside.driver, inside.ref)
  machine.catch(() => {})
  let last = 0
  let waiting = 0
  let waitingBytes = 0
  let queue: Promise<void> = Promise.resolve()

  /** Its status is sent unless `answer` sends something itself. */
  function add(id: number, answer: (machine: Machine) => Promise<unknown>, bytes = 0): void {
    if (++waiting > mostWaiting) inside.socket.destroy()
    waitingBytes += bytes
    if (waitingBytes > mostWaitingBytes) inside.socket.pause()
    queue = queue.then(async () => {
      try {
        if (!over.signal.aborted && (await answer(await machine)) !== sent) sftp.status(id, STATUS_CODE.OK)
      } catch (error) {
        if (over.signal.aborted) return
        if (!(error instanceof Refused)) inside.log.warn({ err: error }, 'a request of SFTP failed')
        const refused = error instanceof Refused ? error : failure('It failed on our side.')
        sftp.status(id, refused.status, refused.message)
      } finally {
        waiting--
        waitingBytes -= bytes
        if (waitingBytes <= mostWaitingBytes / 4 && inside.socket.isPaused()) inside.socket.resume()
      }
    })
  }
  const rest = setInterval(() => {
    if (waiting > 0) return
    queue = queue.then(async () => {
      for (const handle of handles.values()) if ('file' in handle) await handle.file.settle().catch(() => {})
    })
  }, restMs).unref()

  function keep(id: number, handle: Handle): typeof sent {
    const name = Buffer.alloc(4)
    name.writeUInt32BE(++last)
    handles.set(name.toString('hex'), handle)
    sftp.handle(id, name)
    return sent
  }
  const find = (name: Buffer): Handle => {
    const handle = handles.get(name.toString('hex'))
    if (!handle) throw failure('This is not open.')
    return handle
  }
  const findFile = (name: Buffer) => {
    const handle = find(name)
    if (!('file' in handle)) throw failure('This is a folder.')
    return handle
  }
  const tell = (id: number, entry: FileEntry) => {
    sftp.attrs(id, attributesOf(entry))
    return sent
  }
  const tellName = (id: number, name: string) => {
    sftp.name(id, [{ filename: name, longname: name, attrs: {} as Attributes }])
    return sent
  }
  /** Until the client has room for more. */
  async function untilTaken(): Promise<void> {
    await untilSent(inside.socket, over.signal)
    // What exceeds the client's own window waits in memory.
    while (channel.outgoing.window === 0 && !over.signal.aborted) await sleep(5)
  }

  async function open(m: Machine, id: number, path: string, flags: number, wanted: Attributes) {
    if (handles.size >= mostHandles) throw failure('Too many files are open.')
    const there = await m.statTarget(path).catch(error => {
      if (error instanceof Refused && error.status === STATUS_CODE.NO_SUCH_FILE) return null
      throw error
    })
    if (there && there.kind !== 'file') throw failure('This is not a file.')
    const writes = (flags & OPEN_MODE.WRITE) !== 0
    if (!there && !(writes && flags & OPEN_MODE.CREAT))
      throw new Refused(STATUS_CODE.NO_SUCH_FILE, 'There is no such file.')
    if (there && flags & OPEN_MODE.EXCL) throw failure('There is something of this name.')
    const file = openFile(m, path)
    if (!there) {
      await file.write(0, Buffer.alloc(0))
      await file.settle()
      const mode = wanted.mode === undefined ? plainMode : wanted.mode & 0o777
      // Before anything is in it: it may be meant for nobody else.
      if (mode !== plainMode) await m.setAttributes(path, { mode })
    } else if (writes && flags & OPEN_MODE.TRUNC && there.bytes > 0) await m.setAttributes(path, { size: 0 })
    return keep(id, { file, isAppending: (flags & OPEN_MODE.APPEND) !== 0 })
  }

  sftp.on('OPEN', (id, path, flags, wanted) => add(id, m => open(m, id, m.resolve(path), flags, wanted)))
  sftp.on('WRITE', (id, name, offset, data) => {
    inside.noteInput()
    add(
      id,
      async m => {
        const { file, isAppending } = findFile(name)
        if (isAppending) await file.settle()
        await file.write(isAppending ? (await m.statTarget(file.path)).bytes : offset, data)
      },
      data.length,
    )
  })
  sftp.on('READ', (id, name, offset, length) => {
    inside.noteInput()
    add(id, async () => {
      await untilTaken()
      const piece = await findFile(name).file.read(offset, Math.min(length, mostReadBytes))
      if (!piece) throw new Refused(STATUS_CODE.EOF, 'The file ends here.')
      sftp.data(id, piece)
      return sent
    })
  })
  sftp.on('CLOSE', (id, name) =>
    add(id, async () => {
      const handle = find(name)
      handles.delete(name.toString('hex'))
      if ('file' in handle) await handle.file.settle()
    }),
  )
  sftp.on('FSTAT', (id, name) =>
    add(id, async m => {
      const { file } = findFile(name)
      await file.settle()
      return tell(id, await m.statTarget(file.path))
    }),
  )
  sftp.on('FSETSTAT', (id, name, wanted) =>
    add(id, async m => {
      const { file } = findFile(name)
      await file.settle()
      await m.setAttributes(file.path, wanted)
    }),
  )
  sftp.on('OPENDIR', (id, path) =>
    add(id, async m => {
      if (handles.size >= mostHandles) throw failure('Too many folders are open.')
      const folder = m.resolve(path)
      await m.list(folder)
      return keep(id, { folder: { path: folder, after: undefined, isOver: false } })
    }),
  )
  sftp.on('READDIR', (id, name) =>
    add(id, async m => {
      await untilTaken()
      const handle = find(name)
      if (!('folder' in handle)) throw failure('This is not a folder.')
      const { folder } = handle
      if (folder.isOver) throw new Refused(STATUS_CODE.EOF, 'That was all.')
      const { entries, hasMore } = await m.list(folder.path, folder.after)
      folder.after = entries.at(-1)?.name
      folder.isOver = !hasMore
      if (entries.length === 0) throw new Refused(STATUS_CODE.EOF, 'That was all.')
      sftp.name(
        id,
        entries.map(entry => ({
          filename: entry.name,
          longname: lineOf(entry),
          attrs: attributesOf(entry),
        })),
      )
      return sent
    }),
  )
  sftp.on('STAT', (id, path) => add(id, async m => tell(id, await m.statTarget(m.resolve(path)))))
  sftp.on('LSTAT', (id, path) => add(id, async m => tell(id, await m.stat(m.resolve(path)))))
  sftp.on('SETSTAT', (id, path, wanted) => add(id, m => m.setAttributes(m.resolve(path), wanted)))
  sftp.on('REALPATH', (id, path) => add(id, async m => tellName(id, m.resolve(path))))
  sftp.on('READLINK', (id, path) => add(id, async m => tellName(id, await m.readLink(m.resolve(path)))))
  sftp.on('SYMLINK', (id, path, target) => add(id, async m => void (await m.link(m.resolve(path), target))))
  sftp.on('REMOVE', (id, path) => add(id, m => m.remove(m.resolve(path))))
  sftp.on('RMDIR', (id, path) => add(id, m => m.removeFolder(m.resolve(path))))
  sftp.on('MKDIR', (id, path) => add(id, m => m.makeFolder(m.resolve(path))))
  sftp.on('RENAME', (id, path, to) => add(id, m => m.rename(m.resolve(path), m.resolve(to))))

  const end = () => {
    if (over.signal.aborted) return
    over.abort()
    clearInterval(rest)
    for (const handle of handles.values()) if ('file' in handle) handle.file.drop()
  }
  inside.over.addEventListener('abort', end)
  sftp.on('close', end)
  // It says nothing more, and is answered what it asked.
  sftp.on('end', () => {
    void queue.then(() => {
      if (over.signal.aborted) return
      // scp takes anything else for a failure.
      channel._protocol.exitStatus(channel.outgoing.id, 0)
      sftp.end()
    })
  })
  // It speaks something else.
  sftp.on('error', () => inside.socket.destroy())
}

const sent = Symbol('the answer was sent')
