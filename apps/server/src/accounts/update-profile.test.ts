import { expect, test } from 'vitest'
import { a40 } from '../instances/test-rows.ts'
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

test('company, role and use case may be left empty: an account without them deploys like any other', async () => {
  const { client } = await server.user('5')
  const empty = { company: '', role: '', use_case: '' } as const
  expect(await client.accounts.profile()).toMatchObject(empty)
  expect(await client.instances.create(a40({ start: false }))).toMatchObject({ status: 'stopped' })
  await client.accounts.update({ company: 'Engines', role: 'researcher', use_case: 'training' })
  await client.accounts.update(empty)
  expect(await client.accounts.profile()).toMatchObject(empty)
})
