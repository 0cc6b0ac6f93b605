/**
 * 100,000 running and 400,000 terminated instances of 20,000 wallets on simulated machines: what a deploy, a wallet and a
 * server at rest cost beside them, and how fast all of them are settled. The rows are made by SQL.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from '@ingot/sdk/client'
import autocannon from 'autocannon'
import pg from 'pg'
import { signIn } from '../apps/server/src/product/test-process.ts'
import { watchRunning } from './deploy.ts'
import type { Ask } from './fleet-server.ts'
import { a40 } from './product.ts'
import { median, quantile, type Result } from './report.ts'

const [wallets, running, terminated, many] = [20_000, 100_000, 400_000, 1_000]
const allWallets = 1_000_000
const deploys = 50
/** About as long as all are settled, in seconds: a moment of it, or one with a round of looks, is no p99 of it. */
const settling = 20
const port = 8179
const url = `http://localhost:${port}`
const serviceKey = 'the-service-key-of-the-benchmark-alone'
const numbered = (kind: string, n: string) =>
  `('${kind}-0000-7000-8000-' || lpad(to_hex(${n}), 12, '0'))::uuid`

export async function benchFleet(): Promise<Result[]> {
  const dir = await mkdtemp(join(tmpdir(), 'ingot-fleet-'))
  await chmod(dir, 0o711)
  const server = fork(new URL('fleet-server.ts', import.meta.url), [dir, String(port)])
  const [admin] = (await once(server, 'message')) as [{ email: string; password: string; ownerUrl: string }]
  const owner = new pg.Client(admin.ownerUrl)
  await owner.connect()
  try {
    return await measure(server, owner, admin)
  } finally {
    await owner.end()
    await tell(server, { kind: 'stop' })
    await rm(dir, { recursive: true, force: true })
  }
}

async function tell(server: ChildProcess, ask: Ask): Promise<unknown> {
  const answer = once(server, ask.kind === 'stop' ? 'exit' : 'message')
  server.send(ask)
  return ((await answer) as unknown[])[0]
}

async function measure(
  server: ChildProcess,
  owner: pg.Client,
  admin: { email: string; password: string },
): Promise<Result[]> {
  const customer = await signIn(url, admin)
  const { user_id } = await customer.wallet.get()
  await owner.query(`select credit_wallet($1, 1000000000000, 'bench', gen_random_uuid(), now())`, [user_id])
  const quiet = await deployAll(customer)
  const heavy = await fill(owner)
  for (let from = 1; from <= running; from += 10_000) {
    const { rows } = await owner.query<{ id: string }>(
      `select ${numbered('01990002', 'n')} as id from generate_series($1::int, $1::int + 9999) n`,
      [from],
    )
    await tell(server, { kind: 'machines', ids: rows.map(({ id }) => id) })
  }
  await owner.query(`update gpu_instances set due_at = null where status = 'running'; analyze`)
  await sleep(40_000)

  const before = Number(await tell(server, { kind: 'statements' }))
  await sleep(20_000)
  const atRest = (Number(await tell(server, { kind: 'statements' })) - before) / 20
  const beside = await deployAll(customer)
  const readings = { many: await readAll(heavy), few: await readAll(customer) }
  const token = await tokenOf(admin)
  const idle = await list(token, settling)
  const floor = await plainWrites(owner)

  const began = performance.now()
  const foreground = list(token, settling)
  await customer.dev.clock({ advance_ms: 3_600_000 })
  await sleep(2_000)
  for (;;) {
    const { rows } = await owner.query<{ due: boolean }>(
      'select exists (select from wallets where due_at <= business_now()) as due',
    )
    if (!rows[0]!.due) break
    await sleep(200)
  }
  const settleMs = performance.now() - began
  const busy = await foreground
  const finding = await findDue(owner)
  const ms = (value: number) => `${value.toFixed(1)} ms`
  return [
    ...([0.5, 0.99] as const).map((q): Result => ({
      what: `deploy → running beside ${running} instances, p${q * 100}`,
      figure: ms(quantile(beside, q)),
      floor: `${ms(quantile(quiet, q))} (quiet)`,
      value: quantile(beside, q) / quantile(quiet, q),
      unit: 'ratio',
      wanted: { atMost: 3 },
      note: `${terminated} terminated; a start takes 100 ms`,
    })),
    {
      what: 'statements a second at rest',
      figure: atRest.toFixed(1),
      floor: '',
      value: atRest,
      unit: 'points',
      wanted: { atMost: 20 },
    },
    {
      what: `GET /v1/wallet, ${many} meters`,
      figure: ms(median(readings.many)),
      floor: `${ms(median(readings.few))} (few meters)`,
      value: median(readings.many),
      unit: 'ms',
      wanted: { atMost: 5 },
    },
    {
      what: `settling ${running} instances of ${wallets} wallets`,
      figure: `${(settleMs / 1000).toFixed(1)} s, ${((wallets / settleMs) * 1000).toFixed(0)} wallets/s`,
      floor: `${(floor / 1000).toFixed(1)} s (their rows alone)`,
      value: settleMs / floor,
      unit: 'ratio',
      wanted: null,
    },
    {
      what: 'GET /v1/instances during it, p99',
      figure: ms(busy.latency.p99),
      floor: `${ms(idle.latency.p99)} (idle)`,
      value: busy.latency.p99 / idle.latency.p99,
      unit: 'ratio',
      wanted: { atMost: 3 },
      note: '50/s over 4 connections',
    },
    {
      what: `what is due among ${allWallets} wallets`,
      figure: ms(finding),
      floor: '',
      value: finding,
      unit: 'ms',
      wanted: { atMost: 5 },
    },
  ]
}

