/** The floor of `GET /v1/billing`: bare Fastify with the same JSON from one query by index, no session, no checks. */
import Fastify from 'fastify'
import { billing } from '@ingot/contracts/billing'
import { routeSchemas } from '../../apps/server/src/http/schema.ts'
import { openDatabase } from '../../apps/server/src/db/database.ts'

const [url, userId] = process.argv.slice(2)
const { pool } = openDatabase(url!)
const text = `select t.id as number, idem as id, user_id, code as kind, description, usd(-amount_micro) as amount, 'paid' as status,
    null as about, null as instance_id, effective_at as created_at
  from ledger_transfer t where user_id = $1 order by t.id desc limit 51`
const app = Fastify()
app.get('/', { schema: { response: { 200: routeSchemas(billing.list).response } } }, async () => {
  const { rows } = await pool.query<{ number: bigint }>({ name: 'floor', text, values: [userId] })
  const last = rows[49]!
  return {
    items: rows.slice(0, 50).map(({ number: _, ...row }) => row),
    next_cursor: `${last.number}|infinity|ffffffff-ffff-ffff-ffff-ffffffffffff`,
  }
})
await app.listen({ port: 0, host: '127.0.0.1' })
process.send!((app.server.address() as { port: number }).port)
