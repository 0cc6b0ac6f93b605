import type { BudgetInput } from '@ingot/contracts/budgets'
import type { Progress } from '@ingot/contracts/instance/places'
import type { Generated, GeneratedAlways } from 'kysely'
import type { GeneratedJson, Json } from './json.ts'

export interface InstancesTables {
  gpu_instances: {
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
    status_reason:
      | 'balance_empty'
      | 'budget_reached'
      | 'start_failed'
      | 'lost'
      | 'ended'
      | 'idle'
      | 'term_over'
      | 'queued'
      | 'stop_failed'
      | 'restart_failed'
      | 'delete_failed'
      | 'crash_loop'
      | 'volume_lapsed'
      | 'suspended'
      | 'maintenance'
      | null
    status_message: string | null
    progress: Json<Progress> | null
    looked_at: string | null
    busy_at: string | null
    seen_cpu_ms: number | null
    seen_input_at: string | null
    seen_request_at: string | null
    signals: GeneratedJson
    snoozed_until: string | null
    warned_busy_at: string | null
    region: string
    hardware: 'real' | 'simulated'
    shell: 'real' | 'simulated'
    public_ip: string | null
    billing_period: 'hourly' | '3month' | '1year'
    hourly_cost_micro: bigint
    paid_until: string | null
    on_term_end: Generated<'hourly' | 'stop'>
    term_warned_ms: bigint | null
    extended_ms: Generated<bigint>
    template_id: string | null
    network_volume_id: string | null
    auto_shutdown_enabled: Generated<boolean>
    auto_shutdown_minutes: Generated<number>
    ssh_user: Generated<string>
    ssh_password_sealed: Buffer | null
    ssh_key_ids: string[] | null
    ssh_offers_start: Generated<boolean>
    last_activity_at: string | null
    last_input_by: 'terminal' | 'ssh' | null
    last_request_at: string | null
    started_at: string | null
    stopped_at: string | null
    created_at: string
    updated_at: string
    driver: string
    host_id: bigint | null
    driver_ref: string | null
    desired: 'running' | 'stopped' | 'deleted'
    restarting: Generated<boolean>
    run_id: string | null
    run_ms: number | null
    attempts: Generated<number>
    due_at: string | null
    lock_token: string | null
    lock_expires_at: string | null
  }
  instance_queue: {
    id: string
    instance_id: string
    user_id: string
    turn: Generated<bigint>
    total_micro: bigint | null
    starts: boolean
    budget: Json<BudgetInput> | null
    held_micro: bigint
    blocked: string | null
    queued_at: string
  }
  instance_schedule: {
    id: string
    instance_id: string
    action: 'start' | 'stop'
    time: string
    weekdays: number[]
    time_zone: string
    enabled: Generated<boolean>
    last_at: string | null
    last_outcome: 'done' | 'nothing_to_do' | 'refused' | 'missed' | null
    last_message: string | null
    waiting_at: string | null
    created_at: string
    updated_at: string
    due_at: string | null
    lock_token: string | null
    lock_expires_at: string | null
  }
  driver_round: {
    driver: string
    attempts: Generated<number>
    due_at: Generated<string | null>
    lock_token: string | null
    lock_expires_at: string | null
  }
  driver_look: {
    driver: string
    looked_at: string
    driver_ms: number | null
  }
  missed_run: {
    instance_id: string
    attempts: Generated<number>
    due_at: string | null
    lock_token: string | null
    lock_expires_at: string | null
  }
  metric_block: {
    turn: number
    instance_id: string
    began_at: string
    load: number | null
    figures: number[]
    limits: number[]
  }
  metric_lease: {
    driver: string
    holder: string
    expires_at: string
  }
  ssh_host_key: { one: Generated<boolean>; private_key_sealed: Buffer; created_at: Generated<string> }
  instance_port: {
    instance_id: string
    port: number
    name: string
    path: Generated<string>
    is_public: Generated<boolean>
    created_at: Generated<string>
  }
  port_share: {
    id: string
    instance_id: string
    port: number
    hash: Buffer
    created_at: Generated<string>
    expires_at: string
  }
  port_ticket: {
    hash: Buffer
    instance_id: string
    port: number
    session_id: string | null
    key_id: string | null
    expires_at: string
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
