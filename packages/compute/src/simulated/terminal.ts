/**
 * A session with its viewers. Every viewer is a duplex of bytes: what it reads first is the screen as it stands, and
 * what it writes is input of the one shell. Destroying it leaves the shell alive; when the shell exits, or the
 * machine stops, the streams of all viewers end.
 *
 * A viewer that does not read holds at most `maxUnreadBytes`; beyond that it misses output and gets the screen afresh
 * once it reads again, so that one stalled viewer neither grows memory nor holds up the others.
 */
import { Duplex } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'
import type { TerminalSize, TerminalStream } from '../driver.ts'
import { createSession, type SavedSession, type SessionOptions } from './session.ts'

export interface Terminal {
  attach(size: TerminalSize): TerminalStream
  viewers(): number
  saved(): SavedSession
  /** The shell is over: ends the stream of every viewer. */
  end(): void
  /** Lets go of every viewer; the shell can be continued from `saved`. */
  detach(): void
}

export interface TerminalOptions extends Omit<SessionOptions, 'columns' | 'write' | 'exited'> {
  readonly size: TerminalSize
  /** The shell ended by itself. */
  readonly exited: () => void
}

const maxUnreadBytes = 2 ** 18
const wipe = '\u001B[H\u001B[2J\u001B[3J'

interface Viewer {
  readonly stream: Duplex
  isBehind: boolean
}

export function createTerminal(options: TerminalOptions): Terminal {
  const viewers = new Set<Viewer>()

  const session = createSession({
    ...options,
    columns: options.size.cols,
    write(text) {
      for (const viewer of viewers) show(viewer, text)
    },
    exited() {
      end()
      options.exited()
    },
  })

  function show(viewer: Viewer, text: string): void {
    if (viewer.isBehind || text === '') return
    viewer.stream.push(text)
    viewer.isBehind = viewer.stream.readableLength > maxUnreadBytes
  }

  function end(): void {
    session.close()
    for (const { stream } of viewers) stream.push(null)
    viewers.clear()
  }

  function attach(size: TerminalSize): TerminalStream {
    const decoder = new StringDecoder('utf8')
    const stream = new Duplex({
      allowHalfOpen: false,
      read() {
        if (!viewer.isBehind) return
        viewer.isBehind = false
        show(viewer, wipe + session.screen())
      },
      write(chunk: Buffer, _encoding, taken) {
        if (viewers.has(viewer)) session.input(decoder.write(chunk))
        taken()
      },
      destroy(error, destroyed) {
        if (viewers.delete(viewer)) options.changed()
        destroyed(error)
      },
    })
    const viewer: Viewer = { stream, isBehind: false }
    session.resize(size.cols)
    show(viewer, session.screen())
    viewers.add(viewer)
    return Object.assign(stream, {
      resize(size: TerminalSize) {
        if (viewers.has(viewer)) session.resize(size.cols)
      },
      hangUp() {
        if (!viewers.has(viewer)) return
        end()
        options.exited()
      },
    })
  }

  return {
    attach,
    viewers: () => viewers.size,
    saved: session.saved,
    end,
    detach() {
      session.close()
      const left = [...viewers]
      viewers.clear()
      for (const { stream } of left) stream.destroy()
    },
  }
}
