import type { Generated } from 'kysely'

export interface VolumesTables {
  network_volumes: {
    id: string
    user_id: string
    name: string
    size_gb: number
    stored_gb: Generated<number>
    region: string
    driver: string
    host_id: bigint | null
    status: Generated<'creating' | 'available' | 'deleting'>
    status_message: string | null
    month_micro: bigint
    lapsed_at: string | null
    is_read_only: Generated<boolean>
    used_bytes: bigint | null
    used_at: string | null
    warned_full: Generated<boolean>
    full_at: string | null
    growth_transfer: bigint | null
    restored_from: string | null
    driver_ref: string | null
    created_at: string
    updated_at: string
    due_at: string | null
    attempts: Generated<number>
    lock_token: string | null
    lock_expires_at: string | null
  }
  volume_snapshots: {
    id: string
    user_id: string
    volume_id: string
    volume_name: string
    name: string
    region: string
    driver: string
    host_id: bigint | null
    status: Generated<'creating' | 'available' | 'deleting'>
    status_message: string | null
    size_gb: number
    used_bytes: bigint | null
    sha256: Buffer | null
    month_micro: bigint
    lapsed_at: string | null
    driver_ref: string | null
    created_at: string
    updated_at: string
    due_at: string | null
    attempts: Generated<number>
    lock_token: string | null
    lock_expires_at: string | null
  }
}
