/** What visitors of the public site send, and how the service was doing. */
import type { SystemStatus } from '@ingot/contracts/site'
import type { Generated, GeneratedAlways } from 'kysely'
import type { Json } from './json.ts'

export interface SiteTables {
  site_inquiry: {
    id: string
    kind: 'contact' | 'application' | 'document'
    status: Generated<'open' | 'answered' | 'closed'>
    name: string
    email: string
    company: Generated<string>
    subject: string
    message: Generated<string>
    file_name: string | null
    file_type: string | null
    file_bytes: number | null
    file_sealed: Buffer | null
    created_at: Generated<string>
    closed_at: string | null
  }
  site_answer: {
    id: string
    inquiry_id: string
    text: string
    answered_by: string
    created_at: Generated<string>
  }
  site_cv: { hash: Buffer; name: string; type: string; sealed: Buffer; expires_at: string }
  site_sent: { hash: Buffer; sent_at: string }
  site_subscription: {
    id: string
    email: string | null
    created_at: Generated<string>
    confirmed_at: string | null
    ended_at: string | null
  }
  site_token: {
    hash: Buffer
    subscription_id: string
    purpose: 'confirm' | 'end'
    expires_at: string | null
  }
  site_waitlist: {
    id: GeneratedAlways<bigint>
    product: string
    email: string
    created_at: Generated<string>
  }
  site_announcement: {
    id: string
    tone: 'info' | 'warn'
    place: 'site' | 'console' | 'both'
    text: string
    link_label: string | null
    link_href: string | null
    revision: Generated<number>
    shown_from: string
    shown_until: string | null
    created_at: string
    created_by: string | null
  }
  site_maintenance: {
    one: Generated<boolean>
    is_on: Generated<boolean>
    text: Generated<string>
    reason: Generated<string>
    planned_end: string | null
    changed_at: string | null
    changed_by: string | null
  }
  site_status: {
    one: Generated<boolean>
    state: 'operational' | 'degraded' | 'down'
    checks: Json<SystemStatus['checks']>
    checked_at: string
  }
  site_status_day: {
    day: Date
    ok_minutes: number
    measured_minutes: number
    last_minute: string
    last_ok: boolean
  }
}
