import type { Generated } from 'kysely'
import type { GeneratedJson } from './json.ts'

export interface SupportTables {
  support_tickets: {
    id: string
    user_id: string
    title: string
    status: Generated<'open' | 'in_progress' | 'resolved' | 'closed'>
    priority: Generated<'low' | 'medium' | 'high'>
    last_seq: Generated<number>
    user_read_seq: Generated<number>
    staff_read_seq: Generated<number>
    first_reply_at: string | null
    first_person_at: string | null
    person_asked_at: string | null
    closed_at: string | null
    created_at: string
    updated_at: string
  }
  support_messages: {
    id: string
    ticket_id: string
    seq: number
    content: string
    sender_type: 'user' | 'admin'
    is_automated: Generated<boolean>
    user_id: string | null
    client_id: string | null
    links: GeneratedJson
    created_at: string
    sources: GeneratedJson
    facts: GeneratedJson
  }
  support_attachments: {
    id: string
    user_id: string
    message_id: string | null
    place: number | null
    name: string
    media_type: 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp' | 'text/plain'
    content: Buffer
    created_at: Generated<string>
  }
  ai_reply_settings: {
    is_only: Generated<boolean>
    enabled: Generated<boolean>
    force_enabled: Generated<boolean>
    updated_by: string | null
    updated_at: string | null
  }
  support_activity: {
    user_id: string
    at: string
  }
  support_replies: {
    message_id: string
    ticket_id: string
    user_id: string
    outcome:
      | 'answered'
      | 'unknown'
      | 'handed_over'
      | 'limited'
      | 'person'
      | 'superseded'
      | 'off'
      | 'late'
      | null
    reply_id: string | null
    writer: 'facts' | 'model' | null
    refused: string | null
    asked: Generated<number>
    tokens: Generated<number>
    created_at: string
    ended_at: string | null
    due_at: string | null
    lock_token: string | null
    lock_expires_at: string | null
  }
}
