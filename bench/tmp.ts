import { fork } from 'node:child_process'
import { once } from 'node:events'
import autocannon from 'autocannon'
import { startBench } from './product.ts'
import { embeddedUrl } from './list.ts'
const bench = await startBench()
const url = await embeddedUrl(bench.dir)
const payload = JSON.parse(Buffer.from(bench.token.split('.')[1]!, 'base64url').toString())
const floor = fork(new URL('floors/auth-server.ts', import.meta.url), [url, payload.sub, payload.session_id, '{}'])
const [port] = (await once(floor, 'message')) as [number]
const headers = { authorization: `Bearer ${bench.token}` }
for (let i = 0; i < 3; i++) {
  for (const [name, o] of [['user', { url: `${bench.product.url}/auth/v1/user`, headers }], ['floor', { url: `http://127.0.0.1:${port}/user` }], ['health', { url: `${bench.product.url}/auth/v1/health` }], ['caller', { url: `${bench.product.url}/v1/profile/user-role`, headers }]] as const)
    { const r = await autocannon({ ...o, connections: 16, duration: 2 }); console.log(name, r.requests.average, r.non2xx, r.latency.p99) }
}
floor.kill(); await bench.close(); process.exit(0)
