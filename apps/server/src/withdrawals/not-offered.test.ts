import { expect, test } from 'vitest'
import { useTestServer } from '../product/test-server.ts'

const server = useTestServer({ worker: false })

test('nobody takes money out where the operator does not offer it', async () => {
  const { client } = await server.user('25')
  expect(await client.withdrawals.terms()).toMatchObject({ is_offered: false })
  await expect(
    client.withdrawals.request({ amount: '10', address: 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t' }),
  ).rejects.toMatchObject({ code: 'invalid_state' })
})
