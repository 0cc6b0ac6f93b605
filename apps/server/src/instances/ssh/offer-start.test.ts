/** Which keys open an instance, and a stopped one that is started from a terminal. */
import { setTimeout as sleep } from 'node:timers/promises'
import { IngotError } from '@ingot/contracts/errors'
import ssh2 from 'ssh2'
import { expect, test } from 'vitest'
import { type TestUser, until } from '../../product/test-server.ts'
import { a40 } from '../test-rows.ts'
import { useGateway } from './test-clients.ts'

const gateway = await useGateway()
const { port, server } = gateway
const region = 'Middle-East'

/** A client with a terminal: what it shows, and what it ended with. */
async function terminal(username: string, key: string, pty = true) {
  const client = new ssh2.Client()
  const lost = new Promise<void>(resolve => client.once('close', resolve))
  client.on('error', () => {})
  client.connect({ host: '127.0.0.1', port, username, privateKey: key })
  const isIn = await Promise.race([
    new Promise<true>(resolve => client.once('ready', () => resolve(true))),
    lost.then(() => false),
  ])
  if (!isIn) return null
  return { client, lost, ...(await open(client, pty)) }
}

async function open(client: ssh2.Client, pty = true) {
  const shown = { text: '', code: null as number | null }
  const channel = await new Promise<ssh2.ClientChannel>((resolve, reject) =>
    client.shell(pty ? { term: 'xterm' } : false, (error, opened) =>
      error ? reject(error) : resolve(opened),
    ),
  )
  for (const stream of [channel, channel.stderr])
    stream.on('data', (data: Buffer) => (shown.text += String(data)))
  channel.on('exit', (code: number) => (shown.code = code))
  return {
    channel,
    shown,
    says: (text: string) =>
      until(
        async () => shown.text,
        now => now.includes(text),
      ),
  }
}

const stopped = async (user: TestUser, id: string) => {
  await user.client.instances.stop({ id })
  await until(
    () => user.client.instances.get({ id }),
    each => each.status === 'stopped',
  )
}

test('only the keys that were chosen open it, on deploy and later, and another’s key can’t be chosen', async () => {
  const [user, other] = [await server.user('50'), await server.user('50')]
  const [one, two, strange] = [await gateway.key(user), await gateway.key(user), await gateway.key(other)]
  const wish = (ssh_key_ids: string[]) => user.client.instances.create(a40({ region, ssh_key_ids }))
  const refused = await wish([one.id, strange.id]).catch((error: unknown) => error)
  expect(refused).toBeInstanceOf(IngotError)
  expect((refused as IngotError).fields).toEqual({ ssh_key_ids: 'names a key that you do not have' })

  const box = await gateway.instance(user, { region, ssh_key_ids: [one.id] })
  expect(box.key_ids).toEqual([one.id])
  expect(await terminal(box.user, two.text)).toBeNull()
  const first = (await terminal(box.user, one.text))!
  expect((await user.client.instances.changeSsh({ id: box.id, key_ids: [two.id] })).key_ids).toEqual([two.id])
  await first.lost
  expect(first.shown.text).toMatch('You may not be connected any more')
  expect(await terminal(box.user, one.text)).toBeNull()
  ;(await terminal(box.user, two.text))!.client.end()
  // A clone is opened by the same ones, and one that is gone opens nothing and widens nothing.
  await user.client.ssh.deleteKey({ id: two.id })
  expect((await user.client.instances.ssh({ id: box.id })).key_ids).toEqual([])
  expect(await terminal(box.user, one.text)).toBeNull()
  const copy = await user.client.instances.clone({ id: box.id, start: false })
  expect((await user.client.instances.ssh({ id: copy.id })).key_ids).toEqual([])
  await user.client.instances.changeSsh({ id: box.id, key_ids: null })
  ;(await terminal(box.user, one.text))!.client.end()
})

test('a stopped instance offers to start where its owner allowed it, for the price that it shows', async () => {
  const user = await server.user('50')
  const key = await gateway.key(user)
  const box = await gateway.instance(user, { region })
  await stopped(user, box.id)
  const not = (await terminal(box.user, key.text))!
  await not.says('is stopped. It can be reached by SSH while it runs')
  not.client.end()

  await user.client.instances.changeSsh({ id: box.id, offers_start: true })
  const { hourly_cost } = await user.client.instances.get({ id: box.id })
  const without = (await terminal(box.user, key.text, false))!
  await without.says('It can be reached by SSH while it runs')
  without.client.end()

  const no = (await terminal(box.user, key.text))!
  await no.says(`It costs $${Number(hourly_cost).toFixed(2)}`)
  no.channel.write('\r')
  await no.says('It was not started.')
  await until(
    async () => no.shown.code,
    code => code === 255,
  )
  no.client.end()
  expect((await user.client.instances.get({ id: box.id })).status).toBe('stopped')

  const yes = (await terminal(box.user, key.text))!
  await yes.says('[y/N]')
  yes.channel.write('y')
  await yes.says('it runs.')
  yes.channel.write('whoami\r')
  await yes.says('root')
  const { items } = await user.client.instances.instanceEvents({ id: box.id })
  expect(
    items.find(({ action }) => action === 'instance_starting' || action === 'instance_started'),
  ).toBeDefined()
  expect(items.find(({ operation }) => operation === 'ssh')).toMatchObject({ actor: 'user' })
  // It is watched like any other from then on.
  await user.client.ssh.deleteKey({ id: key.id })
  await yes.lost
  expect(yes.shown.text).toMatch('You may not be connected any more')
})

test('two sessions of one client that both ask for the start have it once, and both are inside', async () => {
  const user = await server.user('50')
  const key = await gateway.key(user)
  const box = await gateway.instance(user, { region })
  await user.client.instances.changeSsh({ id: box.id, offers_start: true })
  await stopped(user, box.id)
  const starts = async () =>
    (await user.client.instances.instanceEvents({ id: box.id })).items.filter(
      ({ action }) => action === 'instance_started',
    ).length
  const before = await starts()
  const one = (await terminal(box.user, key.text))!
  const both = [one, await open(one.client)]
  for (const each of both) await each.says('[y/N]')
  for (const each of both) each.channel.write('y')
  for (const each of both) {
    await each.says('it runs.')
    each.channel.write('whoami\r')
    await each.says('root')
  }
  expect(await starts()).toBe(before + 1)
  // It is watched once: its end is told once.
  await user.client.ssh.deleteKey({ id: key.id })
  await one.lost
  for (const each of both) expect(each.shown.text.split('You may not be connected any more')).toHaveLength(2)
})

test('a start is refused in words: without funds, once the price changed, and once the key is gone', async () => {
  const user = await server.user('50')
  const key = await gateway.key(user)
  const box = await gateway.instance(user, { region })
  await user.client.instances.changeSsh({ id: box.id, offers_start: true })
  await stopped(user, box.id)
  const asked = async () => {
    const client = (await terminal(box.user, key.text))!
    await client.says('[y/N]')
    return client
  }
  const expensive = await asked()
  await user.client.instances.update({ id: box.id, data_storage_gb: 1000 })
  expensive.channel.write('y')
  await expensive.says('It was changed meanwhile')
  const late = await asked()
  await user.client.ssh.deleteKey({ id: key.id })
  late.channel.write('y')
  await late.says('You may not be connected any more')
  await sleep(50)
  expect((await user.client.instances.get({ id: box.id })).status).toBe('stopped')
  for (const { client } of [expensive, late]) client.end()
})
