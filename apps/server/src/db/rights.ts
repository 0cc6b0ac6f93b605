/**
 * What the server may not write by itself, and the functions that write it instead: the list that `server-role.ts` makes
 * rights of. `rights.test.ts` compares it with the catalogue: a function that writes one of these tables and is not listed
 * fails there.
 */

interface ProtectedTable {
  readonly why: string
  /** Columns that the server sets itself. */
  readonly columns?: readonly string[]
  /** The server inserts rows, and changes none. */
  readonly adds?: true
}

/** Tables that the server only reads. */
export const protectedTables: Readonly<Record<string, ProtectedTable>> = {
  ledger_account: { why: 'balances' },
  ledger_transfer: { why: 'movements, which nobody changes' },
  wallets: { why: 'which account is whose wallet, and when it is settled' },
  gpu_price: { why: 'what a deploy is charged by, which nobody changes once it holds' },
  meter_kind: { why: 'what time costs, and the function that is called where money ends' },
  meter: { why: 'prices, and up to when time was charged' },
  meter_span: { why: 'when time was to be charged, which nobody changes' },
  look_source: { why: 'how far time may be charged' },
  usage_line: { why: 'what was charged, which nobody changes' },
  usage_return: { why: 'what was given back, which nobody changes' },
  budget: { why: 'how much may be spent, and what was' },
  term_extension: { why: 'by how much a term was extended, which nobody changes' },
  invoicing: { why: 'which months are closed' },
  invoice_month: { why: 'what a month of a wallet was, which nobody changes' },
  invoice_counter: { why: 'the last number, which must have no gap' },
  invoice: { why: 'what was invoiced, which nobody changes' },
  invoice_line: { why: 'the same' },
  refund_request: {
    why: 'what is owed to former customers',
    // Where to write to; sealed by the server.
    columns: ['contact_sealed'],
  },
  withdrawal: { why: 'what customers want back, and where to' },
  instance_queue: {
    why: 'what is set aside for whoever waits',
    // Why it is passed over for now.
    columns: ['blocked'],
  },
  deposit_address: { why: 'whose a payment is', adds: true },
  chain_deposit: {
    why: 'what customers paid',
    // That its owner asked about it.
    columns: ['verified_at'],
  },
  chain_sweep: { why: 'what left deposit addresses, which nobody changes' },
  chain_balance: { why: 'what deposit addresses hold, as the chain says' },
  audit_log: { why: 'who did what, which nobody changes' },
  acting: { why: 'which administrator reads as which customer' },
  acting_read: { why: 'what they read' },
  installation: { why: 'whose machines are, which nobody changes' },
  schema_migration: { why: 'what was migrated; whoever migrates writes it' },
}

/**
 * `server`: the server calls it, and it runs with the rights of the owner of money. `operator`: only whoever owns the
 * database calls it. `inner`: only other functions of this list do.
 */
export type Caller = 'server' | 'operator' | 'inner'

