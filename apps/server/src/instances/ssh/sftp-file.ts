/**
 * A file that a client has open. Clients ask for pieces one after the other and wait for none, so pieces that follow each
 * other are one stream from or to the machine; any other piece begins another.
 */
import { once } from 'node:events'
import { PassThrough, type Readable } from 'node:stream'
import type { Answer } from '@ingot/compute/driver'
import { failure, type Machine } from './sftp-machine.ts'

interface Writer {
  readonly stream: PassThrough
  /** Where its next byte goes. */
  at: number
  readonly done: Promise<Answer<unknown>>
  isOver: boolean
}

interface Reader {
  readonly stream: Readable
  readonly pieces: AsyncIterator<Buffer, undefined>
  /** Of the last piece, what nobody has asked for yet. */
  left: Buffer | null
  at: number
}

const bufferBytes = 256 * 1024

export type OpenFile = ReturnType<typeof openFile>

export function openFile(machine: Pick<Machine, 'read' | 'write'>, path: string) {
  let writer: Writer | null = null
  let reader: Reader | null = null

  function begin(at: number): Writer {
    const stream = new PassThrough({ highWaterMark: bufferBytes })
    stream.on('error', () => {})
    const made: Writer = { stream, at, done: machine.write(path, stream, { from: at }), isOver: false }
    void made.done.then(() => {
      made.isOver = true
      stream.resume()
    })
    return made
  }

  /** Everything that was written is in the machine, or why not. */
  async function settle(): Promise<void> {
    reader?.stream.destroy()
    reader = null
    const ending = writer
    writer = null
    if (!ending) return
    ending.stream.end()
    const answer = await ending.done
    if (answer.kind !== 'done')
      throw failure(answer.kind === 'failed' ? answer.message : 'The machine is not ready.')
  }

  return {
    path,
    settle,
    async write(at: number, data: Buffer): Promise<void> {
      if (writer && (writer.at !== at || writer.isOver)) await settle()
      writer ??= begin(at)
      const { stream, done } = writer
      writer.at += data.length
      if (!stream.write(data)) await Promise.race([once(stream, 'drain'), done])
    },
    /** Null: the file ends there. */
    async read(at: number, length: number): Promise<Buffer | null> {
      if (writer) await settle()
      if (reader?.at !== at) {
        reader?.stream.destroy()
        const { data } = await machine.read(path, at)
        data.on('error', () => {})
        reader = { stream: data, pieces: data[Symbol.asyncIterator](), left: null, at }
      }
      const piece = await take(reader, length)
      if (piece) reader.at += piece.length
      else reader = null
      return piece
    },
    /** The client went away. */
    drop(): void {
      reader?.stream.destroy()
      writer?.stream.destroy()
    },
  }
}

/** That many bytes, fewer where it ends, null where it has ended. */
async function take(reader: Reader, length: number): Promise<Buffer | null> {
  const pieces: Buffer[] = []
  let missing = length
  while (missing > 0) {
    const piece = reader.left ?? (await next(reader))
    if (!piece) break
    pieces.push(piece.subarray(0, missing))
    reader.left = piece.length > missing ? piece.subarray(missing) : null
    missing -= Math.min(missing, piece.length)
  }
  return pieces.length > 0 ? Buffer.concat(pieces) : null
}

async function next({ pieces }: Reader): Promise<Buffer | null> {
  const { done, value } = await pieces.next().catch(() => {
    throw failure('The file could not be read to its end.')
  })
  return done ? null : value
}
