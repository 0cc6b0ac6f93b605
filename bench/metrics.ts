/**
 * What it costs to measure 10,000 machines every half minute, how much is kept of it, and how fast a chart of a day
 * answers where 1,000 instances have one. The rounds follow each other without a pause, on a clock that is moved on by
 * half a minute each; what they took is set against the time they stand for.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { createSimulatedDriver } from '@ingot/compute/simulated/driver'
import pg from 'pg'
import { pino } from 'pino'
import type { Region } from '../apps/server/src/catalog/regions.ts'
import { openDatabase } from '../apps/server/src/db/database.ts'
import { startEmbeddedPostgres } from '../apps/server/src/db/embedded.ts'
import { migrate } from '../apps/server/src/db/migrate.ts'
import { blockMs, lookMs, looksOfBlock, turnOf } from '../apps/server/src/instances/watching/blocks.ts'
import { createBlocks, createCollector } from '../apps/server/src/instances/watching/collect.ts'
import { createLooks } from '../apps/server/src/instances/watching/looks.ts'
import { embeddedUrl } from './list.ts'
import { a40, type Bench } from './product.ts'
import { quantile, type Result } from './report.ts'

const machines = 10_000
const blocksMeasured = 4
const dayMs = 86_400_000
const idOf = (n: number) => `01990002-0000-7000-8000-${n.toString(16).padStart(12, '0')}`

export async function benchMetrics(bench: Bench): Promise<Result[]> {
  return [...(await measureRounds()), await measureChart(bench)]
}

async function measureRounds(): Promise<Result[]> {
  const dir = await mkdtemp(join(tmpdir(), 'ingot-metrics-'))
  await chmod(dir, 0o711)
  const embedded = await startEmbeddedPostgres({ dir })
  try {
    await migrate(embedded.url)
    return await runRounds(embedded.url, dir)
  } finally {
    await embedded.stop()
    await rm(dir, { recursive: true, force: true })
  }
}

async function runRounds(url: string, dir: string): Promise<Result[]> {
  const database = openDatabase(url)
  let offset = 0
  const now = () => Date.now() + offset
  const driver = createSimulatedDriver({ dir: null, now, startMs: 0, stopMs: 0, machines: 2 * machines })
  const refs: string[] = []
  for (let n = 0; n < machines; n++) refs.push(await startMachine(driver, idOf(n)))
  const client = await database.pool.connect()
  await client.query('set session_replication_role = replica')
  await client.query(
    `insert into gpu_instances (id, user_id, name, gpu_type, gpu_count, cpu_cores, memory_gb, system_storage_gb, data_storage_gb,
       status, desired, region, hardware, shell, billing_period, hourly_cost_micro, created_at, updated_at, started_at, driver, driver_ref, run_id)
     select id, id, 'bench', 'A40', 1, 8, 48, 40, 100, 'running', 'running', 'US-East', 'simulated', 'simulated', 'hourly',
       750000, now(), now(), now(), 'simulated', ref, '1' from unnest($1::uuid[], $2::text[]) _ (id, ref)`,
    [refs.map((_, n) => idOf(n)), refs],
  )
  client.release(true)

  const clock = {
    now,
    iso: () => '',
    offsetMs: () => offset,
    advance: async () => {},
    reload: async () => {},
  }
  const regions = [{ compute: driver } as unknown as Region]
  const log = pino({ level: 'error' })
  const looks = createLooks({ regions, clock, log })
  const collector = createCollector({ database, clock, regions, looks, blocks: createBlocks(), log })
  offset = blockMs - (Date.now() % blockMs)
  await collector.round()
  const began = { at: performance.now(), cpu: process.cpuUsage(), postgres: postgresMs(dir) }
  let slowest = 0
  for (let n = 0; n < blocksMeasured * looksOfBlock; n++) {
    offset += lookMs
    const at = performance.now()
    await collector.round()
    slowest = Math.max(slowest, performance.now() - at)
  }
  const { user, system } = process.cpuUsage(began.cpu)
  const stoodForMs = blocksMeasured * blockMs
  const share = (user + system) / 1_000 / stoodForMs
  const ofPostgres = (postgresMs(dir) - began.postgres) / stoodForMs
  const { rows } = await database.pool.query<{ rows: bigint; bytes: bigint }>(`
    select (select count(*) from metric_block) as rows,
      (select sum(pg_total_relation_size(c.oid)) from pg_class c where relname ~ '^metric_block_[0-9]+$')::bigint as bytes`)
  await database.close()
  await driver.close()
  const perDay = (machines * dayMs) / blockMs
  const mb = (Number(rows[0]!.bytes) / Number(rows[0]!.rows)) * (perDay / 1e6)
  return [
    {
      what: `measuring ${machines} machines every 30 s: of one core`,
      figure: `${(share * 100).toFixed(1)}% and ${(ofPostgres * 100).toFixed(1)}% in PostgreSQL`,
      floor: '',
      value: share + ofPostgres,
      unit: 'ratio',
      wanted: { atMost: 0.2 },
      note: `simulated machines included; the slowest round ${slowest.toFixed(0)} ms`,
    },
    {
      what: 'kept of it a day',
      figure: `${(perDay / 1e6).toFixed(2)} million rows, ${mb.toFixed(0)} MB`,
      floor: '',
      value: mb,
      unit: 'MB',
      wanted: null,
      note: 'one card each; with indexes',
    },
  ]
}

async function startMachine(
  driver: ReturnType<typeof createSimulatedDriver>,
  instanceId: string,
): Promise<string> {
  const made = await driver.create(
    {
      instanceId,
      tenant: 'bench',
      name: 'bench',
      gpuType: 'A40',
      gpuCount: 1,
      gpuMemoryGb: 48,
      cpuCores: 8,
      memoryGb: 48,
      storageGb: 140,
      image: '',
      region: 'US-East',
      host: null,
      cards: [],
      command: null,
      env: {},
      volume: null,
    },
    instanceId,
  )
  if (made.kind !== 'done') throw new Error('a machine was not made')
  await driver.start(made.value)
  return made.value
}

/** Processor time of the PostgreSQL in this folder and its connections so far. */
function postgresMs(dir: string): number {
  const ticksOf = (pid: string): { parent: string; ticks: number } | null => {
    try {
      const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ')
      return { parent: fields[1]!, ticks: Number(fields[11]) + Number(fields[12]) }
    } catch {
      return null
    }
  }
  const main = readFileSync(join(dir, 'postgres', 'postmaster.pid'), 'utf8').split('\n')[0]!
  const all = readdirSync('/proc').filter(name => /^\d+$/.test(name))
  const ticks = all.map(pid => [pid, ticksOf(pid)] as const)
  return ticks.reduce(
    (sum, [pid, stat]) => sum + (stat && (pid === main || stat.parent === main) ? stat.ticks * 10 : 0),
    0,
  )
}

