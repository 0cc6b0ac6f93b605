import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { newId } from '../../db/ids.ts'
import { callAs, codeOf, refused, signedInAgain, useTestFactors, withTotp } from '../testing/factors.ts'

const { auth, enroll, challenge, verify, remove } = useTestFactors()

describe('a challenge', () => {
  test('works once, even with a code that was not used', async () => {
    const user = await withTotp(auth)
    const { token } = await signedInAgain(auth, user)
    const id = await challenge(token, user.factorId)
    expect((await verify(token, user.factorId, id, codeOf(user.secret, 1))).status).toBe(200)
    const reused = await verify(token, user.factorId, id, codeOf(user.secret, 1))
    expect(reused).toMatchObject(
      refused(422, 'mfa_ip_address_mismatch', 'Challenge and verify IP addresses mismatch.'),
    )
  })

  test('is answered once although many answers arrive at once', async () => {
    const user = await withTotp(auth)
    const { token } = await signedInAgain(auth, user)
    const ids = await Promise.all([0, 1, 2, 3].map(() => challenge(token, user.factorId)))
    const code = codeOf(user.secret, 1)
    const answers = await Promise.all(ids.map(id => verify(token, user.factorId, id, code)))
    expect(answers.map(answer => answer.status).toSorted()).toEqual([200, 422, 422, 422])
  })

  test('must be answered from the address that asked', async () => {
    const user = await withTotp(auth)
    const { token } = await signedInAgain(auth, user)
    const id = await challenge(token, user.factorId, '198.51.100.1')
    const code = codeOf(user.secret, 1)
    const elsewhere = await verify(token, user.factorId, id, code, '198.51.100.2')
    expect(elsewhere).toMatchObject(refused(422, 'mfa_ip_address_mismatch'))
    expect((await verify(token, user.factorId, id, code, '198.51.100.1')).status).toBe(200)
  })

  test('expires', async () => {
    const user = await withTotp(auth)
    const { token } = await signedInAgain(auth, user)
    const id = await challenge(token, user.factorId)
    await sql`update auth_factor_challenge set expires_at = now() where id = ${id}::uuid`.execute(
      auth.database.kysely,
    )
    const late = await verify(token, user.factorId, id, codeOf(user.secret, 1))
    expect(late).toMatchObject(refused(422, 'mfa_challenge_expired'))
  })

  test('of another factor, of none and of no form is unknown', async () => {
    const user = await withTotp(auth)
    const { body } = await enroll(user.token, { friendly_name: 'second' })
    const other = await challenge(user.token, body['id'] as string)
    for (const id of [other, newId(), 'nonsense', undefined]) {
      const answer = await verify(user.token, user.factorId, id, codeOf(user.secret, 1))
      expect(answer).toMatchObject(
        refused(422, 'mfa_factor_not_found', 'MFA factor with the provided challenge ID not found'),
      )
    }
  })

  test('needs a factor of one’s own, and a code', async () => {
    const [mine, theirs] = [await withTotp(auth), await withTotp(auth)]
    const unknown = refused(404, 'mfa_factor_not_found', 'Factor not found')
    for (const id of [theirs.factorId, newId()]) {
      const path = `/factors/${id}`
      expect(await callAs(auth, mine.token, 'POST', `${path}/challenge`, {})).toMatchObject(unknown)
      expect(await verify(mine.token, id, newId(), '123456')).toMatchObject(unknown)
      expect(await remove(mine.token, id)).toMatchObject(unknown)
    }
    expect(await verify(mine.token, 'x', newId(), '1')).toMatchObject(
      refused(404, 'validation_failed', 'factor_id must be an UUID'),
    )
    expect(await verify(mine.token, mine.factorId, newId(), '')).toMatchObject(
      refused(400, 'validation_failed', 'Code needs to be non-empty'),
    )
  })
})
