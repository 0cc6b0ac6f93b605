import type { Socket } from 'node:net'
import type { Driver } from '@ingot/compute/driver'
import type { Logger } from 'pino'
import type { ServerChannel } from 'ssh2'

/** The machine that a client is in. */
export interface Inside {
  readonly driver: Driver
  readonly ref: string
  readonly socket: Socket
  readonly log: Logger
  readonly noteInput: () => void
  /** Aborts when nothing more may reach the machine. */
  readonly over: AbortSignal
}

/**
 * `refusal`: in words for the person at the other end, who has shown who they are. `offer`: it is stopped, and may be
 * started from a terminal; it answers where the machine is then, or null where nobody wanted it or it did not come up.
 */
export type Standing =
  | { readonly inside: Inside }
  | { readonly refusal: string; readonly offer?: (channel: ServerChannel) => Promise<Inside | null> }
