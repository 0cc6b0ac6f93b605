/** The world that the simulation acts in, and how it calls the ledger. */
import fc from 'fast-check'
import pg from 'pg'
import type { TestDatabase } from '../../db/test-database.ts'
import type { Kind, Source } from './meter-model.ts'
import type { GrowingWallet } from './growth-model.ts'

export const [minute, hour, day] = [60_000, 3_600_000, 86_400_000] as const
export const month = 720 * hour
export const users = 3
export const mostMeters = 5
export const minimumDeposit = 10_000_000n
export const reviewLimit = 100_000_000n

export const instance: Kind = { isLookedAt: true, renewsMs: null, graceDays: null, returns: true }
export const monthlyKind: Kind = { isLookedAt: false, renewsMs: month, graceDays: 7, returns: true }

export const at = (ms: number) => new Date(ms).toISOString()

export const step = fc.record({
  op: fc.nat(99),
  who: fc.nat(users - 1),
  which: fc.nat(mostMeters - 1),
  x: fc.nat(2 ** 30),
  y: fc.nat(2 ** 30),
  isCut: fc.nat(19),
})
export type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

export interface World {
  readonly database: TestDatabase
  readonly userIds: string[]
  readonly wallets: GrowingWallet[]
  readonly source: Source
  readonly sourceId: string
  /** Deposits below the minimum wait. */
  readonly waiting: bigint[]
  /** Deposits above the limit wait for a decision. */
  readonly reviews: { readonly id: string; readonly who: number; readonly micro: bigint }[]
  /** Of each user, what came in and went out, and what they asked to have back and do not have yet. */
  readonly flows: Flow[]
  /** Payments that were made, to be reported again. */
  readonly repeats: ((cut: Step) => Promise<void>)[]
  now: number
}

export interface Flow {
  deposited: bigint
  given: bigint
  paidOut: bigint
  asked: { readonly id: string; readonly micro: bigint } | null
  /** An instance that waits for a place. */
  waits: { readonly id: string; readonly micro: bigint } | null
}

/** A call of the ledger; now and then its connection is cut first, somewhere on the way. */
export async function call(
  { database }: World,
  { isCut, y }: Step,
  text: string,
  values: readonly unknown[],
): Promise<void> {
  if (isCut === 0) {
    const client = new pg.Client({ connectionString: database.url })
    client.on('error', () => {})
    await client.connect()
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
    const cut = client.query(text, [...values]).catch(() => {})
    await new Promise(resolve => setTimeout(resolve, y % 4))
    await database.pool.query('select pg_terminate_backend($1, 60000)', [rows[0]!.pid])
    await cut
  }
  await database.pool.query(text, [...values])
}

/** Whether the ledger refused, for lack of money or for a budget. */
export async function refusalOf(work: Promise<void>): Promise<'funds' | 'budget' | null> {
  try {
    await work
    return null
  } catch (error) {
    const { code } = error as { code?: string }
    if (code === 'IN402') return 'funds'
    if (code === 'IN403') return 'budget'
    throw error
  }
}

export const pick = <T>(of: readonly T[], i: number): T => of[i % of.length]!
const prices = [1n, 7n, 1_389n, 999_999n, 750_000n, 3_600_000n, 49_999_999n]
export const priceOf = (x: number) => (x % 3 === 0 ? BigInt(1 + (x % 5_000_000)) : pick(prices, x))
