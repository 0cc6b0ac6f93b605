import { expect, test } from 'vitest'
import { a40 } from '../instances/test-rows.ts'
import { until, useTestServer } from '../product/test-server.ts'

const server = useTestServer({ env: { INGOT_AUTH_ANONYMOUS: 'true' } })

test('somebody anonymous has a wallet and pays for instances like everybody', async () => {
  const answer = await server.fetch('/auth/v1/signup', { method: 'POST', body: '{}' })
  expect(answer.status).toBe(200)
  const { access_token, user } = (await answer.json()) as { access_token: string; user: { id: string } }
  const client = server.client(access_token)
  expect((await client.wallet.get()).balance_usd).toBe('0.000000')
  const refused = await client.instances.create(a40()).catch((error: unknown) => error)
  expect(refused).toMatchObject({ code: 'insufficient_funds' })
  const { walletAddress } = await client.wallet.usdtConfig()
  await server.faucet(walletAddress, '50')
  await until(
    () => client.wallet.get(),
    wallet => wallet.balance_usd === '50.000000',
  )
  expect(await client.instances.create(a40())).toMatchObject({ user_id: user.id })
  const { rows } = await server.services.database.pool.query(
    'select is_anonymous, email from auth_user where id = $1',
    [user.id],
  )
  expect(rows).toEqual([{ is_anonymous: true, email: null }])
})
