/**
 * Idempotent debits, one by one and in groups, against `pgbench -N` on the same server, 8 clients. With Debian's pgbench
 * all run in it, with its prepared statements; without, all run over `pg` with named statements, -N as its five statements.
 */
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { embeddedUrl } from './list.ts'
import type { Bench } from './product.ts'
import { median, quantile, type Result } from './report.ts'

const run = promisify(execFile)
const clients = 8
/** Short runs in turns: what else the machine does falls on both of a pair. */
const seconds = 2
const rounds = 15
const wallets = 100_000
const accounts = 1_000_000
const group = 100
const kinds = ['floor', 'single', 'groups'] as const
type Which = (typeof kinds)[number]

const debit = `select debit_wallet(('01990000-0000-7000-8000-' || lpad(to_hex(:w::int), 12, '0'))::uuid, 1, 'bench', gen_random_uuid(), now())`
const debits = `select debit_wallets(array_agg(('01990000-0000-7000-8000-' || lpad(to_hex(1 + (:w::int + n * 997) % ${wallets}), 12, '0'))::uuid), array_agg(1::bigint), array_agg('bench'::text), array_agg(gen_random_uuid()), now()) from generate_series(1, ${group}) n`
const newOrder = [
  'begin',
  'update pgbench_accounts set abalance = abalance + :delta::int where aid = :aid::int',
  'select abalance from pgbench_accounts where aid = :aid::int',
  'insert into pgbench_history (tid, bid, aid, delta, mtime) values (:tid::int, :bid::int, :aid::int, :delta::int, current_timestamp)',
  'commit',
]

export async function benchDebit({ dir }: Bench): Promise<Result[]> {
  const url = await embeddedUrl(dir)
  const client = new pg.Client(url)
  await client.connect()
  try {
    await prepare(client)
    const pgbench = await findPgbench()
    const measure = pgbench ? await inPgbench(pgbench, url, dir) : inNode(url)
    const figures: Record<Which, number[]> = { single: [], groups: [], floor: [] }
    const turn = async (which: Which) => {
      // Each begins with nothing left to write: a checkpoint in between costs whoever runs, and whole pages after it.
      await client.query('checkpoint')
      return measure(which)
    }
    // Pages, plans and tables that have grown once.
    for (const which of kinds) await turn(which)
    for (let n = 0; n < rounds; n++) {
      // None always goes first.
      for (let k = 0; k < kinds.length; k++) {
        const which = kinds[(n + k) % kinds.length]!
        figures[which].push(await turn(which))
      }
    }
    const result = (what: string, ours: readonly number[], atLeast: number): Result => {
      // Those of a turn are measured one after the other: the disk wavers.
      const ratios = ours.map((each, n) => each / figures.floor[n]!)
      return {
        what,
        figure: `${median(ours).toFixed(0)}/s`,
        floor: `${median(figures.floor).toFixed(0)}/s (pgbench -N)`,
        value: median(ratios),
        unit: 'ratio',
        wanted: { atLeast },
        note: `${clients} clients, ${pgbench ? 'all in pgbench' : 'all over pg'}; half of the turns ${quantile(ratios, 0.25).toFixed(2)}–${quantile(ratios, 0.75).toFixed(2)}`,
      }
    }
    return [
      result('idempotent debit', figures.single, 1.3),
      result(
        `idempotent debits in groups of ${group}`,
        figures.groups.map(each => each * group),
        4,
      ),
    ]
  } finally {
    await client.end()
  }
}

async function prepare(client: pg.Client): Promise<void> {
  await client.query(
    `
    create table pgbench_accounts (aid int primary key, bid int, abalance int, filler char(84)) with (fillfactor = 100);
    create table pgbench_history (tid int, bid int, aid int, delta int, mtime timestamp, filler char(22));
    insert into pgbench_accounts select n, 1, 0, '' from generate_series(1, ${accounts}) n;
    with u as (insert into auth_user (id) select ('01990000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid from generate_series(1, ${wallets}) n returning id),
      a as (insert into ledger_account (kind, owner) select 'wallet', id from u returning id, owner)
    insert into wallets (user_id, account_id) select owner, id from a;
    select credit_wallet(user_id, 1000000, 'bench', gen_random_uuid(), now()) from wallets where user_id::text like '01990000%';
    vacuum analyze`.replace(/vacuum analyze$/, ''),
  )
  await client.query('vacuum analyze')
}

async function findPgbench(): Promise<string | null> {
  const base = '/usr/lib/postgresql'
  const versions = existsSync(base) ? await readdir(base) : []
  return versions.map(version => join(base, version, 'bin/pgbench')).find(path => existsSync(path)) ?? null
}

async function inPgbench(pgbench: string, url: string, dir: string) {
  const folder = await mkdtemp(join(tmpdir(), 'ingot-debit-'))
  const { password } = new URL(url.replace('postgres:', 'http:').replace('@/', '@host/'))
  const script = (which: Which) => join(folder, `${which}.sql`)
  for (const [which, text] of [
    ['single', debit],
    ['groups', debits],
  ] as const)
    await writeFile(script(which), `\\set w random(1, ${wallets})\n${text};\n`)
  await writeFile(
    script('floor'),
    `\\set aid random(1, ${accounts})\n\\set tid random(1, 10)\n\\set bid 1\n\\set delta random(-5000, 5000)\n${newOrder.join(';\n')};\n`,
  )
  process.once('exit', () => void rm(folder, { recursive: true, force: true }))
  return async (which: Which): Promise<number> => {
    const { stdout } = await run(
      pgbench,
      [
        '-n',
        '-M',
        'prepared',
        '-c',
        String(clients),
        '-j',
        '2',
        '-T',
        String(seconds),
        '-f',
        script(which),
        '-h',
        join(dir, 'run'),
        '-U',
        'ingot',
        'ingot',
      ],
      { env: { ...process.env, PGPASSWORD: password } },
    )
    return Number(/tps = ([\d.]+)/.exec(stdout)![1])
  }
}

function inNode(url: string) {
  const random = (max: number) => 1 + Math.floor(Math.random() * max)
  const numbered = (text: string, names: string[]) =>
    names.reduce((all, name, index) => all.replaceAll(`:${name}`, `$${index + 1}`), text)
  return async (which: Which): Promise<number> => {
    const connections = await Promise.all(
      Array.from({ length: clients }, async () => {
        const client = new pg.Client(url)
        await client.connect()
        return client
      }),
    )
    const end = Date.now() + seconds * 1000
    let count = 0
    await Promise.all(
      connections.map(async client => {
        for (; Date.now() < end; count++) {
          if (which !== 'floor') {
            const text = which === 'single' ? debit : debits
            await client.query({ name: which, text: numbered(text, ['w']), values: [random(wallets)] })
            continue
          }
          const values = [random(accounts), random(10_000) - 5000, random(10), 1]
          for (const [index, text] of newOrder.entries()) {
            const names = ['aid', 'delta', 'tid', 'bid'].filter(name => text.includes(`:${name}`))
            await client.query({
              name: `n${index}`,
              text: numbered(text, names),
              values: names.map(name => values[['aid', 'delta', 'tid', 'bid'].indexOf(name)]),
            })
          }
        }
      }),
    )
    await Promise.all(connections.map(client => client.end()))
    return count / seconds
  }
}
