import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { inTransaction } from '../../db/database.ts'
import { newId } from '../../db/ids.ts'
import { type KnownSessionNeeds, openKnownSession } from './open-known-session.ts'
import { type SessionNeeds, startSession } from './start-session.ts'
import { defaultSettings } from '../settings.ts'
import { createTestAuth, siteUrl, type TestAuth } from '../testing/auth-server.ts'

let service: TestAuth
let auth: KnownSessionNeeds & SessionNeeds
beforeAll(async () => {
  service = await createTestAuth()
  const { database, vault } = service
  const config = { publicUrl: siteUrl, loopback: true }
  auth = { database, vault, settings: defaultSettings(config), siteUrl }
})
afterAll(() => service[Symbol.asyncDispose]())

const visitor = {
  ip: '198.51.100.7',
  userAgent: 'curl/8.9.1',
  redirectTo: siteUrl,
  places: [null, null] as const,
}
const hash = 'a hash'

/** A user who has signed in from that visitor's device once. */
async function makeUser() {
  const id = newId()
  await sql`insert into auth_user (id, email, password_hash) values (${id}, ${`${id}@example.com`}, ${hash})`.execute(
    auth.database.kysely,
  )
  const opening = { userId: id, method: 'password', visitor, password: { key: id, hash } }
  await inTransaction(auth.database.kysely, tx => startSession(tx, auth, opening))
  return opening
}

test('sign-ins that arrive together each open a session of their own user, all but the unusual ones', async () => {
  const [usual, other, changed, failed, newDevice, held] = await Promise.all(
    Array.from({ length: 6 }, makeUser),
  )
  await sql`select auth_note_failure(${failed!.password.key}, 5, 60)`.execute(auth.database.kysely)
  const opened = await auth.database.kysely.transaction().execute(async tx => {
    await sql`select 1 from auth_user where id = ${held!.userId} for update`.execute(tx)
    return Promise.all(
      [
        usual!,
        { ...changed!, password: { ...changed!.password, hash: 'an older hash' } },
        other!,
        failed!,
        usual!,
        {
          ...newDevice!,
          visitor: { ...visitor, userAgent: 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Firefox/140.0' },
        },
        held!,
      ].map(opening => openKnownSession(auth, opening)),
    )
  })
  expect(opened.map(one => one && one.user.id)).toEqual([
    usual!.userId,
    null,
    other!.userId,
    null,
    usual!.userId,
    null,
    null,
  ])
  const { rows } = await sql<{ user_id: string; ids: string[] }>`
    select user_id, array_agg(id::text order by id) as ids from auth_session group by user_id`.execute(
    auth.database.kysely,
  )
  const sessionsOf = ({ userId }: { userId: string }) => rows.find(row => row.user_id === userId)!.ids
  expect(sessionsOf(usual!).slice(1)).toEqual([opened[0]!.grant.id, opened[4]!.grant.id].toSorted())
  expect(sessionsOf(other!).slice(1)).toEqual([opened[2]!.grant.id])
  for (const unusual of [changed!, failed!, newDevice!, held!]) expect(sessionsOf(unusual)).toHaveLength(1)
  expect(opened[0]!.user.last_sign_in_at).toBe(opened[4]!.user.last_sign_in_at)
})
