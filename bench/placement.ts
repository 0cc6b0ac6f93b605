/**
 * Placements, 32 at once, on 1,000 hosts with 8 cards each: cards as rows (`place_instance`) against the one statement that
 * only counts cards, on the same server and from the same number of connections. Both fill three quarters of the cards.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { migrate } from '../apps/server/src/db/migrate.ts'
import { embeddedUrl } from './list.ts'
import type { Bench } from './product.ts'
import { median, quantile, type Result } from './report.ts'

const clients = 32
const hosts = 1_000
const cardsOfHost = 8
const filled = 0.75 * hosts * cardsOfHost
const sizes = [1, 1, 1, 1, 2, 2, 4, 8]
const rounds = 9
const kinds = ['floor', 'ours'] as const
type Which = (typeof kinds)[number]

const idOf = (n: number) => `01990000-0000-7000-9000-${n.toString(16).padStart(12, '0')}`

const counting = `with c as (
    select id from bench_node where model = 'A40' and state = 'ready' and gpu_free >= $1 and cpu_free >= $1 * 8 and mem_free >= $1 * 48
    order by gpu_free, id limit 1 for update skip locked),
  u as (update bench_node n set gpu_free = gpu_free - $1, cpu_free = cpu_free - $1 * 8, mem_free = mem_free - $1 * 48 from c where n.id = c.id returning n.id)
  insert into bench_alloc (node_id, gpus, instance_id) select id, $1, $2 from u returning node_id`
const ours = `select * from place_instance($2, 'bench', 'A40', $1, $1 * 8, $1 * 48, 140, null, null, now())`

const place: Record<Which, (client: pg.Client, size: number, id: string) => Promise<void>> = {
  async ours(client, size, id) {
    await client.query({ name: 'ours', text: ours, values: [size, id] })
  },
  async floor(client, size, id) {
    for (;;) {
      const { rowCount } = await client.query({ name: 'floor', text: counting, values: [size, id] })
      if (rowCount) return
      await sleep(Math.random() * 3)
    }
  },
}

const empty: Record<Which, string> = {
  floor: `truncate bench_alloc; update bench_node set gpu_free = 8, cpu_free = 64, mem_free = 384`,
  ours: `truncate allocation; truncate placement; truncate card_hold;
    update host set machines_taken = 0, cpu_cores_taken = 0, memory_gb_taken = 0 where driver = 'bench';
    update card_pool set free_cards = (select array_agg(uuid) from card c where c.host_id = card_pool.host_id) where driver = 'bench'`,
}

export async function benchPlacement({ dir }: Bench): Promise<Result[]> {
  const url = await ownDatabase(await embeddedUrl(dir))
  const client = new pg.Client(url)
  await client.connect()
  const connections = await Promise.all(
    Array.from({ length: clients }, async () => {
      const each = new pg.Client(url)
      await each.connect()
      return each
    }),
  )
  try {
    await prepare(client)
    const figures: Record<Which, number[]> = { floor: [], ours: [] }
    const waits: Record<Which, number[]> = { floor: [], ours: [] }
    const partly: number[] = []
    for (let round = -1; round < rounds; round++) {
      // None always goes first; the first round grows the tables and the plans.
      for (let k = 0; k < kinds.length; k++) {
        const which = kinds[(Math.max(round, 0) + k) % kinds.length]!
        await client.query(empty[which])
        await tell(client)
        await client.query('vacuum analyze host, card_hold, card_pool, allocation, bench_node, bench_alloc')
        const { perSecond, waited } = await fill(connections, place[which])
        if (which === 'ours') partly.push(await check(client))
        if (round < 0) continue
        figures[which].push(perSecond)
        waits[which].push(...waited)
      }
    }
    const ratios = figures.ours.map((each, n) => each / figures.floor[n]!)
    const tail = (which: Which) => `p99 ${quantile(waits[which], 0.99).toFixed(0)} ms`
    return [
      {
        what: `placements at ${clients} at once, ${hosts} hosts × ${cardsOfHost} cards as rows`,
        figure: `${median(figures.ours).toFixed(0)}/s, ${tail('ours')}`,
        floor: `${median(figures.floor).toFixed(0)}/s, ${tail('floor')} (cards only counted)`,
        value: median(ratios),
        unit: 'ratio',
        wanted: { atLeast: 0.7 },
        note: `none oversubscribed; at 75 % at most ${Math.max(...partly)} hosts partly used; half of the turns ${quantile(ratios, 0.25).toFixed(2)}–${quantile(ratios, 0.75).toFixed(2)}`,
      },
    ]
  } finally {
    for (const each of [client, ...connections]) await each.end()
  }
}

/** Beside the product's, which has places of its own. */
async function ownDatabase(url: string): Promise<string> {
  const client = new pg.Client(url)
  await client.connect()
  await client.query('create database placements')
  await client.end()
  const own = url.replace(/\/[^/?]+(\?|$)/, '/placements$1')
  await migrate(own)
  return own
}

