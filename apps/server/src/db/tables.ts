/** The tables as TypeScript sees them: `bigint` is BigInt, `timestamptz` the wire's string. Kept beside migrations/. */
import type { ColumnType, Generated, GeneratedAlways } from 'kysely'

type Json<T = Record<string, unknown>> = ColumnType<T, string, string>
type Lock = { lock_token: string | null; lock_expires_at: string | null }

export interface Tables {
  business_clock: { one: Generated<boolean>; offset_ms: bigint }
  idempotency: {
    caller: string
    key: string
    operation: string
    input_hash: Buffer
    status: number | null
    response: Json<unknown> | null
    created_at: Generated<string>
  }
  event: {
    id: GeneratedAlways<bigint>
    xid: GeneratedAlways<string>
    user_id: string | null
    type: string
    subject_id: string | null
    data: Json
    at: string
    recorded_at: Generated<string>
  }
  mail: Partial<Lock> & {
    id: string
    kind: Generated<'mail' | 'sms'>
    forget: Generated<boolean>
    recipient: string
    subject: string
    body_sealed: Buffer | null
    created_at: Generated<string>
    sent_at: string | null
    attempts: Generated<number>
    last_error: string | null
    due_at: Generated<string | null>
  }
  auth_user: {
    id: string
    role: Generated<string>
    email: string | null
    password_hash: string | null
    email_confirmed_at: string | null
    confirmation_sent_at: string | null
    new_email: string | null
    email_change_sent_at: string | null
    phone: string | null
    phone_confirmed_at: string | null
    new_phone: string | null
    phone_change_sent_at: string | null
    recovery_sent_at: string | null
    reauthentication_sent_at: string | null
    last_sign_in_at: string | null
    is_sso_user: Generated<boolean>
    invited_at: string | null
    deleted_at: string | null
    app_metadata: Json
    user_metadata: Json
    banned_until: string | null
    created_at: Generated<string>
    updated_at: Generated<string>
  }
  auth_identity: {
    id: string
    user_id: string
    provider: string
    provider_id: string
    identity_data: Json
    last_sign_in_at: string | null
    created_at: Generated<string>
    updated_at: Generated<string>
  }
  auth_session: {
    id: string
    user_id: string
    refresh_counter: Generated<bigint>
    aal: Generated<'aal1' | 'aal2'>
    amr: Json<{ method: string; timestamp: number }[]>
    user_agent: string | null
    ip: string | null
    created_at: Generated<string>
    refreshed_at: Generated<string>
    first_counter: Generated<bigint>
    last_active_at: Generated<string>
    superseded_at: Generated<string | null>
  }
  auth_factor: {
    id: string
    user_id: string
    factor_type: 'totp' | 'phone' | 'recovery_code'
    status: Generated<'unverified' | 'verified'>
    friendly_name: string
    secret_sealed: Buffer | null
    last_step: Generated<bigint>
    phone: string | null
    failures: Generated<number>
    locked_until: Generated<string | null>
    last_challenged_at: Generated<string | null>
    created_at: Generated<string>
    updated_at: Generated<string>
  }
  auth_factor_challenge: {
    id: string
    factor_id: string
    ip: string | null
    code_sealed: Buffer | null
    expires_at: string
    verified_at: Generated<string | null>
  }
  auth_recovery_code: { factor_id: string; code_hash: string; used_at: Generated<string | null> }
  auth_otp: {
    user_id: string
    kind:
      | 'signup'
      | 'recovery'
      | 'magiclink'
      | 'invite'
      | 'email_change_current'
      | 'email_change_new'
      | 'sms'
      | 'phone_change'
      | 'reauthentication'
    token_hash: string
    code_sealed: Buffer | null
    code_challenge: string | null
    code_challenge_method: string | null
    failed_attempts: Generated<number>
    sent_at: Generated<string>
    expires_at: string
  }
  auth_signing_key: {
    kid: string
    public_jwk: Json
    private_jwk_sealed: Buffer
    signs: boolean
    created_at: Generated<string>
    signs_from: Generated<string | null>
    signs_until: Generated<string | null>
  }
  user_roles: {
    user_id: string
    role: 'moderator' | 'admin'
    created_by: string | null
    created_at: Generated<string>
  }
  profiles: {
    user_id: string
    first_name: string
    last_name: string
    company: string
    role: string
    use_case: string
    plan_name: Generated<string>
    created_at: Generated<string>
  }
  user_settings: {
    user_id: string
    email_notifications: Generated<boolean>
    sms_notifications: Generated<boolean>
    marketing_emails: Generated<boolean>
    security_alerts: Generated<boolean>
    usage_alerts: Generated<boolean>
    auto_shutdown_enabled: Generated<boolean>
    auto_shutdown_minutes: Generated<number>
    updated_at: Generated<string>
  }
  api_keys: {
    id: string
    user_id: string
    name: string
    key_hash: Buffer
    key_sealed: Buffer | null
    last_four: string
    is_active: Generated<boolean>
    created_at: Generated<string>
    last_used_at: string | null
  }
  refund_request: {
    id: string
    user_id: string
    amount_micro: bigint
    contact_sealed: Buffer | null
    status: Generated<'open' | 'paid'>
    requested_at: string
  }
  ledger_account: {
    id: Generated<bigint>
    kind: 'custody' | 'revenue' | 'adjustment' | 'refunds' | 'wallet' | 'prepaid' | 'hold' | 'withdrawal'
    owner: string | null
    balance_micro: bigint
  }
  ledger_transfer: {
    id: GeneratedAlways<bigint>
    idem: string
    from_account: bigint
    to_account: bigint
    amount_micro: bigint
    code:
      | 'deposit'
      | 'deploy'
      | 'usage'
      | 'return'
      | 'debit'
      | 'credit'
      | 'term'
      | 'hold'
      | 'release'
      | 'refund'
      | 'forfeit'
    user_id: string | null
    ref: string | null
    description: string
    from_after_micro: bigint | null
    to_after_micro: bigint | null
    effective_at: string
    recorded_at: Generated<string>
  }
  wallets: Lock & {
    user_id: string
    account_id: bigint
    due_at: string | null
    created_at: Generated<string>
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
    remainder: bigint
  }
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
  }
  deposit_address: {
    chain: string
    account_key: string
    user_id: string
    idx: bigint
    address20: Buffer
    base58: string
    created_at: Generated<string>
  }
  chain_cursor: Lock & {
    chain: string
    height: bigint
    block_id: string
    scanned_at: string | null
    stopped_reason: string | null
    due_at: Generated<string | null>
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
    state: 'pending' | 'held' | 'credited' | 'orphaned'
    held_reason: Generated<'below_minimum' | 'account_deleted' | null>
    confirmations: number
    verified_at: string | null
    created_at: Generated<string>
  }
  gpu_templates: {
    id: string
    name: string
    description: string
    category: string
    docker_image: string
    features: string[]
    popular: boolean
    is_public: Generated<boolean>
    created_at: Generated<string>
  }
  gpu_instances: Partial<Lock> & {
    id: string
    user_id: string
    name: string
    gpu_type: string
    gpu_count: number
    cpu_cores: number
    memory_gb: number
    storage_gb: GeneratedAlways<number>
    system_storage_gb: number
    data_storage_gb: number
    status: 'running' | 'stopped' | 'starting' | 'stopping' | 'terminated'
    status_reason: 'balance_empty' | 'start_failed' | 'lost' | 'idle' | null
    status_message: string | null
    looked_at: string | null
    busy_at: string | null
    seen_cpu_ms: number | null
    seen_input_at: string | null
    region: string
    hardware: 'real' | 'simulated'
    shell: 'real' | 'simulated'
    public_ip: string | null
    billing_period: 'hourly' | '3month' | '1year'
    hourly_cost_micro: bigint
    paid_until: string | null
    template_id: string | null
    network_volume_id: string | null
    auto_shutdown_enabled: Generated<boolean>
    auto_shutdown_minutes: Generated<number>
    last_activity_at: string | null
    started_at: string | null
    stopped_at: string | null
    created_at: string
    updated_at: string
    driver: string
    driver_ref: string | null
    desired: 'running' | 'stopped' | 'deleted'
    restarting: Generated<boolean>
    observed_at: string | null
    attempts: Generated<number>
    due_at: string | null
  }
  notice: Lock & {
    id: Generated<string>
    user_id: string
    kind: 'balance_low' | 'balance_ending' | 'balance_empty' | 'start_failed' | 'lost'
    channel: 'mail' | 'sms'
    items: Generated<unknown>
    attempts: Generated<number>
    sent_at: string | null
    due_at: string | null
  }
  terminal_ticket: {
    hash: Buffer
    instance_id: string
    user_id: string
    session_id: string | null
    key_id: string | null
    terminal_id: string
    expires_at: string
  }
}
