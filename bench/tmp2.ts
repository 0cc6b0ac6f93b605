
import { fork } from 'node:child_process'
import { once } from 'node:events'
import autocannon from 'autocannon'
import { readFileSync } from 'node:fs'
import { startBench } from './product.ts'
import { embeddedUrl } from './list.ts'
import { refresh, floorRefresh, signIn, makeUsers, sessionIdOf } from './tmp-auth.ts'
const bench = await startBench()
const url = await embeddedUrl(bench.dir)
const emails = await makeUsers(url, 4)
const base = `${bench.product.url}/auth/v1`
const sessions = await Promise.all(Array.from({ length: 16 }, (_, n) => signIn(base, emails[n % 4]!)))
const floor = fork(new URL('floors/auth-server.ts', import.meta.url), [url, sessions[0]!.user.id, sessionIdOf(sessions[0]!), JSON.stringify(sessions[0])])
const [port] = (await once(floor, 'message')) as [number]
const pgpid = Number(readFileSync(bench.dir + '/postgres/postmaster.pid', 'utf8').split('\n')[0])
const stat = (pid: number) => { const f = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' '); return Number(f[11]) + Number(f[12]) }
import { execSync } from 'node:child_process'
const pgcpu = () => execSync(`pgrep -P ${pgpid}`).toString().trim().split('\n').reduce((a, p) => { try { return a + stat(Number(p)) } catch { return a } }, 0)
const cpu = () => [stat(bench.product.pid), stat(floor.pid!), pgcpu()]
await autocannon({ ...refresh(base, sessions), connections: 16, amount: 9000 }); await autocannon({ ...floorRefresh(`http://127.0.0.1:${port}`, sessions), connections: 16, amount: 9000 })
let last = cpu()
const r = refresh(base, sessions), f = floorRefresh(`http://127.0.0.1:${port}`, sessions)
for (let i = 0; i < 4; i++) for (const [name, o] of [['refresh', r], ['floor', f]] as const) {
  const x = await autocannon({ ...o, connections: 16, duration: 2 }); const c = cpu(); console.log(name, c.map((v, k) => v - last[k]!).join(' '), x.requests.average, x.non2xx, x.latency.p50); last = c }
floor.kill(); await bench.close(); process.exit(0)
