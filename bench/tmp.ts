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
import { readFileSync } from 'node:fs'
const cpu = () => [bench.product.pid, floor.pid!, process.pid].map(pid => { const f = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' '); return Number(f[11]) + Number(f[12]) })
let last = cpu()
for (let i = 0; i < 4; i++) {
  for (const [name, o] of [['user', { url: `${bench.product.url}/auth/v1/user`, headers }], ['floor', { url: `http://127.0.0.1:${port}/user` }]] as const)
    { const r = await autocannon({ ...o, connections: 16, duration: 2 }); const c = cpu(); console.log(name, c.map((x, k) => x - last[k]!).join(' '), r.requests.average, r.non2xx, r.latency.p99); last = c }
}
floor.kill(); await bench.close(); process.exit(0)
