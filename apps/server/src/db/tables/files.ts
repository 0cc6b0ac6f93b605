import type { Generated } from 'kysely'

export interface FilesTables {
  file_ticket: {
    hash: Buffer
    user_id: string
    instance_id: string | null
    volume_id: string | null
    path: string
    session_id: string | null
    key_id: string | null
    expires_at: string
  }
  file_import: {
    id: string
    user_id: string
    instance_id: string | null
    volume_id: string | null
    path: string
    replaces: boolean
    url_sealed: Buffer | null
    url: string
    state: Generated<'waiting' | 'running' | 'placing' | 'done' | 'failed' | 'cancelled'>
    message: string | null
    received_bytes: Generated<bigint>
    total_bytes: bigint | null
    tag: string | null
    sha256: string | null
    attempts: Generated<number>
    started_at: string | null
    created_at: Generated<string>
    updated_at: Generated<string>
    is_off_list: Generated<boolean>
    due_at: string | null
    lock_token: string | null
    lock_expires_at: string | null
  }
  file_upload: {
    id: string
    user_id: string
    instance_id: string | null
    volume_id: string | null
    path: string
    replaces: boolean
    bytes: bigint
    received_bytes: Generated<bigint>
    state: Generated<'open' | 'placing' | 'done' | 'failed'>
    message: string | null
    writer: string | null
    writer_until: string | null
    created_at: Generated<string>
    expires_at: string
  }
}