export const moneyFunctions: Readonly<Record<string, readonly [caller: Caller, why: string]>> = {
  get_or_create_wallet: ['server', 'opens a wallet, empty'],
  lock_wallet: ['server', 'a row lock needs the right to update'],
  deploy_charge: ['server', 'what a deploy costs, where the wallet covers it'],
  open_meter: ['server', 'time begins to cost'],
  see_meter: ['server', 'a look found the run'],
  note_looks: ['server', 'a look at everything of a source'],
  close_meter: ['server', 'charges, and time costs no more'],
  end_meter: ['server', 'a last look: charges or returns the difference'],
  settle_due: ['server', 'charges what is due'],
  end_meters: ['server', 'ends all that an account pays for'],
  return_prepaid: ['server', 'the unused part of a deploy charge'],
  set_meter_price: ['server', 'a change of size, while nothing runs'],
  set_meter_label: ['server', 'a change of name'],
  set_budget: ['server', 'a limit that its owner sets'],
  set_term_end: ['server', 'what becomes of it at the end of its term'],
  extend_terms: ['server', 'an outage: a term that was paid for ends later'],
  revive_meter: ['server', 'its owner asks for what lapsed, and pays for its month'],
  settle_month: ['server', 'charges what is due before a month is changed'],
  pay_growth: ['server', 'the rest of a month costs more'],
  return_growth: ['server', 'what was paid for a size that did not come'],
  set_month: ['server', 'what is paid by the month costs more from now on'],
  lower_month: ['server', 'less is stored than was paid for'],
  return_first_start: ['server', 'what was paid for what never ran'],
  close_wallet: ['server', 'empties the wallet of an account that ends'],
  request_refund: ['server', 'what an account that ended is owed, as its movement says'],
  erase_user: ['server', 'takes personal words out of what stays'],
  credit_deposit: ['server', 'a final transfer, once'],
  preview_deposit: ['server', 'a transfer that is not final: shown, not credited'],
  drop_lost_deposits: ['server', 'such transfers in blocks that lost'],
  record_sweep: ['server', 'a final transfer away from a deposit address, once'],
  note_chain_balance: ['server', 'what the chain said of an address'],
  audit_append: ['server', 'an entry, with who did it as the transaction says'],
  begin_acting: ['server', 'an administrator reads as a customer, with an entry'],
  note_acting_read: ['server', 'counts what they read'],
  end_acting: ['server', 'its end, with an entry of what was read'],
  correct_wallet: ['server', 'an administrator gives, or takes what is there'],
  credit_wallet: ['operator', 'makes money of nothing: a correction by a person'],
  debit_wallet: ['operator', 'a correction by a person'],
  debit_wallets: ['operator', 'the same for many'],
  approve_deposit: ['server', 'credits what is held for review'],
  reject_deposit: ['server', 'decides that it is never credited'],
  hold_funds: ['operator', 'a dispute or a withdrawal, handled by a person'],
  release_funds: ['operator', 'its end'],
  request_withdrawal: ['server', 'sets aside what its owner wants back'],
  cancel_withdrawal: ['server', 'puts it back, for its owner'],
  refuse_withdrawal: ['server', 'puts it back, by an operator'],
  take_withdrawal: ['server', 'an operator sends it'],
  address_refund: ['server', 'where a former customer is paid'],
  take_refund: ['server', 'an operator sends it'],
  settle_payout: ['server', 'a final transfer that pays one of them, once'],
  enter_queue: ['server', 'sets aside what a start will need'],
  leave_queue: ['server', 'puts it back, for its owner'],
  take_queued: ['server', 'puts it back, for the charge of the start'],
  end_withdrawal: ['inner', 'part of cancelling and refusing'],
  set_gpu_price: ['server', 'an administrator says what a deploy costs from a time on'],
  cancel_gpu_price: ['server', 'takes a price back that does not hold yet'],
  issue_invoices: ['server', 'closes months of a wallet, and numbers what they charged'],
  issue_due_invoices: ['server', 'the same for many'],
  begin_invoicing: ['inner', 'a trigger: part of opening a wallet'],
  ledger_post: ['inner', 'moves any amount between any accounts'],
  ledger_append: ['inner', 'its caller has locked the accounts and made sure that they cover it'],
  ledger_post_many: ['inner', 'moves any amounts between any accounts'],
  settle_wallets: ['inner', 'up to any time, whatever is due'],
  settle_before: ['inner', 'the beginning of what brings money in'],
  settle_arrival: ['inner', 'its end'],
  charge_meters: ['inner', 'part of settling, as are those up to the next line'],
  end_drawing: ['inner', 'closes or lapses what the money ended for'],
  end_budgets: ['inner', 'closes what a budget ended for'],
  pay_months: ['inner', 'renews and revives'],
  end_graces: ['inner', 'ends what lapsed'],
  end_terms: ['inner', 'closes what ends with its term'],
  end_lapses: ['inner', 'the same, for any reason'],
  stop_meters: ['inner', 'closes or lapses'],
  tell_settled: ['inner', 'tells of all that, and calls the functions of kinds'],
  tell_kinds: ['inner', 'calls the functions of kinds'],
  empty_prepaid: ['inner', 'what is left when a meter is over'],
  count_budgets: ['inner', 'what was spent under a budget'],
  note_budgets: ['inner', 'which share of it was told'],
  refresh_wallet_due: ['inner', 'the end of every movement'],
  refresh_wallets_due: ['inner', 'the same for many'],
  grant_credit: ['inner', 'part of crediting a deposit'],
  use_credit: ['inner', 'credit pays first'],
  return_credit: ['inner', 'what was credit stays credit'],
  lapse_credits: ['inner', 'credit whose time is over'],
  request_deposit_refunds: ['inner', 'part of erasing, and of deposits that come later'],
  lock_deposit: ['inner', 'the beginning of a decision about a deposit'],
  audit_forget: ['inner', 'part of erasing: empties the entries of the account'],
  audit_user: ['inner', 'a trigger, which calls it where an account is erased'],
}
