/** The calls that the keeper of a machine answers with a channel: programs, connections, the log. */
import { Readable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { refusedCommand, refusedPort } from '../checks.ts'
import { type Driver, type Execution, type LogLine, logStreams } from '../driver.ts'
import { mapped } from './agreed.ts'
import type { MachineChannels } from './machine-channels.ts'
import type { Channel } from './wire/channel.ts'
import { frame, frameType, resizeFrame } from './wire/frames.ts'
import { clamped } from './wire/terminal-stream.ts'

const maxLineBytes = 16 * 1024

type Calls = Pick<Driver, 'exec' | 'connect' | 'logs'>

export function channelCalls({
  whileRunning,
  always,
  connect,
}: Pick<MachineChannels, 'whileRunning' | 'always' | 'connect'>): Calls {
  return {
    async exec(ref, { command, env = {}, cwd = null, size = null }) {
      const refused = refusedCommand({ command, env, ...(cwd === null ? {} : { cwd }) })
      if (refused) return refused
      const sized = size && clamped(size)
      return mapped(await whileRunning(ref, { kind: 'exec', command, env, cwd, size: sized }), executionOf)
    },
    connect: async (ref, port) => refusedPort(port) ?? connect(ref, port),
    logs: async (ref, { since = 0, follow = false } = {}) =>
      mapped(await always(ref, { kind: 'logs', since, follow }), channel =>
        Readable.from(linesOf(channel, since)),
      ),
  }
}

function executionOf(channel: Channel): Execution {
  return {
    stdin: channel.input,
    stdout: channel.output,
    stderr: channel.errors,
    ended: endOf(channel),
    resize(size) {
      const { cols, rows } = clamped(size)
      channel.say(resizeFrame(cols, rows))
    },
    signal: name => channel.say(frame(frameType.signal, Buffer.from(`SIG${name}`))),
    close: () => channel.close(),
  }
}

/** Not before the outputs were read: what the keeper said last may have come together with the last of them. */
async function endOf({ result, output, errors }: Channel): Promise<Awaited<Execution['ended']>> {
  const read = Promise.allSettled([output, errors].map(stream => finished(stream)))
  const end = readEnd(await result)
  if (end) await read
  return end
}

/** As a keeper says it that a customer may have taken over. */
function readEnd(said: unknown): Awaited<Execution['ended']> {
  const { code = null, signal = null } = (said ?? {}) as { code?: unknown; signal?: unknown }
  if (Number.isInteger(code)) return { code: Number(code), signal: null }
  const name = typeof signal === 'string' ? /^SIG([A-Z\d+]{1,16})$/.exec(signal)?.[1] : undefined
  return name === undefined ? null : { code: null, signal: name }
}

async function* linesOf(channel: Channel, since: number): AsyncGenerator<LogLine> {
  let rest = ''
  try {
    for await (const chunk of channel.output as AsyncIterable<Buffer>) {
      const lines = (rest + chunk.toString('latin1')).split('\n')
      rest = lines.pop()!.slice(0, 2 * maxLineBytes)
      for (const line of lines) {
        const read = readLine(line)
        if (read && read.at >= since) yield read
      }
    }
  } finally {
    channel.close()
  }
}

/** Null for what its customer has made of it. */
function readLine(line: string): LogLine | null {
  const [, time, stream, text] = /^(\S{20,30}) (\w+) (.*)$/s.exec(line) ?? []
  const at = Date.parse(time ?? '')
  const known = logStreams.find(name => name === stream)
  if (!Number.isFinite(at) || !known) return null
  return { at, stream: known, text: Buffer.from(text!, 'latin1').toString().slice(0, maxLineBytes) }
}
