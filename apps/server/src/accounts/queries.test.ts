import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { type TestUser, useTestServer } from '../product/test-server.ts'

const server = useTestServer({ worker: false })
const db = () => server.services.database.kysely
const chrome =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/129.0.0.0 Safari/537.36'

/** Signed in again, last active `minutes` ago. */
async function signInAgo(user: TestUser, minutes: number) {
  const session = await server.signIn(user.id, { userAgent: chrome, ip: `192.0.2.${minutes}` })
  await sql`update auth_session set last_active_at = now() - ${minutes} * interval '1 minute' where id = ${session.sessionId}`.execute(
    db(),
  )
  return session
}

test('the list: this one first, then by last activity, with what each signed in from', async () => {
  const user = await server.user()
  const [old, recent] = [await signInAgo(user, 30), await signInAgo(user, 10)]
  const stranger = await server.user()
  const { items, next_cursor } = await user.client.accounts.sessions({})
  expect(items.map(({ id, is_current }) => [id, is_current])).toEqual([
    [user.sessionId, true],
    [recent.sessionId, false],
    [old.sessionId, false],
  ])
  expect(items[1]).toMatchObject({ ip: '192.0.2.10', device: 'Linux computer', aal: 'aal1' })
  expect(items[1]!.browser).toContain('Chrome')
  expect(next_cursor).toBeNull()
  expect(JSON.stringify(items)).not.toContain(stranger.sessionId)
})

test('pages hold each session once', async () => {
  const user = await server.user()
  const others = await Promise.all([5, 4, 3, 2].map(minutes => signInAgo(user, minutes)))
  await sql`update auth_session set last_active_at = now() - interval '1 day' where id = ${user.sessionId}`.execute(
    db(),
  )
  const seen: string[] = []
  let cursor: string | undefined
  do {
    const page = await user.client.accounts.sessions({ limit: 2, ...(cursor ? { cursor } : {}) })
    seen.push(...page.items.map(({ id }) => id))
    cursor = page.next_cursor ?? undefined
  } while (cursor)
  expect(seen).toEqual([user.sessionId, ...others.toReversed().map(({ sessionId }) => sessionId)])
})
