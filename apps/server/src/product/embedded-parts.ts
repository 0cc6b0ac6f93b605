/**
 * What comes with the product (the sandbox, simulated machines, the test chain) is one server's: two of them on one
 * database would each take the other's machines for lost. So the server that has it holds a lock of the database for as
 * long as it runs, and another one is refused at its start. The database gives the lock back when its holder has ended.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import pg from 'pg'
import { ConfigError } from '../config/config-error.ts'

const lock = 7_146_812
/** The database may not have noticed yet that the one before was killed. */
const patienceMs = 3_000
const retryMs = 100
const reconnectMs = 1_000

/** Answers how to give it back. */
export async function holdEmbeddedParts(url: string, log?: Logger): Promise<() => Promise<void>> {
  let isOver = false
  let client: pg.Client

  async function take(): Promise<boolean> {
    client = new pg.Client({ connectionString: url, application_name: 'ingot embedded parts' })
    client.on('error', () => {})
    await client.connect()
    // Of a host that was switched off the database hears nothing.
    await client.query(
      'set tcp_keepalives_idle = 10; set tcp_keepalives_interval = 5; set tcp_keepalives_count = 3',
    )
    const { rows } = await client.query<{ got: boolean }>('select pg_try_advisory_lock($1) as got', [lock])
    if (rows[0]!.got) client.once('end', () => void takeAgain())
    else await client.end()
    return rows[0]!.got
  }

  /** The database went away, and forgot it. */
  async function takeAgain(): Promise<void> {
    while (!isOver) {
      if (await take().catch(() => false)) return
      log?.warn('the lock on what runs in one server alone is not held')
      await sleep(reconnectMs, undefined, { ref: false })
    }
  }

  const until = Date.now() + patienceMs
  while (!(await take())) {
    if (Date.now() > until)
      throw new ConfigError(
        'another server of this database runs with INGOT_ROLE=both, and with it the sandbox and whatever else runs in one server alone. Stop it, or start this one with INGOT_ROLE=http or worker',
      )
    await sleep(retryMs)
  }
  return async () => {
    isOver = true
    await client.end()
  }
}
