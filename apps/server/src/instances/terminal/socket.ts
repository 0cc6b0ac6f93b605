/**
 * `GET /v1/terminal?ticket=…&cols=…&rows=…` as a WebSocket. Refused before the upgrade: a foreign page, a bad ticket.
 * It ends with the session, or the API key, that asked for the ticket.
 */
import { IngotError } from '@ingot/contracts/errors'
import { instances } from '@ingot/contracts/instances'
import '@fastify/websocket'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { WebSocket } from 'ws'
import type { Region } from '../../catalog/regions.ts'
import type { Config } from '../../config.ts'
import type { LiveCallers } from '../../http/live-callers.ts'
import { typingNoter, type TypingNeeds } from '../typing.ts'
import { terminalPath } from './open-terminal.ts'
import { isCells, readyMessage, relay } from './relay.ts'
import { takeTicket, type Ticket } from './take-ticket.ts'

const closeGraceMs = 500
const defaultSize = { cols: 80, rows: 24 }

interface TerminalNeeds extends TypingNeeds {
  readonly config: Pick<Config, 'publicUrl'>
  readonly regions: readonly Region[]
  readonly liveCallers: LiveCallers
}

export function registerTerminal(app: FastifyInstance, needs: TerminalNeeds): void {
  const tickets = new WeakMap<FastifyRequest, Ticket>()
  app.get(
    terminalPath,
    {
      websocket: true,
      preValidation: async request => {
        if (!isOwnOrigin(request, needs.config.publicUrl))
          throw new IngotError('not_allowed', { message: 'This page may not open terminals' })
        const { ticket } = request.query as { ticket?: unknown }
        const taken =
          typeof ticket === 'string' && ticket.length <= 100
            ? await takeTicket(needs.database.kysely, ticket)
            : null
        if (!taken)
          throw new IngotError('not_authenticated', { message: 'This terminal ticket is used up or too old' })
        await needs.liveCallers.assertMayCall(instances.terminal, openedBy(taken))
        tickets.set(request, taken)
      },
    },
    (socket, request) => attach(socket, request, tickets.get(request)!, needs),
  )
}

/** A browser names the page that opens a socket; programs do not. Only our own pages may. */
function isOwnOrigin(request: FastifyRequest, publicUrl: string): boolean {
  const { origin, host } = request.headers
  if (!origin) return true
  if (origin === publicUrl) return true
  return URL.canParse(origin) && new URL(origin).host === host
}

async function attach(
  socket: WebSocket,
  request: FastifyRequest,
  ticket: Ticket,
  needs: TerminalNeeds,
): Promise<void> {
  // What is typed before the shell is there waits in the socket.
  socket.pause()
  const driver = needs.regions.find(region => region.compute.name === ticket.driver)?.compute
  const { cols, rows, flow } = request.query as Record<string, string | undefined>
  const size = { cols: Number(cols), rows: Number(rows) }
  const answer = await driver?.attach(
    ticket.driver_ref ?? '',
    ticket.terminal_id,
    isCells(size.cols) && isCells(size.rows) ? size : defaultSize,
  )
  if (answer?.kind !== 'done') {
    const message =
      answer?.kind === 'failed' ? answer.message : 'The machine is not ready. Try again in a moment.'
    socket.send(JSON.stringify({ type: 'error', message }))
    socket.close(1013, 'not attached')
    // Or the answer to the closing would not be read, and the connection would stay for half a minute.
    socket.resume()
    return
  }
  socket.send(readyMessage)
  relay(socket, answer.value, {
    acknowledged: flow === 'ack',
    onInput: typingNoter(needs, ticket.instance_id),
  })
  const unwatch = needs.liveCallers.watch(instances.terminal, openedBy(ticket), () => {
    socket.close(1008, 'signed out')
    // Nothing more is typed into the shell, even if the other side never closes.
    answer.value.destroy()
    setTimeout(() => socket.terminate(), closeGraceMs).unref()
  })
  socket.once('close', unwatch)
  if (socket.readyState === socket.CLOSED) unwatch()
  socket.resume()
}

const openedBy = ({ session_id, key_id }: Ticket) => ({ sessionId: session_id, keyId: key_id })
