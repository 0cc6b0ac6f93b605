/**
 * The bill of a wallet with 100,000 lines: its first page, against bare Fastify with one query by index; the whole of it as
 * a file, by how much more memory the server needs for it than for a tenth of the lines; and the PDF of an invoice with
 * 1,000 lines.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import type { Invoice } from '@ingot/contracts/invoices'
import autocannon from 'autocannon'
import pg from 'pg'
import { makePdf } from '../apps/server/src/billing/invoices/pdf/invoice-file.ts'
import { embeddedUrl } from './list.ts'
import type { Bench } from './product.ts'
import { median, type Result } from './report.ts'

const few = 10_000
const lines = 100_000
const rounds = 5
const seconds = 3
const connections = 16

export async function benchBilling(bench: Bench): Promise<Result[]> {
  const userId = (await bench.client.wallet.get()).user_id
  const url = await embeddedUrl(bench.dir)
  await fill(url, userId, few)
  // As many lines in all as the long file has: what nobody has collected yet is as much then.
  const before = await peaks(bench, lines / few)
  await fill(url, userId, lines - few)
  const after = await peaks(bench, 1)
  const page = await firstPage(bench, url, userId)
  return [page, ...formats.map((format, n) => growth(format, before[n]!, after[n]!)), await pdf()]
}

/** Each thousand in a transaction of its own, as they would have come. */
async function fill(url: string, userId: string, count: number): Promise<void> {
  const client = new pg.Client(url)
  await client.connect()
  for (let n = 0; n < count; n += 1000)
    await client.query(
      `select debit_wallets(array_agg($1::uuid), array_agg(1::bigint), array_agg('A line of the bill: ' || n), array_agg(gen_random_uuid()), now())
       from generate_series(1, 1000) n`,
      [userId],
    )
  await client.query('vacuum analyze ledger_transfer, ledger_account')
  await client.end()
}

async function firstPage({ product, token }: Bench, databaseUrl: string, userId: string): Promise<Result> {
  const floor = fork(new URL('floors/billing-server.ts', import.meta.url), [databaseUrl, userId])
  const [port] = (await once(floor, 'message')) as [number]
  const floorUrl = `http://127.0.0.1:${port}/`
  const ours = { url: `${product.url}/v1/billing`, headers: { authorization: `Bearer ${token}` } }
  const same = await Promise.all(
    [fetch(ours.url, { headers: ours.headers }), fetch(floorUrl)].map(async answer => (await answer).text()),
  )
  if (same[0] !== same[1]) {
    floor.kill()
    throw new Error('the floor does not answer the same JSON')
  }
  const figures = { ours: [] as number[], floor: [] as number[] }
  for (let n = -1; n < rounds; n++) {
    for (const [which, target] of [
      ['ours', ours],
      ['floor', { url: floorUrl }],
    ] as const) {
      const { requests } = await autocannon({ ...target, connections, duration: n < 0 ? 1 : seconds })
      if (n >= 0) figures[which].push(requests.average)
    }
  }
  floor.kill()
  return {
    what: `GET /v1/billing, 50 of ${lines} lines`,
    figure: `${median(figures.ours).toFixed(0)}/s`,
    floor: `${median(figures.floor).toFixed(0)}/s`,
    value: median(figures.floor) / median(figures.ours),
    unit: 'ratio',
    wanted: { atMost: 1.5 },
    note: `time of a page over that of the floor, ${connections} connections`,
  }
}

const formats = ['csv', 'focus'] as const
type Taken = Awaited<ReturnType<typeof readAll>>

/** Of each format the least that was needed in three tries at so many files, one after the other. */
async function peaks({ product, token }: Bench, files: number): Promise<Taken[]> {
  const taken: Taken[] = []
  for (const format of formats) {
    const tries: Taken[] = []
    for (let n = 0; n < 3; n++) {
      const each: Taken[] = []
      while (each.length < files)
        each.push(await readAll(`${product.url}/v1/billing/export?format=${format}`, token, product.pid))
      tries.push({ ...each[0]!, peakMb: Math.max(...each.map(({ peakMb }) => peakMb)) })
    }
    taken.push(tries.toSorted((a, b) => a.peakMb - b.peakMb)[0]!)
  }
  return taken
}

/** Without a limit: what is garbage counts until somebody collects it. What is alive has a limit in the long tests. */
const growth = (format: string, before: Taken, after: Taken): Result => ({
  what: `export of ${lines} lines as ${format}`,
  figure: `${(after.bytes / 1e6).toFixed(1)} MB in ${(after.ms / 1000).toFixed(1)} s, server at ${after.peakMb.toFixed(0)} MB`,
  floor: `${(before.bytes / 1e6).toFixed(1)} MB in ${(before.ms / 1000).toFixed(1)} s, server at ${before.peakMb.toFixed(0)} MB`,
  value: after.peakMb - before.peakMb,
  unit: 'MB',
  wanted: null,
  note: `what the server needs more than for ${lines / few} files of ${few} lines`,
})

async function readAll(url: string, token: string, pid: number) {
  const memoryMb = () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1024
  let [bytes, peakMb] = [0, 0]
  const began = performance.now()
  const answer = await fetch(url, { headers: { authorization: `Bearer ${token}` } })
  for await (const chunk of answer.body!) {
    bytes += chunk.length
    peakMb = Math.max(peakMb, memoryMb())
  }
  return { bytes, ms: performance.now() - began, peakMb }
}

async function pdf(): Promise<Result> {
  const times: number[] = []
  for (let n = 0; n < rounds + 1; n++) {
    const began = performance.now()
    await makePdf(longInvoice())
    times.push(performance.now() - began)
  }
  const [first, ...later] = times
  return {
    what: 'PDF of an invoice with 1,000 lines',
    figure: `${median(later).toFixed(0)} ms`,
    floor: `${first!.toFixed(0)} ms the first time`,
    value: median(later),
    unit: 'ms',
    wanted: { atMost: 1000 },
    note: 'in a thread of its own',
  }
}

const longInvoice = (): Invoice => ({
  id: '01980000-0000-7000-8000-0000000000a1',
  number: 'ING-2026-000123',
  month: '2026-10',
  kind: 'invoice',
  total: '94307.280000',
  status: 'paid',
  issued_at: '2026-11-01T03:00:00.000Z',
  seller: { name: 'Cloud GmbH', address: ['Main Street 1', 'Berlin'], tax_number: 'DE123', note: '' },
  customer: { name: 'Analytical Engines', address: 'London', tax_number: '', email: 'ada@example.com' },
  lines: Array.from({ length: 1000 }, (_, n) => ({
    kind: 'usage',
    label: `train-${n}`,
    words: 'usage',
    detail: '1 × A40, US-East',
    about: null,
    from: '2026-10-03T08:00:00.000Z',
    to: '2026-11-01T00:00:00.000Z',
    hours: 123.456789 + n,
    price_per_hour: '0.763889',
    amount: `${n}.307284`,
    charges: 124,
    corrects: null,
  })),
  subtotal: '94307.284000',
  rounding: '-0.004000',
  tax: null,
  wallet: null,
})
