/** What somebody types into an instance keeps it from being idle. */
import type { Logger } from 'pino'
import type { Clock } from '../db/clock.ts'
import type { Database } from '../db/database.ts'

export interface TypingNeeds {
  readonly database: Database
  readonly clock: Clock
  readonly log: Logger
}

const everyMs = 30_000

/** To be called for each piece of input; it is written down twice a minute at most. */
export function typingNoter({ database, clock, log }: TypingNeeds, instanceId: string): () => void {
  let notedAt = 0
  return () => {
    if (Date.now() - notedAt < everyMs) return
    notedAt = Date.now()
    void database.kysely
      .updateTable('gpu_instances')
      .set({ last_activity_at: clock.iso() })
      .where('id', '=', instanceId)
      .execute()
      .catch(error => log.warn({ err: error }, 'activity was not noted'))
  }
}
