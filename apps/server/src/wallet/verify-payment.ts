/**
 * What became of a transaction that its sender names. Nothing is credited here: transfers are found and credited
 * without it; one that is on its way is only found sooner. It answers only about transfers to the caller's own address:
 * another customer's payment is "not to your address", like anybody's, and answered by the same way.
 */
import { displayAmount, type Micro } from '@ingot/contracts/money'
import type { Output } from '@ingot/contracts/operation'
import { alreadyProcessed, type wallets } from '@ingot/contracts/wallet'
import { IngotError } from '@ingot/contracts/errors'
import { parseAddress } from '@ingot/tron/address'
import { lookUp, parseTxid } from '@ingot/tron/lookup'
import { mainRefusal } from '@ingot/tron/transfers'
import { ReadError } from '@ingot/tron/read-error'
import { sql } from 'kysely'
import type { Db } from '../db/database.ts'
import type { Chain } from './chain.ts'
import { getDepositAddress } from './get-deposit-address.ts'
import { watchAddress, type WatchNeeds } from './watch-address.ts'

type Verdict = Output<typeof wallets.verifyUsdtPayment>

const refused = (error: string): Verdict => ({ success: false, status: null, actualAmount: null, error })
const found = (status: NonNullable<Verdict['status']>, micro: Micro): Verdict => ({
  success: true,
  status,
  actualAmount: displayAmount(micro),
  error: null,
})

/** How often a user may have the chain asked: each look-up is up to four requests of the operator's budget. */
const lookUps = { burst: 30, perSecond: 1 / 2 }

export async function verifyPayment(needs: WatchNeeds, userId: string, txHash: string): Promise<Verdict> {
  const txid = parseTxid(txHash)
  if (!txid) throw new IngotError('validation_failed', { fields: { txHash: 'is not a transaction hash' } })
  const { chain, database } = needs
  const address = await getDepositAddress(database.kysely, chain, userId)
  const ours = await fromOurRows(database.kysely, chain, userId, txid)
  if (!ours && !(await mayLookUp(database.kysely, userId))) throw new IngotError('rate_limited')
  const verdict = ours ?? (await fromChain(chain, address, txid))
  if (verdict === unknown || verdict.status === 'pending') await watchAddress(needs, address)
  return verdict
}

const unknown = refused(
  'This transaction is not on the network yet. If you have just sent it, try again in a minute.',
)

async function mayLookUp(db: Db, userId: string): Promise<boolean> {
  const { rows } = await sql<{ free: boolean }>`
    select auth_take_token(${`look-up:${userId}`}, ${lookUps.burst}, ${lookUps.perSecond}) as free`.execute(
    db,
  )
  return rows[0]!.free
}

/** One transaction may hold several transfers to the same address: they are answered together. */
async function fromOurRows(db: Db, chain: Chain, userId: string, txid: string): Promise<Verdict | null> {
  const rows = await db
    .selectFrom('chain_deposit')
    .select(['id', 'state', 'amount_micro', 'verified_at'])
    .where('chain', '=', chain.name)
    .where('txid', '=', Buffer.from(txid, 'hex'))
    .where('user_id', '=', userId)
    .orderBy('log_index')
    .execute()
  const alive = rows.filter(row => row.state !== 'orphaned')
  if (!alive.length) return null
  const amount = alive.reduce((sum, row) => sum + row.amount_micro, 0n)
  if (alive.some(row => row.state === 'pending')) return found('pending', amount)
  if (alive.some(row => row.state === 'held')) return found('held', amount)
  const processed = (status: NonNullable<Verdict['status']>): Verdict => ({
    success: false,
    status,
    actualAmount: displayAmount(amount),
    error: alreadyProcessed,
  })
  if (alive.some(row => row.state === 'rejected')) return processed('failed')
  const first = await db
    .updateTable('chain_deposit')
    .set({ verified_at: new Date().toISOString() })
    .where('id', '=', alive[0]!.id)
    .where('verified_at', 'is', null)
    .executeTakeFirst()
  return first.numUpdatedRows === 0n ? processed('confirmed') : found('confirmed', amount)
}

async function fromChain(chain: Chain, address: string, txid: string): Promise<Verdict> {
  const own = parseAddress(address)
  try {
    const { contract } = chain
    const result = await chain.endpoints.ask(reader =>
      lookUp(reader, txid, { contract, isOurs: each => each === own }),
    )
    if (result.state === 'unknown') return unknown
    const amount = result.reading.accepted.reduce((sum, transfer) => sum + transfer.amount, 0n)
    // A transfer that the scanner has not reached yet will be credited by itself.
    if (amount > 0n) return found('pending', amount)
    return refused(explain(mainRefusal(result.reading)))
  } catch (error) {
    if (error instanceof ReadError)
      throw new IngotError('unavailable', {
        message: 'The payment network cannot be reached right now. Try again shortly',
      })
    throw error
  }
}

function explain(reason: ReturnType<typeof mainRefusal>): string {
  switch (reason) {
    case 'failed':
      return 'This transaction failed on the network; nothing was sent.'
    case 'trx':
    case 'trc10':
      return 'This transaction sent another coin than USDT. Contact support with its hash.'
    case 'other_token':
      return 'This transaction sent another token than USDT.'
    case 'approval':
      return 'This transaction only approves a payment; nothing was sent.'
    default:
      return 'This transaction did not pay your deposit address.'
  }
}
