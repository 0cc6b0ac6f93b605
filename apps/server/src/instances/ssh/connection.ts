/**
 * One client. Until it has signed in it may do nothing but that, for a limited time and a limited number of tries; then it
 * may open sessions and forward connections into its one instance. Remote forwarding, agents and X11 have no handler here,
 * and what has none is refused. It ends within a second or two of whatever let it in.
 */
import { setMaxListeners } from 'node:events'
import type { Socket } from 'node:net'
import type { Connection, ServerChannel } from 'ssh2'
import type { Watched } from '../../http/watched.ts'
import { typingNoter } from '../typing.ts'
import { forward } from './forward.ts'
import type { Rooms } from './rooms.ts'
import { offerStart, type OfferNeeds } from './offer-start.ts'
import { say } from './program.ts'
import { openSession } from './session.ts'
import type { Standing } from './standing.ts'
import { type Entry, findEntry, signIn, type SignInNeeds } from './sign-in.ts'

export interface ConnectionNeeds extends SignInNeeds, OfferNeeds {
  readonly watched: Watched<Entry>
  readonly rooms: Rooms
}

const signInMs = 60_000
const mostTries = 20
const mostChannels = 64
/** What a client sends beyond the window that it was given. */
const mostUnreadBytes = 8 * 1024 * 1024
const endedCode = 255
const heardMs = 250
const goodbyeMs = 750
const refusedMs = 10_000
/** A client that asks for nothing is asked nothing. */
const questionMs = 30_000
const notReadyText = 'The machine is not ready. Try again in a moment.'

export function openConnection(needs: ConnectionNeeds, client: Connection, socket: Socket): void {
  let standing: Standing | null = null
  let tries = 0
  let leave = () => {}
  const channels = new Set<ServerChannel>()
  const over = new AbortController()
  setMaxListeners(0, over.signal)
  const late = setTimeout(() => socket.destroy(), signInMs)

  /** Nothing more reaches the machine from now on; the person at the other end has time to hear why. */
  function end(why: string): void {
    over.abort()
    for (const channel of channels) {
      channel.stderr.write(`\r\n${why}\r\n`)
      channel.exit(endedCode)
      channel.end()
    }
    setTimeout(() => client.end(), heardMs).unref()
    setTimeout(() => socket.destroy(), goodbyeMs).unref()
  }
  function enter(entry: Entry, room = needs.rooms.take(entry)): void {
    clearTimeout(late)
    const driver = needs.regions.find(region => region.compute.name === entry.driver)?.compute
    const refusal = room === null ? fullText : whyClosed(entry)
    leave = room ?? leave
    if (room && entry.status === 'stopped' && entry.offersStart && refusal !== null) {
      const unanswered = setTimeout(() => socket.destroy(), questionMs).unref()
      standing = {
        refusal,
        async offer(channel) {
          clearTimeout(unanswered)
          const { signal } = over
          const runs = await offerStart(needs, entry, channel, socket.remoteAddress ?? '', signal)
          const now = runs && !signal.aborted ? await findEntry(needs, entry) : null
          // Another session of this client may have been quicker.
          const isInside = standing !== null && 'inside' in standing
          if (now?.status === 'running' && !isInside) enter(now, room)
          else if (runs && !isInside) say(channel, notReadyText)
          const after = standing as Standing | null
          return after && 'inside' in after ? after.inside : null
        },
      }
    } else if (refusal !== null || !driver || entry.driverRef === null) {
      standing = { refusal: refusal ?? notReadyText }
      setTimeout(() => socket.destroy(), refusedMs).unref()
    } else {
      const unwatch = needs.watched.watch(entry, end)
      leave = () => {
        unwatch()
        room!()
      }
      const noteInput = typingNoter(needs, entry.instanceId, 'ssh')
      standing = {
        inside: { driver, ref: entry.driverRef, socket, log: needs.log, noteInput, over: over.signal },
      }
    }
    if (socket.destroyed) leave()
  }

  client.on('authentication', context => {
    if (context.method !== 'none' && ++tries > mostTries) return void client.end()
    signIn(needs, context, socket.remoteAddress ?? '').then(
      entry => entry && enter(entry),
      error => {
        needs.log.warn({ err: error }, 'a sign-in over SSH failed')
        socket.destroy()
      },
    )
  })
  client.on('session', (accept, reject) => {
    if (!standing || channels.size >= mostChannels) return reject()
    openSession(standing, accept(), channel => {
      channels.add(channel)
      channel.on('close', () => channels.delete(channel))
    })
  })
  client.on('tcpip', (accept, reject, to) => {
    if (!standing || 'refusal' in standing || channels.size >= mostChannels) return reject()
    const taking = () => {
      const channel = accept()
      if (!channel) return channel
      channels.add(channel)
      channel.on('close', () => channels.delete(channel))
      return channel
    }
    forward(standing.inside, taking, reject, to).catch(error => {
      needs.log.warn({ err: error }, 'forwarding over SSH failed')
      reject()
    })
  })
  // Whatever is wrong with it, it is over.
  client.on('error', () => socket.destroy())
  client.once('close', () => {
    clearTimeout(late)
    over.abort()
    leave()
  })
  socket.setMaxListeners(0)
  socket.on('data', () => {
    for (const channel of channels) if (channel.readableLength > mostUnreadBytes) socket.destroy()
  })
}

const fullText = 'Too many SSH connections are open already. Close some first.'
const whyClosed = ({ name, status }: Entry): string | null =>
  status === 'running'
    ? null
    : `The instance ${name} is ${status}. It can be reached by SSH while it runs; start it in the console or with a call.`
