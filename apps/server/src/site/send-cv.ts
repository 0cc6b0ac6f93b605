/**
 * The CV of an application comes before the rest of it, as bytes. It waits for that for an hour, sealed, under a ticket
 * that only its sender has; what nobody applies with is deleted.
 */
import { createHash, randomBytes } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import { IngotError } from '@ingot/contracts/errors'
import type { Parsed } from '@ingot/contracts/operation'
import {
  cvMinutes,
  cvNotWhole,
  cvTooLate,
  cvTooLarge,
  sampleJobRefusal,
  sampleJobs,
  type site,
  siteLimits,
} from '@ingot/contracts/site'
import type { SiteFile } from '@ingot/contracts/site/content'
import { sql } from 'kysely'
import type { Db, Tx } from '../db/database.ts'
import type { Received } from '../http/bind.ts'
import type { Vault } from '../vault.ts'
import { type Cv, readCv } from './cv.ts'

/** Of all senders together: 500 MB. */
const mostWaiting = 100

const hashOf = (ticket: string): Buffer => createHash('sha256').update(ticket).digest()
const contextOf = (hash: Buffer): string => `site-cv:${hash.toString('base64url')}`
const refuse = (why: string) => new IngotError('validation_failed', { fields: { cv: why } })

/** The title of an open position. */
export function assertCollected({ jobs }: SiteFile, id: string): string {
  const job = jobs?.find(each => each.id === id)
  if (job) return job.title
  if (jobs === undefined && Object.hasOwn(sampleJobs, id))
    throw new IngotError('invalid_state', { message: sampleJobRefusal })
  throw new IngotError('validation_failed', { fields: { job_id: 'is no open position' } })
}

export async function sendCv(
  db: Db,
  { vault, siteFile }: { readonly vault: Vault; readonly siteFile: SiteFile },
  { job_id, cv_name, sha256 }: Parsed<typeof site.sendCv>,
  received: Received,
): Promise<{ ticket: string; expires_at: string }> {
  const bytes = await read(received, siteFile, job_id)
  if (sha256 !== undefined && sumOf(bytes) !== sha256) throw refuse(cvNotWhole)
  const { name, type } = readCv(cv_name, bytes)
  const ticket = randomBytes(32).toString('base64url')
  const hash = hashOf(ticket)
  const expires_at = new Date(Date.now() + cvMinutes * 60_000).toISOString()
  await sql`delete from site_cv where expires_at < now()`.execute(db)
  const { rows } = await sql`
    insert into site_cv (hash, name, type, sealed, expires_at)
    select ${hash}, ${name}, ${type}, ${vault.seal(bytes, contextOf(hash))}, ${expires_at}
    where (select count(*) from site_cv) < ${mostWaiting} returning 1`.execute(db)
  if (rows.length === 0) throw new IngotError('rate_limited')
  return { ticket, expires_at }
}

async function read({ length, data }: Received, siteFile: SiteFile, jobId: string): Promise<Buffer> {
  try {
    assertCollected(siteFile, jobId)
    if (length > siteLimits.cv) throw refuse(cvTooLarge)
    return await buffer(data).catch(() => {
      throw refuse(cvNotWhole)
    })
  } finally {
    // Whoever is refused hears why when all of it was taken.
    data.resume()
  }
}

const sumOf = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex')

/** Gives it to one application. */
export async function takeCv(tx: Tx, { vault }: { readonly vault: Vault }, ticket: string): Promise<Cv> {
  const hash = hashOf(ticket)
  const row = await tx
    .deleteFrom('site_cv')
    .where('hash', '=', hash)
    .where('expires_at', '>', sql<string>`now()`)
    .returning(['name', 'type', 'sealed'])
    .executeTakeFirst()
  if (!row) throw refuse(cvTooLate)
  return { name: row.name, type: row.type, bytes: vault.open(row.sealed, contextOf(hash)) }
}
