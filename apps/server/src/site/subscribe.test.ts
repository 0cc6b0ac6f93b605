import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { useTestServer } from '../product/test-server.ts'
import { refusal, tokenIn, useTestForms } from './test-forms.ts'

const server = useTestServer({ worker: false })
const { db, visitor, post, countOf, lettersTo } = useTestForms(server)

test('a waiting list holds an address once per product', async () => {
  const join = (email: string, product: 'model-registry' | 'edge-computing') =>
    visitor().site.joinWaitlist({ email, product })
  await Promise.all(Array.from({ length: 20 }, () => join('ada@example.com', 'model-registry')))
  await join('ADA@example.com', 'model-registry')
  await join('ada@example.com', 'edge-computing')
  expect(await countOf('site_waitlist')).toBe(2)
})

describe('a subscription', () => {
  const email = 'reader@example.com'
  const subscribe = (address = email) => visitor().site.subscribe({ email: address })
  const confirmToken = async () => {
    await subscribe()
    return tokenIn((await lettersTo(email)).at(0)!.text)
  }

  test('begins with the link in the mail and ends with the link in any later one; the address is erased', async () => {
    const token = await confirmToken()
    expect(await countOf('site_subscription', 'confirmed_at is not null')).toBe(0)
    expect(await countOf('site_token', `hash = '${token}'::bytea`)).toBe(0)
    expect(await visitor().site.confirmSubscription({ token })).toEqual({ email })
    expect(await visitor().site.confirmSubscription({ token })).toEqual({ email })
    expect(await countOf('site_subscription', 'confirmed_at is not null')).toBe(1)

    const letters = await lettersTo(email)
    expect(letters).toHaveLength(2)
    const end = tokenIn(letters[0]!.text)
    expect(letters[0]!.links[0]).toContain('/unsubscribe?token=')
    expect(await refusal(visitor().site.confirmSubscription({ token: end }))).toMatchObject({
      code: 'not_found',
    })
    expect(await refusal(visitor().site.unsubscribe({ token }))).toMatchObject({ code: 'not_found' })
    await visitor().site.unsubscribe({ token: end })
    await visitor().site.unsubscribe({ token: end })
    expect(await countOf('site_subscription', 'email is null and ended_at is not null')).toBe(1)
    expect(await refusal(visitor().site.confirmSubscription({ token }))).toMatchObject({ code: 'not_found' })

    await subscribe()
    expect(await countOf('site_subscription', 'email is not null and confirmed_at is null')).toBe(1)
    expect(await lettersTo(email)).toHaveLength(3)
  })

  test('asked for by twenty at once is one mail, and none when it stands already', async () => {
    await Promise.all(Array.from({ length: 20 }, (_, n) => subscribe(n % 2 ? email : email.toUpperCase())))
    const letters = await lettersTo(email)
    expect(letters).toHaveLength(1)
    const token = tokenIn(letters[0]!.text)
    await Promise.all(Array.from({ length: 5 }, () => visitor().site.confirmSubscription({ token })))
    await sql`delete from site_sent`.execute(db())
    await subscribe()
    expect(await lettersTo(email)).toHaveLength(2)
    expect(await countOf('site_subscription')).toBe(1)
  })

  test('does not begin with a link that has expired or was made up', async () => {
    const token = await confirmToken()
    await sql`update site_token set expires_at = now() - interval '1 second'`.execute(db())
    for (const each of [token, 'made-up', 'a'.repeat(100)])
      expect(await refusal(visitor().site.confirmSubscription({ token: each }))).toMatchObject({
        code: 'not_found',
      })
    expect((await post('/v1/subscriptions/confirm', { token: 'a'.repeat(101) })).status).toBe(422)

    await sql`select site_sweep(90)`.execute(db())
    expect(await countOf('site_subscription')).toBe(0)
  })
})
