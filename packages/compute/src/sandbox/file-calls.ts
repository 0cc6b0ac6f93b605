/**
 * A machine's files as the contract has them. What is asked goes to a process inside, the keeper or the clerk; nothing
 * on this side ever opens a path of a machine's. A path is checked for what no file can be called, and that is all:
 * where it leads is the machine's affair.
 */
import { finished, type Readable } from 'node:stream'
import { isCount, isPath } from '../checks.ts'
import { type Answer, done, type MachineFiles, maxListed, type Ref } from '../driver.ts'
import { answers, cutShort, dataOf, headOf, pageOf, replyOf } from './file-replies.ts'
import type { Channel } from './wire/channel.ts'
import { type FilesCall, maxFileCalls } from './wire/files.ts'

/** Never rejects. */
export type OpenCall = (ref: Ref, call: FilesCall) => Promise<Answer<Channel>>

/** A keeper that neither takes nor gives anything for this long is let go of. */
const stallMs = 60_000
/** As a name shows: three bytes for each of its own that is no UTF-8. */
const maxShownBytes = 3 * 255

/** At most `maxFileCalls` at once for each machine; a file that is being read is one. */
export function createFileCalls(open: OpenCall, patienceMs = stallMs): (ref: Ref) => MachineFiles {
  const underWay = new Map<Ref, number>()

  async function begin(ref: Ref, call: FilesCall): Promise<Answer<Channel>> {
    const count = underWay.get(ref) ?? 0
    if (count >= maxFileCalls) return answers.busy
    underWay.set(ref, count + 1)
    const leave = () => {
      const left = underWay.get(ref)! - 1
      if (left > 0) underWay.set(ref, left)
      else underWay.delete(ref)
    }
    const opened = await open(ref, call)
    if (opened.kind !== 'done') {
      leave()
      return opened
    }
    const channel = opened.value
    // A file's bytes and nothing beside them.
    channel.errors.destroy()
    void channel.result.then(leave)
    return done(channel)
  }

  /** Calls that end with what `act` makes of them. */
  async function asked<T>(
    ref: Ref,
    call: FilesCall,
    act: (channel: Channel) => Promise<Answer<T>>,
  ): Promise<Answer<T>> {
    const begun = await begin(ref, call)
    if (begun.kind !== 'done') return begun
    return act(begun.value).finally(() => begun.value.close())
  }

  const told = (ref: Ref, call: FilesCall) =>
    asked<void>(ref, call, async channel => {
      const reply = await replyOf(channel, patienceMs)
      return reply.kind === 'done' ? done() : reply
    })

  async function read(ref: Ref, call: Extract<FilesCall, { op: 'read' }>): ReturnType<MachineFiles['read']> {
    const begun = await begin(ref, call)
    if (begun.kind !== 'done') return begun
    const head = await headOf(begun.value, patienceMs)
    if (head.kind !== 'done') {
      begun.value.close()
      return head
    }
    const entry = head.value
    const bytes = Math.max(0, Math.min(entry.bytes - call.from, call.length ?? Infinity))
    return done({ entry, data: dataOf(begun.value, bytes, patienceMs) })
  }

  return ref => ({
    list: async (path, { after = null, limit = maxListed } = {}) => {
      if (!isPath(path) || (after !== null && !isShownName(after))) return answers.bad_path
      const most = Math.min(maxListed, Math.max(1, Math.trunc(limit) || maxListed))
      const call = { op: 'list', path, after, limit: most } as const
      return asked(ref, call, channel => pageOf(channel, call, patienceMs))
    },
    stat: async path => {
      if (!isPath(path)) return answers.bad_path
      return asked(ref, { op: 'stat', path }, async channel => {
        const reply = await replyOf(channel, patienceMs)
        if (reply.kind !== 'done') return reply
        return reply.value.entry ? done(reply.value.entry) : answers.unknown
      })
    },
    read: async (path, { from = 0, length = null } = {}) => {
      if (!isPath(path) || !isCount(from) || (length !== null && !isCount(length))) return answers.bad_path
      return read(ref, { op: 'read', path, from, length })
    },
    write: async (path, data, { from = null } = {}) => {
      if (!isPath(path) || (from !== null && !isCount(from))) return answers.bad_path
      return asked(ref, { op: 'write', path, from }, channel => writeTo(channel, data, patienceMs))
    },
    makeFolder: async path => (isPath(path) ? told(ref, { op: 'makeFolder', path }) : answers.bad_path),
    rename: async (path, to) =>
      isPath(path) && isPath(to) ? told(ref, { op: 'rename', path, to }) : answers.bad_path,
    remove: async path => (isPath(path) ? told(ref, { op: 'remove', path }) : answers.bad_path),
  })
}

/** Leaves `data` to its owner when it fails: nothing more is read of it then, and it is not destroyed. */
async function writeTo(
  channel: Channel,
  data: Readable,
  patienceMs: number,
): Promise<Answer<{ readonly bytes: number }>> {
  const { input } = channel
  let isCut = false
  let silent: NodeJS.Timeout | undefined
  const moved = () => {
    clearTimeout(silent)
    silent = setTimeout(() => channel.close(), patienceMs)
  }
  moved()
  const stop = finished(data, { writable: false }, error => {
    isCut = Boolean(error)
    if (error) channel.close()
    else input.end()
  })
  data.pipe(input, { end: false })
  data.on('data', moved)
  const reply = await replyOf(channel)
  clearTimeout(silent)
  stop()
  data.off('data', moved).unpipe(input)
  if (isCut) return cutShort
  if (reply.kind !== 'done') return reply
  return reply.value.bytes === null ? answers.unknown : done({ bytes: reply.value.bytes })
}

const isShownName = (name: string): boolean =>
  !name.includes('\0') && name.isWellFormed() && Buffer.byteLength(name) <= maxShownBytes
