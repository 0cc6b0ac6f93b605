/**
 * A port of a sandbox through the server, against a bare node:http proxy before the same program on the host. A machine
 * is reached through its keeper, which is in our figure and not in the floor's: beside it stands the same proxy with a
 * bare relay in the keeper's place.
 */
import { type ChildProcess, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { performance } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import autocannon from 'autocannon'
import { a40, type Bench } from './product.ts'
import { median, type Result } from './report.ts'
import { openInstanceShell } from './shell.ts'

const rounds = 3
const seconds = 3
const connections = 16
const megabytes = 200
const sequential = 300
const programPort = 8000
/** 1 KB at `/`, as many MB as it is asked for below. */
const program = `const b=Buffer.alloc(1e6,120);require("http").createServer((q,r)=>{const n=Number(q.url.slice(1));if(!n){r.setHeader("content-length",1000);return r.end(b.subarray(0,1000))}r.setHeader("content-length",n*1e6);let i=0;const w=()=>{while(i<n){i++;if(!r.write(b))return r.once("drain",w)}r.end()};w()}).listen(Number(process.env.P),"127.0.0.1",()=>console.log("[prog"+"ram]"))`

interface Target {
  readonly url: string
  readonly headers: Record<string, string>
}

export async function benchPorts({ client, product }: Bench): Promise<Result[]> {
  const { id } = await client.instances.create({ ...a40, name: 'ports', ports: [programPort] })
  while ((await client.instances.get({ id })).status !== 'running') await sleep(20)
  const shell = await openInstanceShell(client, product.url, id, 'program')
  const up = shell.waitFor('[program]')
  shell.type(`P=${programPort} node -e '${program}' &\r`)
  await up
  const host = await startProgram()
  const floors = [[], ['relay']].map(more =>
    fork(new URL('floors/proxy-server.ts', import.meta.url), [String(host.port), ...more]),
  )
  const [floorPort, relayPort] = await Promise.all(
    floors.map(async floor => (await once(floor, 'message'))[0] as number),
  )
  const targets = {
    ours: await enter({ client, product }, id),
    floor: { url: `http://127.0.0.1:${floorPort}`, headers: {} },
    relay: { url: `http://127.0.0.1:${relayPort}`, headers: {} },
    direct: { url: `http://127.0.0.1:${host.port}`, headers: {} },
  }

  const rate = { ours: [] as number[], floor: [] as number[], relay: [] as number[] }
  const speed = { ours: [] as number[], floor: [] as number[], relay: [] as number[] }
  const wait = { ours: [] as number[], floor: [] as number[], relay: [] as number[], direct: [] as number[] }
  // A round that warms all up is not counted.
  for (let n = 0; n <= rounds; n++)
    for (const which of ['ours', 'floor', 'relay', 'direct'] as const) {
      const target = targets[which]
      const times = await waits(target)
      if (n > 0) wait[which].push(...times)
      if (which === 'direct') continue
      const { requests, non2xx } = await autocannon({
        ...target,
        connections,
        duration: n === 0 ? 1 : seconds,
      })
      if (non2xx > 0) throw new Error(`${non2xx} requests were not answered with 200`)
      const mbPerSecond = await download(target)
      if (n === 0) continue
      rate[which].push(requests.average)
      speed[which].push(mbPerSecond)
    }
  for (const floor of floors) floor.kill()
  host.process.kill()
  shell.close()
  await client.instances.delete({ id })

  const added = median(wait.ours) - median(wait.direct)
  return [
    {
      what: 'port: GET of 1 KB',
      figure: `${median(rate.ours).toFixed(0)}/s`,
      floor: `${median(rate.floor).toFixed(0)}/s (bare node:http proxy)`,
      value: median(rate.ours) / median(rate.floor),
      unit: 'ratio',
      wanted: { atLeast: 0.7 },
      note: `${connections} connections; with a bare relay ${median(rate.relay).toFixed(0)}/s`,
    },
    {
      what: `port: download of ${megabytes} MB`,
      figure: `${median(speed.ours).toFixed(0)} MB/s`,
      floor: `${median(speed.floor).toFixed(0)} MB/s (bare node:http proxy)`,
      value: median(speed.ours) / median(speed.floor),
      unit: 'ratio',
      wanted: { atLeast: 0.7 },
      note: `with a bare relay ${median(speed.relay).toFixed(0)} MB/s`,
    },
    {
      what: 'port: added to a request',
      figure: `${added.toFixed(2)} ms`,
      floor: `${(median(wait.floor) - median(wait.direct)).toFixed(2)} ms (bare node:http proxy)`,
      value: added,
      unit: 'ms',
      wanted: { atMost: 2 },
      note: `median of ${rounds * sequential}, one at a time`,
    },
  ]
}

async function startProgram(): Promise<{ process: ChildProcess; port: number }> {
  const port = 20_000 + Math.floor(Math.random() * 10_000)
  const process_ = spawn(process.execPath, ['-e', program], {
    env: { P: String(port) },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await once(process_.stdout, 'data')
  return { process: process_, port }
}

/** By a ticket, as a browser does. */
async function enter({ client, product }: Pick<Bench, 'client' | 'product'>, id: string): Promise<Target> {
  const { url } = await client.instances.openPort({ id, port: programPort })
  const { host, pathname, search } = new URL(url)
  const answer = await ask({ url: product.url, headers: { host } }, pathname + search, null)
  const cookie = String(answer.headers['set-cookie']).split(';')[0]!
  return { url: product.url, headers: { host, cookie } }
}

function ask({ url, headers }: Target, path: string, agent: Agent | null) {
  return new Promise<{ headers: NodeJS.Dict<string | string[]>; bytes: number }>((resolve, reject) => {
    request(url + path, { headers, ...(agent ? { agent } : {}) }, answer => {
      let bytes = 0
      answer.on('data', (part: Buffer) => (bytes += part.length))
      answer.on('end', () => resolve({ headers: answer.headers, bytes }))
    })
      .on('error', reject)
      .end()
  })
}

/** In ms, one after the other over one connection. */
async function waits(target: Target): Promise<number[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const times: number[] = []
  for (let n = 0; n < sequential; n++) {
    const began = performance.now()
    await ask(target, '/', agent)
    times.push(performance.now() - began)
  }
  agent.destroy()
  return times
}

/** In MB/s. */
async function download(target: Target): Promise<number> {
  const began = performance.now()
  const { bytes } = await ask(target, `/${megabytes}`, null)
  if (bytes !== megabytes * 1e6) throw new Error(`${bytes} bytes came`)
  return megabytes / ((performance.now() - began) / 1000)
}