async function deployAll(client: Client): Promise<number[]> {
  const ending = new AbortController()
  const started = watchRunning(client, ending.signal)
  const taken: number[] = []
  for (let n = 0; n < deploys; n++) {
    const began = performance.now()
    const { id } = await client.instances.create({ ...a40, name: 'bench' })
    await started(id)
    taken.push(performance.now() - began)
    await client.instances.delete({ id })
  }
  ending.abort()
  return taken
}

async function readAll(client: Client): Promise<number[]> {
  const taken: number[] = []
  for (let n = 0; n < 100; n++) {
    const began = performance.now()
    await client.wallet.get()
    taken.push(performance.now() - began)
  }
  return taken
}

const list = (token: string, duration: number) =>
  autocannon({
    url: `${url}/v1/instances`,
    headers: { authorization: `Bearer ${token}` },
    connections: 4,
    overallRate: 50,
    duration,
  })

async function auth<T>(path: string, body: object, key = ''): Promise<T> {
  const response = await fetch(`${url}/auth/v1${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${key}`, apikey: key },
    body: JSON.stringify(body),
  })
  if (!response.ok) throw new Error(`${path}: ${await response.text()}`)
  return (await response.json()) as T
}
const tokenOf = async (who: object) =>
  (await auth<{ access_token: string }>('/token?grant_type=password', who)).access_token

/** Returns the client of a user with many meters of them all. */
async function fill(owner: pg.Client): Promise<Client> {
  const who = { email: 'many@example.com', password: 'correct horse' }
  const { id } = await auth<{ id: string }>('/admin/users', { ...who, email_confirm: true }, serviceKey)
  const user = (n: string) =>
    `case when ${n} <= ${many} then '${id}'::uuid else ${numbered('01990001', `1 + ${n} % ${wallets}`)} end`
  const total = running + terminated
  await owner.query(`
    set session_replication_role = replica;
    insert into auth_user (id) select ${numbered('01990001', 'n')} from generate_series(1, ${allWallets}) n;
    insert into ledger_account (kind, owner, balance_micro)
    select 'wallet', ${numbered('01990001', 'n')}, 1000000000 from generate_series(1, ${allWallets}) n
    union all select 'wallet', '${id}', 100000000000;
    insert into wallets (user_id, account_id, due_at)
    select owner, id, now() + interval '300 days' from ledger_account where kind = 'wallet' on conflict do nothing;
    insert into ledger_account (kind, owner) select 'prepaid', ${numbered('01990002', 'n')} from generate_series(1, ${total}) n;
    insert into meter (id, user_id, prepaid_account, label, price_micro, opened_at, metered_to, seen_at, kind, source)
    select a.owner, ${user('n')}, a.id, 'bench', 750000, now(), case when n <= ${running} then date_trunc('milliseconds', now()) end,
      case when n <= ${running} then now() end, 'instance', 'simulated'
    from generate_series(1, ${total}) n join ledger_account a on a.kind = 'prepaid' and a.owner = ${numbered('01990002', 'n')};
    insert into gpu_instances (id, user_id, name, gpu_type, gpu_count, cpu_cores, memory_gb, system_storage_gb, data_storage_gb,
      status, desired, region, hardware, shell, billing_period, hourly_cost_micro, created_at, updated_at, started_at, driver, driver_ref, run_id)
    select ${numbered('01990002', 'n')}, ${user('n')}, 'bench', 'A40', 1, 8, 48, 40, 100,
      case when n <= ${running} then 'running' else 'terminated' end, case when n <= ${running} then 'running' else 'deleted' end,
      'US-East', 'simulated', 'simulated', 'hourly', 750000, now(), now(), now(), 'simulated',
      'sim-' || left(encode(sha256(${numbered('01990002', 'n')}::text::bytea), 'hex'), 32), case when n <= ${running} then '1' end
    from generate_series(1, ${total}) n;
    update wallets set due_at = now() + random() * interval '1 hour' where user_id in (select distinct user_id from meter where is_running);
    set session_replication_role = origin;
    analyze`)
  return signIn(url, who)
}

/** As many rows as a settlement writes, copied by one statement each: lines, movements, and what they change. */
async function plainWrites(owner: pg.Client): Promise<number> {
  await owner.query(`
    create table bench_line (like usage_line including indexes including defaults);
    create table bench_transfer (like ledger_transfer including indexes including defaults);
    create table bench_meter as select * from meter where is_running;
    create table bench_wallet as select * from wallets where user_id in (select user_id from meter where is_running)`)
  const began = performance.now()
  await owner.query(`
    insert into bench_line (id, meter_id, user_id, from_at, to_at, price_micro, amount_micro, prepaid_micro, wallet_micro, remainder_before, remainder_after)
    select row_number() over (), id, user_id, now(), now(), 1, 1, 0, 1, 0, 0 from bench_meter;
    insert into bench_transfer (id, idem, from_account, to_account, amount_micro, code, user_id, ref, description, effective_at)
    select row_number() over (), gen_random_uuid(), 100, 2, 1, 'usage', user_id, id, 'bench: usage', now() from bench_meter;
    update bench_meter set remainder = 1;
    update bench_wallet set due_at = now()`)
  const taken = performance.now() - began
  await owner.query('drop table bench_line, bench_transfer, bench_meter, bench_wallet')
  return taken
}

async function findDue(owner: pg.Client): Promise<number> {
  const taken: number[] = []
  for (let n = 0; n < 20; n++) {
    const { rows } = await owner.query<{ 'QUERY PLAN': [{ 'Execution Time': number }] }>(
      `explain (analyze, format json) select user_id from wallets where due_at <= now() + interval '200 days' order by due_at limit 200`,
    )
    taken.push(rows[0]!['QUERY PLAN'][0]['Execution Time'])
  }
  return median(taken)
}
