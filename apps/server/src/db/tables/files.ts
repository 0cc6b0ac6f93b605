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
