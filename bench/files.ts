/**
 * Files of a sandbox through the server, against a bare node:http server that writes and reads a file. Ours comes in
 * pieces, each with its checksum, whose making on the side of whoever sends is not counted.
 */
import { fork } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { maxChunkBytes } from '@ingot/contracts/files'
import { a40, type Bench } from './product.ts'
import { median, type Result } from './report.ts'
import { openInstanceShell } from './shell.ts'

const rounds = 3
const pieces = 25
const bytes = pieces * maxChunkBytes
const entries = 100_000
const piece = randomBytes(maxChunkBytes)
const sha256 = createHash('sha256').update(piece).digest('hex')
const agent = new Agent({ keepAlive: true, maxSockets: 1 })

export async function benchFiles({ client, product, token, dir }: Bench): Promise<Result[]> {
  const { id } = await client.instances.create({ ...a40, name: 'files' })
  while ((await client.instances.get({ id })).status !== 'running') await sleep(20)
  const shell = await openInstanceShell(client, product.url, id, 'many')
  const made = shell.waitFor('[made]')
  shell.type(`mkdir /workspace/many && cd /workspace/many && seq ${entries} | xargs touch && echo [ma'de]'\r`)
  await made
  shell.close()

  const floor = fork(new URL('floors/file-server.ts', import.meta.url), [join(dir, 'floor')])
  const [port] = (await once(floor, 'message')) as [number]
  const floorUrl = `http://127.0.0.1:${port}`
  const authorization = `Bearer ${token}`

  const up = { ours: [] as number[], floor: [] as number[] }
  const down = { ours: [] as number[], floor: [] as number[] }
  const listed: number[] = []
  const memory = watchMemory(product.pid)
  for (let round = 0; round < rounds; round++) {
    up.floor.push(await rate(() => send('PUT', floorUrl, pieces)))
    down.floor.push(await rate(() => send('GET', floorUrl)))
    const path = `/workspace/file-${round}`
    up.ours.push(
      await rate(async () => {
        const upload = await client.instances.beginUpload({ id, path, bytes })
        for (let offset = 0; offset < bytes; offset += piece.length)
          await send('PUT', `${product.url}/v1/uploads/${upload.id}/pieces/${offset}?sha256=${sha256}`, 1, {
            authorization,
          })
        const { state } = await client.files.finishUpload({ id: upload.id })
        if (state !== 'done') throw new Error(`the upload is ${state}`)
      }),
    )
    down.ours.push(
      await rate(async () => {
        const { url } = await client.instances.download({ id, path })
        await send('GET', product.url + url)
      }),
    )
    const began = performance.now()
    await client.instances.files({ id, path: '/workspace/many' })
    listed.push(performance.now() - began)
  }
  const grown = memory.stop()
  floor.kill()
  await client.instances.delete({ id })

  const mb = Math.round(bytes / 2 ** 20)
  const line = (what: string, { ours, floor: bare }: typeof up): Result => ({
    what,
    figure: `${median(ours).toFixed(0)} MB/s`,
    floor: `${median(bare).toFixed(0)} MB/s (bare node:http and a file)`,
    value: median(ours) / median(bare),
    unit: 'ratio',
    wanted: { atLeast: 0.6 },
  })
  return [
    line(`files: upload of ${mb} MB`, up),
    line(`files: download of ${mb} MB`, down),
    {
      what: 'files: memory of the server meanwhile',
      figure: `${grown.toFixed(0)} MB more`,
      floor: '',
      value: grown,
      unit: 'MB',
      wanted: { atMost: mb / 2 },
      note: `${rounds} times ${mb} MB each way`,
    },
    {
      what: `files: first page of ${entries} entries`,
      figure: `${median(listed).toFixed(0)} ms`,
      floor: '',
      value: median(listed),
      unit: 'ms',
      wanted: { atMost: 1_000 },
    },
  ]
}

async function rate(work: () => Promise<void>): Promise<number> {
  const began = performance.now()
  await work()
  return bytes / 1e6 / ((performance.now() - began) / 1000)
}

/** Sends so many pieces as one body, or reads an answer to its end. */
function send(
  method: 'GET' | 'PUT',
  url: string,
  count = 0,
  headers: Record<string, string> = {},
): Promise<void> {
  return new Promise((resolve, reject) => {
    const length = count * piece.length
    const asking = request(
      url,
      { method, agent, headers: { ...headers, 'content-length': length } },
      answer => {
        let came = 0
        answer.on('data', (part: Buffer) => (came += part.length)).on('error', reject)
        answer.on('end', () => {
          if (answer.statusCode !== 200) reject(new Error(`${method} ${url} answered ${answer.statusCode}`))
          else if (method === 'GET' && came !== bytes) reject(new Error(`${came} bytes came`))
          else resolve()
        })
      },
    ).on('error', reject)
    void (async () => {
      for (let n = 0; n < count; n++) if (!asking.write(piece)) await once(asking, 'drain')
      asking.end()
    })().catch(reject)
  })
}

/** The most that the process had, over what it had at the start; in MB. */
function watchMemory(pid: number) {
  const resident = () =>
    Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1024
  const before = resident()
  let most = before
  const timer = setInterval(() => (most = Math.max(most, resident())), 50)
  return {
    stop() {
      clearInterval(timer)
      return most - before
    },
  }
}