async function prepare(client: pg.Client): Promise<void> {
  await client.query(`
    create table bench_node (id int primary key, model text not null, state text not null, gpu_free int not null check (gpu_free >= 0), cpu_free int not null, mem_free int not null);
    create index on bench_node (model, gpu_free, id) where state = 'ready';
    create table bench_alloc (node_id int not null, gpus int not null, instance_id uuid not null unique);
    insert into bench_node select n, 'A40', 'ready', 8, 64, 384 from generate_series(1, ${hosts}) n`)
  await tell(client)
}

/** Also between turns: a driver that was silent for two minutes gets nothing. */
async function tell(client: pg.Client): Promise<void> {
  const told = Array.from({ length: hosts }, (_, host) => ({
    name: `host-${host}`,
    machines: cardsOfHost,
    cpu_cores: cardsOfHost * 8,
    memory_gb: cardsOfHost * 48,
    disk_gb: null,
    cards: Array.from({ length: cardsOfHost }, (__, card) => ({
      uuid: `GPU-bench-${host}-${card}`,
      model: 'NVIDIA A40',
      memory_bytes: 48 * 2 ** 30,
    })),
  }))
  await client.query(`select note_inventory('bench', $1)`, [JSON.stringify(told)])
}

/** Until so many cards are held. Each client places the next size of one random list. */
async function fill(connections: readonly pg.Client[], one: (typeof place)[Which]) {
  const wishes: number[] = []
  for (let sum = 0; sum < filled; sum += wishes.at(-1)!)
    wishes.push(
      Math.min(sizes[Math.floor(Math.random() * sizes.length)]!, 1 << Math.floor(Math.log2(filled - sum))),
    )
  const waited: number[] = []
  let next = 0
  const from = performance.now()
  await Promise.all(
    connections.map(async client => {
      while (next < wishes.length) {
        const at = next++
        const began = performance.now()
        await one(client, wishes[at]!, idOf(at + 1))
        waited.push(performance.now() - began)
      }
    }),
  )
  return { perSecond: wishes.length / ((performance.now() - from) / 1000), waited }
}

/** How many hosts are partly used, once every card is known to be held by one and all counts to be those of the rows. */
async function check(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ held: number; wrong: number; partly: number }>(`
    with each as (
      select h.id, count(o.uuid)::int as held, h.cpu_cores_taken / 8 as taken, 8 - p.free as counted
      from host h join card c on c.host_id = h.id left join card_hold o on o.uuid = c.uuid join card_pool p on p.host_id = h.id where h.driver = 'bench' group by h.id, p.free)
    select sum(held)::int as held, count(*) filter (where held <> taken or held <> counted)::int as wrong,
      count(*) filter (where held between 1 and 7)::int as partly,
      (select sum(cardinality(cards)) from allocation)::int as allocated from each`)
  const [found] = rows
  if (found!.wrong || found!.held !== filled) throw new Error(`oversubscribed: ${JSON.stringify(found)}`)
  return found!.partly
}
