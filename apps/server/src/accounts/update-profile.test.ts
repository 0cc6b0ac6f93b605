import { expect, test } from 'vitest'
import { useTestServer } from '../product/test-server.ts'

const server = useTestServer({ worker: false })

test('the plan is the server’s: a call that sends one names the field and changes nothing', async () => {
  const { client } = await server.user()
  const wish = { company: 'Engines', plan_name: 'Enterprise' }
  await expect(client.accounts.update(wish)).rejects.toMatchObject({
    code: 'validation_failed',
    fields: { plan_name: expect.any(String) },
  })
  expect(await client.accounts.profile()).toMatchObject({ company: '', plan_name: 'Free' })
})
