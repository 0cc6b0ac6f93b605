/** Deposits: an address per user, the scanner's place on the chain, every transfer to and from our addresses; and withdrawals. */
import type { Generated } from 'kysely'

export interface WalletTables {
  deposit_address: {
    chain: string
    account_key: string
    user_id: string
    idx: bigint
    address20: Buffer
    base58: string
    created_at: Generated<string>
  }
  chain_cursor: {
    chain: string
    height: bigint
    block_id: string
    scanned_at: string | null
    stopped_reason: string | null
    due_at: Generated<string | null>
    lock_token: string | null
    lock_expires_at: string | null
    block_at: string | null
    balances_due_at: Generated<string>
    token_state: string | null
  }
  chain_deposit: {
    id: string
    chain: string
    txid: Buffer
    log_index: number
    user_id: string
    block_number: bigint
    block_at: string
    from20: Buffer
    to20: Buffer
    amount_micro: bigint
    state: 'pending' | 'held' | 'credited' | 'orphaned' | 'rejected'
    held_reason: 'below_minimum' | 'account_deleted' | 'review' | null
    confirmations: Generated<number>
    verified_at: string | null
    created_at: Generated<string>
    reviewed_at: string | null
    review_note: string | null
  }
  withdrawal: {
    id: string
    user_id: string
    amount_micro: bigint
    address20: Buffer
    state: Generated<'waiting' | 'sending' | 'paid' | 'cancelled' | 'refused'>
    reason: string | null
    cancel_hash: Buffer
    asked_at: string
    chain: string | null
    txid: Buffer | null
    log_index: number | null
  }
  chain_sweep: {
    chain: string
    txid: Buffer
    log_index: number
    block_number: bigint
    block_at: string
    from20: Buffer
    to20: Buffer
    amount_micro: bigint
    created_at: Generated<string>
  }
  chain_balance: {
    chain: string
    address20: Buffer
    block_number: bigint
    held_micro: bigint
    checked_at: string
  }
}
