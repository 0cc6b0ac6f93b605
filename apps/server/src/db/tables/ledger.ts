/** Money: accounts and transfers, wallets with their timer, meters and what they charged. */
import type { Generated, GeneratedAlways } from 'kysely'
import type { Json } from './json.ts'

/** Of a movement. */
type Code =
  | 'deposit'
  | 'deploy'
  | 'renewal'
  | 'growth'
  | 'usage'
  | 'usage_return'
  | 'return'
  | 'debit'
  | 'credit'
  | 'term'
  | 'hold'
  | 'release'
  | 'refund'
  | 'forfeit'
  | 'payout'
  | 'credit_grant'
  | 'credit_used'
  | 'credit_back'
  | 'credit_lapse'

export interface LedgerTables {
  ledger_account: {
    id: Generated<bigint>
    kind:
      | 'custody'
      | 'revenue'
      | 'adjustment'
      | 'refunds'
      | 'promotion'
      | 'wallet'
      | 'prepaid'
      | 'hold'
      | 'withdrawal'
      | 'credit'
      | 'queue'
    owner: string | null
    balance_micro: Generated<bigint>
  }
  ledger_transfer: {
    id: GeneratedAlways<bigint>
    idem: string
    from_account: bigint
    to_account: bigint
    amount_micro: bigint
    code: Code
    user_id: string | null
    ref: string | null
    description: string
    from_after_micro: bigint | null
    to_after_micro: bigint | null
    effective_at: string
    recorded_at: Generated<string>
  }
  wallets: {
    user_id: string
    account_id: bigint
    due_at: string | null
    created_at: Generated<string>
    credit_account: bigint | null
    credit_ends_at: string | null
  }
  meter: {
    id: string
    user_id: string
    prepaid_account: bigint
    label: string
    price_micro: bigint
    paid_until: string | null
    opened_at: string
    metered_to: string | null
    seen_at: string | null
    ended_at: string | null
    remainder: Generated<bigint>
    kind: string
    source: string | null
    is_missed: Generated<boolean>
    renews_at: string | null
    lapsed_at: string | null
    is_running: GeneratedAlways<boolean | null>
    ends_with_term: Generated<boolean>
    extended_ms: Generated<bigint>
    credit_micro: Generated<bigint>
    month_micro: bigint | null
  }
  term_extension: {
    id: GeneratedAlways<bigint>
    meter_id: string
    user_id: string
    from_at: string
    to_at: string
    cause: 'host_gone' | 'machine_lost' | 'maintenance'
    recorded_at: Generated<string>
  }
  meter_span: {
    id: GeneratedAlways<bigint>
    meter_id: string
    user_id: string
    kind: string
    what: 'open' | 'close'
    at: string
    cause: string
    actor: Generated<string>
    operation: Generated<string | null>
    recorded_at: Generated<string>
  }
  meter_kind: {
    id: string
    noun: string
    is_looked_at: boolean
    is_prepaid: Generated<boolean>
    renews_ms: bigint | null
    at_end: 'close' | 'lapse'
    grace_days: number | null
    returns: 'rest' | 'none'
    usage_words: string
    renewal_words: string | null
    return_words: string | null
    charged_event: string | null
    closed_event: string | null
    lapsed_event: string | null
    renewed_event: string | null
    revived_event: string | null
    ended_by: string
  }
  look_source: { id: string; observed_at: Generated<string>; grace_ms: Generated<number> }
  usage_line: {
    id: GeneratedAlways<bigint>
    meter_id: string
    user_id: string
    from_at: string
    to_at: string
    price_micro: bigint
    amount_micro: bigint
    prepaid_micro: bigint
    wallet_micro: bigint
    remainder_before: bigint
    remainder_after: bigint
    recorded_at: Generated<string>
    prepaid_credit_micro: Generated<bigint>
    credit_micro: Generated<bigint>
  }
  usage_return: {
    id: GeneratedAlways<bigint>
    meter_id: string
    user_id: string
    from_at: string
    to_at: string
    price_micro: bigint
    amount_micro: bigint
    remainder_before: bigint
    remainder_after: bigint
    recorded_at: Generated<string>
    credit_micro: Generated<bigint>
  }
  budget: {
    user_id: string
    meter_id: string | null
    month: Date | null
    limit_micro: bigint | null
    at_limit: 'warn' | 'stop'
    spent_micro: Generated<bigint>
    told_percent: Generated<number>
    reached_at: string | null
    set_at: string
    set_after: bigint
  }
  spending_counted: {
    user_id: string
    transfer_id: Generated<bigint>
    line_id: Generated<bigint>
    return_id: Generated<bigint>
  }
  spending_month: { user_id: string; month: Date; spent_micro: bigint; used_ms: bigint }
  money_day: {
    day: Date
    code: Code
    from_kind: string
    to_kind: string
    amount_micro: bigint
    movements: bigint
    last_id: bigint
  }
  usage_day: {
    day: Date
    kind: string
    gpu_type: string
    region: string
    revenue_micro: bigint
    used_ms: bigint
    gpu_ms: bigint
  }
  customer_lately: { user_id: string; revenue_micro: bigint }
  customer_day: { day: Date; user_id: string; revenue_micro: bigint }
  customer_month: { month: Date; user_id: string; revenue_micro: bigint; gpu_ms: bigint }
  money_counted: {
    one: Generated<boolean>
    transfer_id: Generated<bigint>
    line_id: Generated<bigint>
    return_id: Generated<bigint>
    sure_transfer_id: Generated<bigint>
    sure_line_id: Generated<bigint>
    sure_return_id: Generated<bigint>
    before_xid: Generated<string>
    lately_from: Generated<Date>
  }
  invoicing: { user_id: string; month: Generated<Date>; transfer_id: Generated<bigint> }
  invoice_month: {
    user_id: string
    month: Date
    transfer_id: bigint
    open_from: bigint
    opening_micro: bigint
    paid_in_micro: bigint
    charged_micro: bigint
    other_micro: bigint
    closing_micro: bigint
  }
  invoice_counter: { one: Generated<boolean>; last_serial: Generated<bigint> }
  invoice: {
    id: string
    serial: bigint
    number: string
    user_id: string
    month: Date
    kind: 'invoice' | 'credit_note'
    exact_micro: bigint
    total_micro: bigint
    tax_micro: bigint
    seller: Json<unknown>
    customer_sealed: Buffer
    issued_at: string
    recorded_at: Generated<string>
  }
  invoice_line: {
    invoice_id: string
    place: number
    code: Code
    meter_id: string | null
    label: string
    words: string
    detail: string | null
    from_at: string
    to_at: string
    price_micro: bigint | null
    amount_micro: bigint
    movements: number
    corrects: string | null
  }
  audit_run: {
    one: Generated<boolean>
    began_at: string | null
    ended_at: Generated<string>
    findings: Generated<number>
    seconds: Generated<number>
  }
}
