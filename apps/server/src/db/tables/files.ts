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
}
