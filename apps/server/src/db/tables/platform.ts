/** What every noun stands on: the clock, idempotency, the outbox of facts, the audit log, mail. */
import type { MachineRecord } from '@ingot/compute/docker/records'
import type { Generated, GeneratedAlways } from 'kysely'
import type { GeneratedJson, Json } from './json.ts'

export interface PlatformTables {
  schema_migration: { name: string; hash: string; applied_at: Generated<string> }
  business_clock: { one: Generated<boolean>; offset_ms: Generated<bigint> }
  installation: { one: Generated<boolean>; id: Generated<string> }
  driver_choice: {
    one: Generated<boolean>
    driver: string
    address: string | null
    why: string
    chosen_at: Generated<string>
  }
  engine_machine: {
    driver: string
    ref: string
    record: Json<MachineRecord>
    version: Generated<bigint>
    changed_at: Generated<string>
  }
  engine_keeper: { driver: string; host: string; port: number; noted_at: Generated<string> }
  host_clock: { boot_id: string; offset_ms: bigint; noted_at: Generated<string> }
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
    data: GeneratedJson
    at: string
    recorded_at: Generated<string>
    actor: Generated<string | null>
    operation: Generated<string | null>
  }
  audit_log: {
    id: GeneratedAlways<bigint>
    at: Generated<string>
    actor: string
    role: string | null
    ip: string | null
    request_id: string | null
    operation: string | null
    subject_kind:
      | 'account'
      | 'factor'
      | 'identity'
      | 'api_key'
      | 'ssh_key'
      | 'sso_provider'
      | 'inquiry'
      | 'instance'
      | 'volume'
      | 'ticket'
      | 'price'
      | 'books'
      | 'host'
      | 'template'
      | 'ai_settings'
      | 'announcement'
      | 'maintenance'
    subject_id: string
    user_id: string | null
    before: Json
    after: Json
    reason: string | null
  }
  acting: {
    session_id: string
    admin_id: string
    user_id: string
    reason: string
    began_at: Generated<string>
    until: string
  }
  acting_read: { session_id: string; operation: string; count: number }
  event_sweep: {
    one: Generated<boolean>
    swept_to: Generated<bigint>
    deleted_xid: Generated<string>
    deleted_id: Generated<bigint>
  }
  fact_counted: { user_id: string; before_xid: Generated<string> }
  fact_count: { user_id: string; type: string; count: bigint }
  roll_up: { source: string; seen_id: Generated<bigint> }
  mail: {
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
    lock_token: string | null
    lock_expires_at: string | null
  }
}