async function measureChart({ client, product, token, dir }: Bench): Promise<Result> {
  const { id } = await client.instances.create({ ...a40, name: 'chart', start: false })
  const owner = new pg.Client(await embeddedUrl(dir))
  await owner.connect()
  const end = Math.floor(Date.now() / blockMs) * blockMs
  for (let n = 1; n <= dayMs / blockMs; n++) {
    const beganMs = end - n * blockMs
    await owner.query(
      `insert into metric_block (turn, instance_id, began_at, load, figures, limits)
       select $1, case when n = 500 then $2::uuid else gen_random_uuid() end, to_timestamp($3 / 1000.0), 0.5,
         (select array_agg(line) from (select (select array_agg(random()::real * 1e9) from generate_series(1, 10)) as line
           from generate_series(1, 9)) lines), '{8,1e9,1e9,1e9}'
       from generate_series(1, 1000) n`,
      [turnOf(beganMs), id, beganMs],
    )
  }
  await owner.query('analyze metric_block')
  await owner.end()
  const taken: number[] = []
  for (let n = 0; n < 100; n++) {
    const began = performance.now()
    const answer = await fetch(`${product.url}/v1/instances/${id}/metrics`, {
      headers: { authorization: `Bearer ${token}` },
    })
    await answer.text()
    taken.push(performance.now() - began)
  }
  await client.instances.delete({ id })
  return {
    what: 'GET /v1/instances/{id}/metrics, 24 h, p99',
    figure: `p50 ${quantile(taken, 0.5).toFixed(1)} ms, p99 ${quantile(taken, 0.99).toFixed(1)} ms`,
    floor: '',
    value: quantile(taken, 0.99),
    unit: 'ms',
    wanted: { atMost: 50 },
    note: 'beside a day of 1,000 instances',
  }
}
