/**
 * The main program's output as the engine has kept it: lines with their time and stream, the oldest first. The engine
 * writes the log whether or not anybody reads it, so a slow reader holds up nothing but its own connection.
 */
import { Readable } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'
import { exitText, type LogLine, type LogOptions } from '../driver.ts'
import { createEntryReader, type Output } from './demux.ts'
import type { ContainerState } from './runs.ts'

const maxLineBytes = 16 * 1024

/** As the engine's `since`: seconds and billionths of one. */
export const sinceOf = (ms: number): string =>
  `${Math.floor(ms / 1_000)}.${String(Math.floor(ms) % 1_000).padStart(3, '0')}000000`

/** `last`: what the driver says of the end, once the engine has told everything. */
export function readLog(
  stream: Readable,
  { since = 0 }: LogOptions,
  last: () => Promise<LogLine | null>,
): Readable & AsyncIterable<LogLine> {
  return Readable.from(linesOf(stream, since, last))
}

async function* linesOf(
  stream: Readable,
  since: number,
  last: () => Promise<LogLine | null>,
): AsyncGenerator<LogLine> {
  const found: LogLine[] = []
  const decoders: Record<Output, StringDecoder> = { stdout: new StringDecoder(), stderr: new StringDecoder() }
  const read = createEntryReader((output, entry) => {
    const line = lineOf(output, entry, decoders[output])
    if (line && line.at >= since) found.push(...cut(line))
  })
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      read(chunk)
      yield* found.splice(0)
    }
    const line = await last()
    if (line && line.at >= since) yield line
  } finally {
    stream.destroy()
  }
}

/** `2026-11-23T02:00:00.123456789Z the line`, in parts where it is long: only the last part has the line's end. */
function lineOf(output: Output, entry: Buffer, decoder: StringDecoder): LogLine | null {
  const space = entry.indexOf(0x20)
  const at = Date.parse(entry.toString('latin1', 0, Math.min(30, Math.max(0, space))))
  if (space === -1 || !Number.isFinite(at)) return null
  const isWhole = entry.at(-1) === 0x0a
  const text =
    decoder.write(entry.subarray(space + 1, isWhole ? -1 : undefined)) + (isWhole ? decoder.end() : '')
  return { at, stream: output, text }
}

/** An engine's part may be a little longer than the contract's. */
function cut(line: LogLine): LogLine[] {
  if (Buffer.byteLength(line.text) <= maxLineBytes) return [line]
  const parts: LogLine[] = []
  for (let rest = Buffer.from(line.text); rest.length > 0;) {
    let end = Math.min(rest.length, maxLineBytes)
    // Not within a character.
    while (end < rest.length && (rest[end]! & 0xc0) === 0x80) end--
    parts.push({ ...line, text: rest.toString('utf8', 0, end) })
    rest = rest.subarray(end)
  }
  return parts
}

/** How the last run ended, in words; null: it runs, never ran, or was stopped. */
export function endOf({ Running, ExitCode, OOMKilled, FinishedAt }: ContainerState): LogLine | null {
  const at = Date.parse(FinishedAt)
  if (Running || !(at > 0)) return null
  const text = OOMKilled
    ? 'The machine used up its memory, and the main program was ended.'
    : exitText({ code: ExitCode, signal: null })
  return { at, stream: 'machine', text }
}
