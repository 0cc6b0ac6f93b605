/** Tools of a test cloud. They exist only while the chain is the devnet and both listener and public URL are loopback. */
import * as z from 'zod/mini'
import { nothing, operation, timestamp, usd } from './operation.ts'

export const mail = z.object({
  id: z.string(),
  /** A message to a phone has no subject. */
  kind: z.enum(['mail', 'sms']),
  to: z.string(),
  subject: z.string(),
  text: z.string(),
  links: z.array(z.string()),
  created_at: timestamp,
})
export type Mail = z.infer<typeof mail>

export const dev = {
  mail: operation({
    id: 'dev_listMail',
    method: 'GET',
    path: '/dev/api/mail',
    who: 'dev',
    summary: 'Every mail and every message to a phone that the server sent, newest first, with their links',
    input: nothing,
    output: z.object({ items: z.array(mail), next_cursor: z.null() }),
    status: 200,
    errors: [],
  }),
  faucet: operation({
    id: 'dev_faucet',
    method: 'POST',
    path: '/dev/api/faucet',
    who: 'dev',
    summary: 'Sends test USDT from the funded devnet account',
    transaction: false,
    input: z.object({
      address: z.string().check(z.regex(/^T[1-9A-HJ-NP-Za-km-z]{33}$/)),
      amount_usdt: z.union([
        z.number().check(z.positive(), z.maximum(100_000)),
        z.string().check(z.regex(/^[0-9]{1,6}(\.[0-9]{1,6})?$/)),
      ]),
    }),
    output: z.object({ tx_hash: z.string(), amount_usdt: usd }),
    status: 200,
    errors: [],
  }),
  time: operation({
    id: 'dev_time',
    method: 'GET',
    path: '/dev/api/clock',
    who: 'dev',
    summary: 'What the business clock shows',
    input: nothing,
    output: z.object({ now: timestamp, offset_ms: z.int() }),
    status: 200,
    errors: [],
  }),
  clock: operation({
    id: 'dev_clock',
    method: 'POST',
    path: '/dev/api/clock',
    who: 'dev',
    summary: 'Moves the business clock on; it never goes back',
    transaction: false,
    input: z.object({ advance_ms: z.int().check(z.minimum(0), z.maximum(366 * 86_400_000)) }),
    output: z.object({ now: timestamp, offset_ms: z.int() }),
    status: 200,
    errors: [],
  }),
}
