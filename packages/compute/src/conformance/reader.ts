/**
 * A terminal as a test reads it: the text without control sequences, and a place up to which it has been read.
 * `until` looks only at what came after the last match, so that an old prompt is never taken for a new one. It keeps
 * the last 256 KiB, so a flood does not fill the test's own memory.
 */
import { StringDecoder } from 'node:string_decoder'
import { stripVTControlCharacters } from 'node:util'
import type { TerminalStream } from '../driver.ts'

export interface TerminalReader {
  readonly stream: TerminalStream
  type(text: string): void
  /** Everything kept, control sequences removed. */
  text(): string
  /** Waits until the unread text matches, and reads up to the end of the match. Answers what it read. */
  until(pattern: RegExp): Promise<string>
  /** Waits until the shell has ended the stream. */
  ended(): Promise<void>
  pause(): void
  resume(): void
}

const kept = 2 ** 18

export function readTerminal(stream: TerminalStream, patienceMs: number): TerminalReader {
  const decoder = new StringDecoder('utf8')
  let raw = ''
  /** Length of the text that has been read, without what was forgotten beyond `kept`. */
  let readTo = 0
  let over = false
  let failure: Error | null = null
  const waiting = new Set<() => void>()

  const text = () => stripVTControlCharacters(raw)
  const wake = () => {
    for (const look of waiting) look()
  }
  stream.on('data', (chunk: Buffer) => {
    raw += decoder.write(chunk)
    if (raw.length > kept * 2) {
      const before = text().length
      raw = raw.slice(-kept)
      readTo = Math.max(0, readTo - (before - text().length))
    }
    wake()
  })
  stream.on('end', () => {
    over = true
    wake()
  })
  stream.on('error', error => {
    failure = error
    wake()
  })

  const waitFor = <T>(found: () => T | null, what: string): Promise<T> =>
    new Promise((resolve, reject) => {
      const settle = (act: () => void) => {
        clearTimeout(timer)
        waiting.delete(look)
        act()
      }
      const look = () => {
        const value = found()
        if (value !== null) return settle(() => resolve(value))
        if (failure) return settle(() => reject(failure))
      }
      const timer = setTimeout(() => {
        const tail = JSON.stringify(text().slice(-400))
        settle(() => reject(new Error(`waited ${patienceMs} ms for ${what}; the screen ends with ${tail}`)))
      }, patienceMs)
      waiting.add(look)
      look()
    })

  return {
    stream,
    text,
    type: input => void stream.write(input),
    until: pattern =>
      waitFor(() => {
        const unread = text().slice(readTo)
        const match = pattern.exec(unread)
        if (!match) return null
        const end = match.index + match[0].length
        readTo += end
        return unread.slice(0, end)
      }, String(pattern)),
    ended: () => waitFor(() => (over ? true : null), 'the end of the stream').then(() => undefined),
    pause: () => void stream.pause(),
    resume: () => void stream.resume(),
  }
}
