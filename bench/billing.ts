/**
 * The bill of a wallet with 100,000 lines: its first page, against bare Fastify with one query by index; the whole of it as
 * a file, by what it adds to the memory of the server; and the PDF of an invoice with 1,000 lines.
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

const lines = 100_000
const rounds = 5
const seconds = 3
const connections = 16

export async function benchBilling(bench: Bench): Promise<Result[]> {
  const userId = (await bench.client.wallet.get()).user_id
  const url = await embeddedUrl(bench.dir)
  await fill(url, userId)
  return [await firstPage(bench, url, userId), ...(await files(bench)), await pdf()]
}

/** Each thousand in a transaction of its own, as they would have come. */
async function fill(url: string, userId: string): Promise<void> {
  const client = new pg.Client(url)
  await client.connect()
  for (let n = 0; n < lines; n += 1000)
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

/** The first file warms up what every file needs. */
async function files({ product, token }: Bench): Promise<Result[]> {
  const results: Result[] = []
  for (const format of ['csv', 'focus']) {
    const take = () => readAll(`${product.url}/v1/billing/export?format=${format}`, token, product.pid)
    await take()
    const { bytes, ms, peakMb, beforeMb } = await take()
    results.push({
      what: `export of ${lines} lines as ${format}`,
      figure: `${(bytes / 1e6).toFixed(1)} MB in ${(ms / 1000).toFixed(1)} s`,
      floor: `${beforeMb.toFixed(0)} MB before it`,
      value: Math.max(0, peakMb - beforeMb),
      unit: 'MB',
      wanted: { atMost: 48 },
      note: 'what the server takes more than before, at most',
    })
  }
  return results
}

async function readAll(url: string, token: string, pid: number) {
  const memoryMb = () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1024
  const beforeMb = memoryMb()
  let [bytes, peakMb] = [0, beforeMb]
  const began = performance.now()
  const answer = await fetch(url, { headers: { authorization: `Bearer ${token}` } })
  for await (const chunk of answer.body!) {
    bytes += chunk.length
    peakMb = Math.max(peakMb, memoryMb())
  }
  return { bytes, ms: performance.now() - began, beforeMb, peakMb }
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
