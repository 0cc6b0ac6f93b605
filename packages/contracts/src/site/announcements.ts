/**
 * What the operator tells everybody: announcements, and that the service is in maintenance. Both are plain text in a
 * band, on public pages and in the console.
 */
import * as z from 'zod/mini'
import { id, nothing, operation, page, paging, timestamp } from '../operation.ts'

export const announcementTones = ['info', 'warn'] as const
export type AnnouncementTone = (typeof announcementTones)[number]
/** Where it is shown: on public pages, in the console, or on both. */
export const announcementPlaces = ['site', 'console', 'both'] as const
export type AnnouncementPlace = (typeof announcementPlaces)[number]
/** Of one that is not shown yet, one that is, and one whose time has passed. */
export const announcementStates = ['planned', 'shown', 'over'] as const
export type AnnouncementState = (typeof announcementStates)[number]

/** Letters, and how many may be planned or shown at a time: more bands than these push the page away. */
export const announcementLimits = { text: 300, linkLabel: 40, linkHref: 500, atOnce: 5 } as const
export const maintenanceLimits = { text: 300, reason: 500 } as const

/** One line, not blank, no control characters. */
const line = (max: number) => z.string().check(z.maxLength(max), z.regex(/^(?!\s*$)\P{Cc}*$/u))
/** A page of this service, or an address elsewhere. */
const href = z
  .string()
  .check(
    z.maxLength(announcementLimits.linkHref),
    z.regex(/^(?:\/(?![/\\])[!-[\]-~]*|https:\/\/[^\s/\\]+[!-[\]-~]*)$/),
  )

const link = z.object({ label: z.string(), href: z.string() })

/** As its readers get it. */
export const toldAnnouncement = z.object({
  /** Another one after its text was changed: whoever dismissed it sees it again. */
  key: z.string(),
  tone: z.enum(announcementTones),
  text: z.string(),
  link: z.nullable(link),
})
export type ToldAnnouncement = z.infer<typeof toldAnnouncement>

/** While it is there, customers' writes answer `503 maintenance`; reads, machines, metering and deposits go on. */
export const toldMaintenance = z.object({
  text: z.string(),
  since: timestamp,
  /** When the operator means it to end. */
  planned_end: z.nullable(timestamp),
})
export type ToldMaintenance = z.infer<typeof toldMaintenance>

export const announcement = z.object({
  id,
  state: z.enum(announcementStates),
  tone: z.enum(announcementTones),
  place: z.enum(announcementPlaces),
  text: z.string(),
  link: z.nullable(link),
  from: timestamp,
  /** Null: until it is ended. */
  until: z.nullable(timestamp),
  created_at: timestamp,
  created_by: z.nullable(id),
})
export type Announcement = z.infer<typeof announcement>

export const maintenance = z.object({
  is_on: z.boolean(),
  /** What customers read, now or when it was last on. */
  text: z.string(),
  /** Of the last switch, for staff. */
  reason: z.string(),
  planned_end: z.nullable(timestamp),
  /** Of the last switch; null: it was never on. */
  changed_at: z.nullable(timestamp),
  changed_by: z.nullable(id),
})
export type Maintenance = z.infer<typeof maintenance>

const words = {
  tone: z.enum(announcementTones),
  place: z.enum(announcementPlaces),
  text: line(announcementLimits.text),
  /** Both or none. */
  link_label: z.optional(z.nullable(line(announcementLimits.linkLabel))),
  link_href: z.optional(z.nullable(href)),
  /** Absent: from now on. */
  from: z.optional(timestamp),
  /** Absent or null: until it is ended. */
  until: z.optional(z.nullable(timestamp)),
}

export const announcements = {
  told: operation({
    id: 'listTold',
    method: 'GET',
    path: '/v1/announcements',
    who: 'public',
    actable: true,
    summary: 'What the operator tells everybody now: announcements, and maintenance',
    input: z.object({ place: z.optional(z.enum(['site', 'console'])) }),
    output: z.object({ maintenance: z.nullable(toldMaintenance), items: z.array(toldAnnouncement) }),
    status: 200,
    errors: [],
  }),
  announcements: operation({
    id: 'listAnnouncements',
    method: 'GET',
    path: '/v1/admin/announcements',
    who: 'admin',
    summary: 'Announcements: planned, shown and over, newest first',
    input: z.object({ ...paging, state: z.optional(z.enum(announcementStates)) }),
    output: page(announcement),
    status: 200,
    errors: [],
  }),
  announce: operation({
    id: 'createAnnouncement',
    method: 'POST',
    path: '/v1/admin/announcements',
    who: 'admin',
    summary: 'Tell everybody something, now or from a time on',
    input: z.object(words),
    output: announcement,
    status: 201,
    errors: ['invalid_state'],
  }),
  changeAnnouncement: operation({
    id: 'changeAnnouncement',
    method: 'PUT',
    path: '/v1/admin/announcements/{id}',
    who: 'admin',
    summary: 'Write an announcement anew; without a time it keeps its beginning',
    input: z.object({ id, ...words }),
    output: announcement,
    status: 200,
    errors: ['not_found', 'invalid_state'],
  }),
  endAnnouncement: operation({
    id: 'endAnnouncement',
    method: 'POST',
    path: '/v1/admin/announcements/{id}/end',
    who: 'admin',
    summary: 'Show an announcement no more',
    input: z.object({ id }),
    output: announcement,
    status: 200,
    errors: ['not_found'],
  }),
  maintenance: operation({
    id: 'getMaintenance',
    method: 'GET',
    path: '/v1/admin/maintenance',
    who: 'admin',
    summary: 'Whether the service is in maintenance, since when and why',
    input: nothing,
    output: maintenance,
    status: 200,
    errors: [],
  }),
  setMaintenance: operation({
    id: 'setMaintenance',
    method: 'PUT',
    path: '/v1/admin/maintenance',
    who: 'admin',
    summary: 'Switch maintenance on or off, in all servers within a second',
    input: z.object({
      is_on: z.boolean(),
      /** What customers read; needed to begin. */
      text: z.optional(line(maintenanceLimits.text)),
      /** For the audit log. */
      reason: line(maintenanceLimits.reason),
      planned_end: z.optional(z.nullable(timestamp)),
    }),
    output: maintenance,
    status: 200,
    errors: [],
  }),
}
