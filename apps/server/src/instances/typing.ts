/** What somebody types into an instance, or asks one of its ports to change, keeps it from being idle. */
import type { Logger } from 'pino'
import type { Clock } from '../db/clock.ts'
import type { Database } from '../db/database.ts'

export interface TypingNeeds {
  readonly database: Database
  readonly clock: Clock
  readonly log: Logger
}

const everyMs = 30_000

/** `request`: through one of its ports, and one that may change something. */
export type InputKind = 'terminal' | 'ssh' | 'request'

/** To be called for each piece of input; it is written down twice a minute at most. */
export function typingNoter(
  { database, clock, log }: TypingNeeds,
  instanceId: string,
  kind: InputKind = 'terminal',
): () => void {
  let notedAt = 0
  return () => {
    if (Date.now() - notedAt < everyMs) return
    notedAt = Date.now()
    void database.kysely
      .updateTable('gpu_instances')
      .set(
        kind === 'request'
          ? { last_request_at: clock.iso() }
          : { last_activity_at: clock.iso(), last_input_by: kind },
      )
      .where('id', '=', instanceId)
      .execute()
      .catch(error => log.warn({ err: error }, 'activity was not noted'))
  }
}
