import type { Generated, GeneratedAlways } from 'kysely'

export interface CatalogTables {
  gpu_type: {
    name: string
    patterns: Generated<string[]>
    memory_gb: number
    vcpus: number
    ram_gb: number
    is_on_sale: Generated<boolean>
    position: number
  }
  gpu_price: {
    gpu_type: string
    holds_from: string
    hourly_micro: bigint
    three_months_micro: bigint
    year_micro: bigint
    set_by: string | null
    set_at: string | null
    reason: string | null
  }
  driver_inventory: {
    driver: string
    seen_at: string
  }
  host: {
    id: GeneratedAlways<bigint>
    driver: string
    name: string
    is_there: Generated<boolean>
    machines: number
    cpu_cores: number
    memory_gb: number
    disk_gb: number | null
    has_cards: boolean
    machines_taken: Generated<number>
    cpu_cores_taken: Generated<number>
    memory_gb_taken: Generated<number>
    disk_gb_taken: Generated<number>
    is_over: Generated<boolean>
    cordoned_at: string | null
    cordoned_by: string | null
    cordon_reason: string | null
    drain_at: string | null
    drained_at: string | null
  }
  allocation: {
    instance_id: string
    host_id: bigint
    cards: string[]
    cpu_cores: number
    memory_gb: number
    held_until: string | null
    waited_ms: Generated<number>
    placed_at: string
  }
  card: {
    uuid: string
    host_id: bigint
    model: string
    memory_bytes: bigint
    gpu_type: string | null
    is_there: Generated<boolean>
  }
  card_hold: {
    uuid: string
    instance_id: string
  }
  card_pool: {
    host_id: bigint
    gpu_type: string
    driver: string
    free_cards: string[]
    free: GeneratedAlways<number>
  }
  host_outage: {
    id: GeneratedAlways<bigint>
    host_id: bigint
    from_at: string
    to_at: string | null
    handled_at: string | null
    is_maintenance: Generated<boolean>
  }
  placement: {
    instance_id: string
    id: GeneratedAlways<bigint>
    at: string
    outcome: 'placed' | 'kept' | 'refused' | 'waiting' | 'released'
    reason:
      | 'away'
      | 'not_offered'
      | 'taken'
      | 'size'
      | 'disk'
      | 'driver'
      | 'stopped'
      | 'deleted'
      | 'term_ended'
      | 'card_gone'
      | 'cordoned'
      | null
    message: string | null
    waited_ms: Generated<number>
    host_id: bigint | null
    cards: Generated<string[]>
  }
  region: {
    name: string
    has_volumes: Generated<boolean>
    is_on_sale: Generated<boolean>
    position: number
  }
}
