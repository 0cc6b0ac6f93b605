/**
 * The floor of the auth service: bare Fastify that answers what `GET /user` and a refresh answer, from one query each.
 * A refresh must write that the token was used, so its one query is a write as durable as ours.
 */
import Fastify from 'fastify'
import { presentUser } from '../../apps/server/src/auth/queries.ts'
import { findSignedIn } from '../../apps/server/src/auth/sessions/queries.ts'
import { openDatabase } from '../../apps/server/src/db/database.ts'

const [url, userId, sessionId, refreshAnswer] = process.argv.slice(2) as [string, string, string, string]
const database = openDatabase(url)
const refreshed = JSON.parse(refreshAnswer) as object
const app = Fastify()
app.get('/user', async () => presentUser((await findSignedIn(database, userId, sessionId))!.user))
app.post('/refresh', request =>
  database.pool
    .query({
      name: 'refresh',
      text: 'update auth_session set refresh_counter = refresh_counter + 1, refreshed_at = now() where id = $1',
      values: [(request.body as { session_id: string }).session_id],
    })
    .then(() => refreshed),
)
await app.listen({ port: 0, host: '127.0.0.1' })
process.send!((app.server.address() as { port: number }).port)
