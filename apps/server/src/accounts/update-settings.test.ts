import { defaultUserSettings } from '@ingot/contracts/accounts'
import { expect, test } from 'vitest'
import { useTestServer } from '../product/test-server.ts'

const server = useTestServer({ worker: false })

test('everybody starts with the defaults', async () => {
  const { client } = await server.user()
  expect(await client.accounts.settings()).toEqual(defaultUserSettings)
})

test('the table’s own defaults are the same', async () => {
  const { client } = await server.user()
  expect(await client.accounts.updateSettings({})).toEqual(defaultUserSettings)
})

test('only what is sent changes, and only one’s own', async () => {
  const [ada, bob] = [await server.user(), await server.user()]
  await ada.client.accounts.updateSettings({ sms_notifications: true })
  const changed = { ...defaultUserSettings, sms_notifications: true, auto_shutdown_minutes: 5 }
  expect(await ada.client.accounts.updateSettings({ auto_shutdown_minutes: 5 })).toEqual(changed)
  expect(await ada.client.accounts.settings()).toEqual(changed)
  expect(await bob.client.accounts.settings()).toEqual(defaultUserSettings)
})

test('first changes made at once are all kept', async () => {
  const { client } = await server.user()
  await Promise.all([
    client.accounts.updateSettings({ marketing_emails: true }),
    client.accounts.updateSettings({ usage_alerts: false }),
    client.accounts.updateSettings({ auto_shutdown_minutes: 480 }),
  ])
  expect(await client.accounts.settings()).toMatchObject({
    marketing_emails: true,
    usage_alerts: false,
    auto_shutdown_minutes: 480,
  })
})

test.each([4, 481, 5.5, '60'])('auto-shutdown after %s minutes is refused with its field', async minutes => {
  const { client } = await server.user()
  const change = client.accounts.updateSettings({ auto_shutdown_minutes: minutes as number })
  await expect(change).rejects.toMatchObject({
    status: 422,
    fields: { auto_shutdown_minutes: expect.any(String) as string },
  })
  expect(await client.accounts.settings()).toEqual(defaultUserSettings)
})
