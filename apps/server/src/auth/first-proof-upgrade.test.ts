import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { readMigrations } from '../db/migrate.ts'
import { createTestAuth, fragment, newEmail } from './testing/auth-server.ts'

test('accounts, links and codes from before the rule work on, and waiting ones wait for their first proof', async () => {
  await using auth = await createTestAuth({ mailSpacingSeconds: 0 })
  const db = auth.database.kysely
  const { owner } = auth.database
  const password = 'correct horse'
  const confirmed = await auth.signedIn()
  const [once, again, given] = [newEmail(), newEmail(), newEmail()]
  await auth.client().signUp({ email: once, password })
  for (const each of [password, 'another one']) await auth.client().signUp({ email: again, password: each })
  await auth.client().signUp({ email: given, password })
  // As an administrator's account lies.
  await sql`
    update auth_identity set last_sign_in_at = null
    where user_id = (select id from auth_user where email = ${given})`.execute(db)
  await sql`delete from auth_otp where user_id = (select id from auth_user where email = ${given})`.execute(
    db,
  )
  await sql`
    alter table auth_user drop column is_proved, drop column password_given, drop column password_dropped`.execute(
    owner.kysely,
  )
  await sql`alter table auth_otp drop column password_hash, drop column identity_id`.execute(owner.kysely)

  const migration = (await readMigrations()).find(({ name }) => name.startsWith('0019_'))!
  await owner.pool.query(migration.sql)

  const { rows } = await sql<{ email: string; is_proved: boolean }>`
    select email, is_proved from auth_user`.execute(db)
  expect(Object.fromEntries(rows.map(({ email, is_proved }) => [email, is_proved]))).toEqual({
    [confirmed.email]: true,
    [once]: false,
    [again]: false,
    [given]: true,
  })
  const open = async (email: string) =>
    fragment((await auth.follow((await auth.linksTo(email))[0]!)).location)
  const signIn = async (email: string) =>
    (await auth.client().signInWithPassword({ email, password })).error?.code ?? 'signed in'
  expect(await open(once)).toHaveProperty('access_token')
  expect(await signIn(once)).toBe('signed in')
  // Whose sign-up sent the newest link was not written down then.
  expect(await open(again)).toHaveProperty('access_token')
  expect(await signIn(again)).toBe('invalid_credentials')
  for (const email of [confirmed.email, given]) {
    await auth.client().signInWithOtp({ email })
    expect(await open(email)).toHaveProperty('access_token')
    expect(await signIn(email)).toBe('signed in')
  }
})
