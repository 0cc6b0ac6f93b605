/** The web terminal of an instance. */
import * as z from 'zod/mini'
import { id, operation, timestamp } from '../operation.ts'

/** Of a terminal's socket, and of how many there are. */
export const terminalLimits = {
  /** More in one frame closes the socket. */
  inputFrameBytes: 256 * 1024,
  /** Output that the page has not acknowledged; with more, the service stops reading until the page catches up. */
  unacknowledgedBytes: 1024 * 1024,
  /** Shells of one instance at a time. One more is refused while somebody looks at all of them. */
  terminals: 16,
} as const

export const instanceTerminal = {
  terminal: operation({
    id: 'openTerminal',
    method: 'POST',
    path: '/v1/instances/{id}/terminal',
    who: 'user',
    duringMaintenance: true,
    summary: 'A one-time ticket for the terminal WebSocket of a running instance',
    input: z.object({
      id,
      /** The shell to return to. The same id attaches to the same shell, with its screen restored. */
      terminal_id: z.string().check(z.regex(/^[A-Za-z0-9_-]{1,64}$/)),
    }),
    output: z.object({ ticket: z.string(), url: z.string(), expires_at: timestamp }),
    status: 201,
    errors: ['not_found', 'invalid_state'],
  }),
}
