/**
 * Writes, changes and ends announcements. At most five are planned or shown at a time, so none pushes the page away. An
 * end leaves the row: the audit log and the list say what was told.
 */
import { IngotError } from '@ingot/contracts/errors'
import type { Parsed } from '@ingot/contracts/operation'
import {
  type Announcement,
  announcementLimits,
  type announcements,
} from '@ingot/contracts/site/announcements'
import { sql } from 'kysely'
import { appendAudit, appendAuditAnyway } from '../../db/audit-log.ts'
import type { Tx } from '../../db/database.ts'
import { newId } from '../../db/ids.ts'
import { countUnfinished, getAnnouncement } from './queries.ts'

type Words = Parsed<typeof announcements.announce>

export async function announce(tx: Tx, at: string, words: Words, by: string): Promise<Announcement> {
  const row = rowOf(words, at, at)
  await assertRoom(tx, at, null)
  const id = newId()
  await tx
    .insertInto('site_announcement')
    .values({ id, ...row, created_at: at, created_by: by })
    .execute()
  await appendAudit(tx, { kind: 'announcement', id, userId: null, after: row })
  return getAnnouncement(tx, at, id)
}

export async function changeAnnouncement(
  tx: Tx,
  at: string,
  { id, ...words }: Words & { readonly id: string },
): Promise<Announcement> {
  const former = await lock(tx, id)
  const row = rowOf(words, former.shown_from, at)
  await assertRoom(tx, at, id)
  await tx
    .updateTable('site_announcement')
    .set({ ...row, revision: former.revision + (row.text === former.text ? 0 : 1) })
    .where('id', '=', id)
    .execute()
  const { revision: _, ...before } = former
  await appendAudit(tx, { kind: 'announcement', id, userId: null, before, after: row })
  return getAnnouncement(tx, at, id)
}

/** One that is over stays as it was. */
export async function endAnnouncement(tx: Tx, at: string, id: string): Promise<Announcement> {
  const former = await lock(tx, id)
  if (former.shown_until === null || former.shown_until > at) {
    // One that was only planned begins when it ends: it was never shown.
    const shown_from = former.shown_from > at ? at : former.shown_from
    await tx
      .updateTable('site_announcement')
      .set({ shown_from, shown_until: at })
      .where('id', '=', id)
      .execute()
    await appendAudit(tx, {
      kind: 'announcement',
      id,
      userId: null,
      before: { shown_until: former.shown_until },
      after: { shown_until: at },
    })
  }
  await appendAuditAnyway(tx, { kind: 'announcement', id, userId: null })
  return getAnnouncement(tx, at, id)
}

async function lock(tx: Tx, id: string) {
  const row = await tx
    .selectFrom('site_announcement')
    .select(['tone', 'place', 'text', 'link_label', 'link_href', 'shown_from', 'shown_until', 'revision'])
    .where('id', '=', id)
    .forNoKeyUpdate()
    .executeTakeFirst()
  if (!row) throw new IngotError('not_found')
  return row
}

const refuse = (fields: Record<string, string>) => new IngotError('validation_failed', { fields })

/** `from`: when it begins unless the words say. */
function rowOf(words: Words, from: string, now: string) {
  const { link_label = null, link_href = null } = words
  if (link_label !== null && link_href === null) throw refuse({ link_href: 'is required with a label' })
  if (link_href !== null && link_label === null) throw refuse({ link_label: 'is required with an address' })
  const shown_from = timeOf(words.from ?? from)
  const shown_until = words.until ? timeOf(words.until) : null
  if (shown_until !== null && shown_until <= shown_from)
    throw refuse({ until: 'must be later than the beginning' })
  if (shown_until !== null && shown_until <= now) throw refuse({ until: 'has passed' })
  return {
    tone: words.tone,
    place: words.place,
    text: words.text,
    link_label,
    link_href,
    shown_from,
    shown_until,
  }
}

/** As rows are read, so that times compare as texts. */
const timeOf = (text: string): string => new Date(text).toISOString()

async function assertRoom(tx: Tx, at: string, id: string | null): Promise<void> {
  // One at a time: two at once would each find room for the last.
  await sql`select pg_advisory_xact_lock(hashtext('site_announcement'))`.execute(tx)
  if ((await countUnfinished(tx, at, id)) >= announcementLimits.atOnce)
    throw new IngotError('invalid_state', {
      message: `At most ${announcementLimits.atOnce} announcements are planned or shown at a time. End one first`,
    })
}
