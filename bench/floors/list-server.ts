/** The floor of `GET /v1/instances`: bare Fastify with the same JSON from one query, no session, no checks. */
import Fastify from 'fastify'
import pg from 'pg'
import { instances } from '@ingot/contracts/instances'
import { routeSchemas } from '../../apps/server/src/http/schema.ts'
import { listInstances } from '../../apps/server/src/instances/queries.ts'
import { openDatabase } from '../../apps/server/src/db/database.ts'

const [url, userId] = process.argv.slice(2)
const { pool } = openDatabase(url!)
const app = Fastify()
app.get('/', { schema: { response: { 200: routeSchemas(instances.list).response } } }, () =>
  listInstances(pool as pg.Pool, userId!, { limit: 50 }),
)
await app.listen({ port: 0, host: '127.0.0.1' })
process.send!((app.server.address() as { port: number }).port)
