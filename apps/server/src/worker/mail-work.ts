import { createTransport } from 'nodemailer'
import type { Config } from '../config.ts'
import type { Vault } from '../vault.ts'
import type { Work } from './loop.ts'

const firstPauseMs = 5_000
const lastPauseMs = 3_600_000
const maxAttempts = 30
/** What a row keeps of a letter that leaves no trace. */
const forgotten = { recipient: '', body_sealed: null, last_error: null }

/** The loop's work when SMTP is configured. */
export function mailWork(smtp: NonNullable<Config['smtp']>, vault: Vault): Work<'mail'> {
  const transport = createTransport(smtp.url)
  return {
    table: 'mail',
    key: 'id',
    clock: 'real',
    concurrency: 4,
    async perform(row, claim) {
      const failure = await transport
        .sendMail({
          from: smtp.from,
          to: row.recipient,
          subject: row.subject,
          text: vault.open(row.body_sealed!, `mail:${row.id}`).toString(),
        })
        .then(
          () => null,
          error => (error as Error).message.slice(0, 300),
        )
      const attempts = row.attempts + 1
      await claim.apply(async () => {
        if (failure === null)
          return {
            due_at: null,
            attempts,
            sent_at: new Date().toISOString(),
            body_sealed: null,
            last_error: null,
            ...(row.forget ? forgotten : {}),
          }
        const pause = Math.min(lastPauseMs, firstPauseMs * 2 ** row.attempts)
        if (attempts === maxAttempts)
          return { attempts, last_error: failure, due_at: null, ...(row.forget ? forgotten : {}) }
        return { attempts, last_error: failure, due_at: new Date(Date.now() + pause).toISOString() }
      })
    },
  }
}
