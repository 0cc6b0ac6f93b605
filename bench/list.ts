/** `GET /v1/instances` with 20 rows and the session checked, against bare Fastify with the same JSON and one query. */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import autocannon from 'autocannon'
import { a40, type Bench } from './product.ts'
import { median, type Result } from './report.ts'

const rounds = 5
const seconds = 3
const connections = 16

export async function benchList({ client, product, token, dir }: Bench): Promise<Result[]> {
  for (let n = 0; n < 20; n++) await client.instances.create({ ...a40, name: `row-${n}`, start: false })
  const { items } = await client.instances.list()
  const floor = fork(new URL('floors/list-server.ts', import.meta.url), [
    await embeddedUrl(dir),
    items[0]!.user_id,
  ])
  const [port] = (await once(floor, 'message')) as [number]
  const floorUrl = `http://127.0.0.1:${port}/`
  const ours = { url: `${product.url}/v1/instances`, headers: { authorization: `Bearer ${token}` } }

  const same = await Promise.all(
    [fetch(ours.url, { headers: ours.headers }), fetch(floorUrl)].map(async answer => (await answer).text()),
  )
  if (same[0] !== same[1]) throw new Error('the floor does not answer the same JSON')
  await autocannon({ ...ours, connections, duration: 1 })
  await autocannon({ url: floorUrl, connections, duration: 1 })
  const figures = { ours: [] as autocannon.Result[], floor: [] as autocannon.Result[] }
  for (let n = 0; n < rounds; n++) {
    figures.ours.push(await autocannon({ ...ours, connections, duration: seconds }))
    figures.floor.push(await autocannon({ url: floorUrl, connections, duration: seconds }))
  }
  floor.kill()
  for (const { id } of items) await client.instances.delete({ id })
  const rate = (results: autocannon.Result[]) => median(results.map(result => result.requests.average))
  const p99 = (results: autocannon.Result[]) => median(results.map(result => result.latency.p99))
  return [
    {
      what: 'GET /v1/instances, 20 rows',
      figure: `${rate(figures.ours).toFixed(0)}/s, p99 ${p99(figures.ours)} ms`,
      floor: `${rate(figures.floor).toFixed(0)}/s, p99 ${p99(figures.floor)} ms`,
      value: rate(figures.ours) / rate(figures.floor),
      unit: 'ratio',
      wanted: { atLeast: 0.6 },
      note: `${connections} connections`,
    },
  ]
}

export async function embeddedUrl(dir: string): Promise<string> {
  const password = (await readFile(join(dir, 'postgres-password'), 'utf8')).trim()
  return `postgres://ingot:${password}@/ingot?host=${encodeURIComponent(join(dir, 'run'))}`
}
