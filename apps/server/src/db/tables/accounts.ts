/** What belongs to an account beside signing in: its profile, preferences, key, notices and end. */
import type { Generated } from 'kysely'
import type { GeneratedJson } from './json.ts'

export interface AccountsTables {
  profiles: {
    user_id: string
    first_name: Generated<string>
    last_name: Generated<string>
    company: Generated<string>
    role: Generated<string>
    use_case: Generated<string>
    plan_name: Generated<string>
    created_at: Generated<string>
  }
  suspension: {
    user_id: string
    reason: string
    suspended_at: Generated<string>
    banned_before: string | null
    due_at: string | null
    lock_token: string | null
    lock_expires_at: string | null
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
  ssh_key: {
    user_id: string
    id: string
    name: string
    type: string
    public_key: Buffer
    fingerprint: string
    created_at: Generated<string>
    last_used_at: string | null
  }
  notice: {
    id: Generated<string>
    user_id: string
    kind:
      | 'balance_low'
      | 'balance_ending'
      | 'balance_hour'
      | 'balance_minutes'
      | 'balance_empty'
      | 'lapsed'
      | 'lapse_ending'
      | 'grace_over'
      | 'budget_used'
      | 'budget_reached'
      | 'term_ending'
      | 'term_over'
      | 'queue_started'
      | 'queue_blocked'
      | 'volume_full'
      | 'volume_failed'
      | 'snapshot_failed'
      | 'growth_failed'
      | 'person_asked'
      | 'ticket_opened'
      | 'ticket_reply'
      | 'ticket_resolved'
      | 'maintenance_planned'
      | 'maintenance_off'
      | 'maintenance_stopped'
      | 'maintenance_over'
      | 'template_reviewed'
      | 'volume_stopped'
      | 'start_failed'
      | 'lost'
      | 'ended'
      | 'idle_soon'
      | 'idle_stopped'
    channel: 'mail' | 'sms'
    items: GeneratedJson<unknown>
    attempts: Generated<number>
    sent_at: string | null
    queued_at: string | null
    due_at: string | null
    lock_token: string | null
    lock_expires_at: string | null
  }
  lapse_notice: {
    meter_id: string
    user_id: string
    lapsed_at: string
    day: number
  }
  balance_watch: {
    user_id: string
    was_good: boolean
    under_ms: bigint | null
    warned_transfer: bigint | null
  }
  billing_details: { user_id: string; sealed: Buffer; updated_at: Generated<string> }
  refund_request: {
    id: string
    user_id: string
    amount_micro: bigint
    contact_sealed: Buffer | null
    status: Generated<'open' | 'paid'>
    requested_at: string
    deposit_id: string | null
    address20: Buffer | null
    is_sending: Generated<boolean>
    chain: string | null
    txid: Buffer | null
    log_index: number | null
  }
}
