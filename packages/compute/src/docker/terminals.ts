/**
 * Terminals, from the driver's side. Shells must outlive the server, and an engine gives the stream of a program it runs
 * to nobody a second time; so a keeper, one process for each engine beside a worker, holds those streams and the screens
 * (`keeper/keeper.ts`). It is started when a terminal is wanted and none is there.
 *
 * One server alone finds it in its own folder. Several servers of one engine meet at one keeper: where it is stands
 * where all of them see it, and one of those that may start it does when it does not answer.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { type Answer, done, failed, type Ref, type TerminalSize, type TerminalStream } from '../driver.ts'
import { refusals } from '../sandbox/agreed.ts'
import { createTurns } from '../sandbox/turns.ts'
import { ask, askOn, type Contact } from '../sandbox/wire/contact.ts'
import type { Request } from '../sandbox/wire/frames.ts'
import { clamped, terminalStream } from '../sandbox/wire/terminal-stream.ts'
import type { EngineOptions } from './engine.ts'
import { dismissKeeper, ensureKeeper, helloMs, keeperAddress } from './keeper-process.ts'
import { type Address, connectSecurely } from './keeper/secure.ts'

const attachMs = 3_000
/** For another server to start one. */
const waitMs = 4_000
const lookMs = 50
const tidyMs = 30_000
const maxTerminalId = 200
/** Of all terminals of one machine: each costs this process memory. */
const maxViewers = 64

/** Where the servers of one engine come to one keeper. */
export interface KeeperMeeting {
  /** 32 bytes that all of them have, and nobody else. */
  readonly secret: Buffer
  /** Where a keeper listens that this server starts; null: it starts none. */
  readonly host: string | null
  /** Where it is, as was noted last; null: there was none. */
  find(): Promise<Address | null>
  /** Asks the servers that start one to see that it is there. */
  ask(): void
  /** Does `look` while no other server does, and notes what that answers. */
  settle(look: (noted: Address | null) => Promise<Address | null>): Promise<Address | null>
}

export interface Terminals {
  attach(ref: Ref, terminalId: string, size: TerminalSize): Promise<Answer<TerminalStream>>
  /** Sees that the keeper is there. */
  keep(): Promise<boolean>
  close(): void
}

interface TerminalOptions {
  readonly dir: string
  readonly engine: EngineOptions
  readonly installation: string
  /** Null: this server uses the engine alone. */
  readonly meeting: KeeperMeeting | null
  readonly log: (message: string) => void
}

export function createTerminals(options: TerminalOptions): Terminals {
  const inTurn = createTurns()
  const viewers = new Map<TerminalStream, Ref>()
  const { reach, ensure, close } = options.meeting
    ? sharedKeeper(options, options.meeting)
    : ownKeeper(options)
  const keep = () => inTurn('', ensure)

  return {
    async attach(ref, terminalId, size) {
      if (terminalId.length > maxTerminalId) return failed('rejected', 'This terminal’s id is too long.')
      if ([...viewers.values()].filter(viewed => viewed === ref).length >= maxViewers)
        return refusals.too_many_terminals
      const request = { kind: 'attach', terminalId: `${ref}/${terminalId}`, ...clamped(size) } as const
      if (!(await keep())) return failed('transient', 'The instance’s terminal does not answer.')
      const contact = await reach(request, attachMs)
      if (!contact) return failed('transient', 'The instance’s terminal does not answer.')
      if (!contact.reply.ok) {
        contact.socket.destroy()
        return refusals[contact.reply.error]
      }
      const stream = terminalStream(contact)
      viewers.set(stream, ref)
      stream.once('close', () => viewers.delete(stream))
      return done(stream)
    },
    keep,
    close() {
      close()
      for (const stream of viewers.keys()) stream.destroy()
    },
  }
}

interface Keeper {
  reach(request: Request, patienceMs: number): Promise<Contact | null>
  ensure(): Promise<boolean>
  close(): void
}

function ownKeeper({ dir, engine, installation, log }: TerminalOptions): Keeper {
  return {
    reach: (request, patienceMs) => ask(dir, request, patienceMs),
    ensure: () => ensureKeeper({ dir, engine, installation, network: null }, log),
    close() {},
  }
}

function sharedKeeper(options: TerminalOptions, meeting: KeeperMeeting): Keeper {
  const { dir, engine, installation, log } = options
  const { secret, host } = meeting
  let known: Address | null = null

  const reachAt = (at: Address, request: Request, patienceMs: number) =>
    askOn(connectSecurely(at, secret), request, patienceMs)

  async function answers(at: Address | null): Promise<boolean> {
    const contact = at && (await reachAt(at, { kind: 'hello' }, helloMs))
    contact?.socket.destroy()
    return contact?.reply.ok === true
  }

  async function start(noted: Address | null): Promise<Address | null> {
    // Another server has started it meanwhile.
    if (await answers(noted)) return noted
    const network = { host: host!, secret: secret.toString('base64') }
    return (await ensureKeeper({ dir, engine, installation, network }, log)) ? keeperAddress(dir) : null
  }

  async function awaited(): Promise<Address | null> {
    meeting.ask()
    const until = performance.now() + waitMs
    for (;;) {
      const at = await meeting.find()
      if (await answers(at)) return at
      if (performance.now() > until) return null
      await sleep(lookMs)
    }
  }

  /** One of ours that others have given up keeps shells that nobody will ask for. */
  async function tidy(): Promise<void> {
    const own = keeperAddress(dir)
    const noted = own && (await meeting.find())
    if (!own || !noted || (own.host === noted.host && own.port === noted.port)) return
    if (await answers(noted)) dismissKeeper(dir)
  }
  const tidier = host === null ? undefined : setInterval(() => void tidy().catch(() => {}), tidyMs).unref()

  return {
    reach: async (request, patienceMs) => known && reachAt(known, request, patienceMs),
    async ensure() {
      const noted = await meeting.find()
      known = (await answers(noted)) ? noted : await (host === null ? awaited() : meeting.settle(start))
      return known !== null
    },
    close: () => clearInterval(tidier),
  }
}
