/** Templates that customers make: what is said of them to whom, what is sealed, and what a deploy takes of them. */
import type { Driver, MachineSpec, RegistryCredentials } from '@ingot/compute/driver'
import { createSimulatedDriver } from '@ingot/compute/simulated/driver'
import { maxTemplates } from '@ingot/contracts/templates'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { deleteAccount } from '../accounts/delete-account.ts'
import type { DriverName } from '../config.ts'
import { a40, pytorch } from '../instances/test-rows.ts'
import { type TestUser, until, useTestServer } from '../product/test-server.ts'
import { ownTemplate } from './test-rows.ts'

const specs = new Map<string, MachineSpec>()
const access = new Map<string, RegistryCredentials | null | undefined>()
const server = useTestServer({
  drivers: now => {
    const driver = createSimulatedDriver({ dir: null, now, startMs: 0, stopMs: 0, restartStartMs: 0 })
    const told: Driver = {
      ...driver,
      create(spec, key, given) {
        specs.set(key, spec)
        access.set(key, given)
        return driver.create(spec, key)
      },
    }
    return new Map<DriverName, Driver>([['simulated', told]])
  },
})
const secret = 'hunter2-of-the-owner'
const full = ownTemplate({
  description: 'Serves a model.',
  env: { MODEL: 'small' },
  secrets: { HF_TOKEN: secret, OTHER: 'another-secret' },
  registry_credentials: { username: 'anna', password: secret },
  ports: [8000, 8000, 22],
  start_command: 'serve --port 8000 | tee log',
  disk_gb: 200,
  readme: '# Serves\n\nA *model*.',
})
async function running({ client }: TestUser, id: string): Promise<MachineSpec> {
  await until(
    () => client.instances.get({ id }),
    ({ status }) => status === 'running',
  )
  return specs.get(id)!
}

test('a template is made, changed and deleted by its owner, and no answer has a secret in it', async () => {
  const { client, id: owner } = await server.user('5')
  const made = await client.templates.create(full)
  expect(made).toMatchObject({
    name: 'Mine',
    visibility: 'private',
    is_public: false,
    is_mine: true,
    env: { MODEL: 'small' },
    secret_names: ['HF_TOKEN', 'OTHER'],
    has_registry_credentials: true,
    ports: [8000, 22],
    start_command: 'serve --port 8000 | tee log',
    disk_gb: 200,
    readme: full.readme,
    share_key: null,
  })
  const { id } = made
  const changed = await client.templates.update({
    id,
    name: ' Other ',
    secrets: { OTHER: null, NEW: 'third-secret' },
    registry_credentials: null,
    start_command: 'serve --all',
    disk_gb: null,
  })
  expect(changed).toMatchObject({
    name: 'Other',
    description: 'Serves a model.',
    secret_names: ['HF_TOKEN', 'NEW'],
    has_registry_credentials: false,
    start_command: 'serve --all',
    disk_gb: null,
  })
  expect(await client.templates.get({ id })).toEqual(changed)
  expect((await client.templates.mine()).items.map(each => each.name)).toEqual(['Other'])
  expect((await client.templates.list()).items.map(each => each.id)).not.toContain(id)
  await client.templates.delete({ id })
  await expect(client.templates.get({ id })).rejects.toMatchObject({ code: 'not_found' })
  const { items } = await client.activity.usageLogs({ limit: 10 })
  expect(items.map(each => each.action)).toEqual(
    expect.arrayContaining(['template_created', 'template_updated', 'template_deleted']),
  )
  const { rows } = await sql<{ all: string }>`
    select coalesce(string_agg(e::text, ''), '') || coalesce((select string_agg(i::text, '') from idempotency i), '') as all
    from event e where user_id = ${owner}`.execute(server.owner)
  for (const said of [JSON.stringify([made, changed, items]), rows[0]!.all])
    expect(said).not.toMatch(/hunter2|another-secret|third-secret/)
})

test('secrets are variables of the owner’s machines from the start, and of no clone', async () => {
  const user = await server.user('50')
  const { id: template_id } = await user.client.templates.create(full)
  const { id } = await user.client.instances.create(
    a40({ template_id, env: { MODEL: 'large' }, secrets: { OTHER: 'mine-this-time' } }),
  )
  expect(await running(user, id)).toMatchObject({
    image: 'registry.example.com/mine:1',
    command: ['/bin/sh', '-c', 'serve --port 8000 | tee log'],
    env: { MODEL: 'large', HF_TOKEN: secret, OTHER: 'mine-this-time' },
  })
  expect(access.get(id)).toEqual({ username: 'anna', password: secret })
  const { rows } = await sql<{ all: string }>`
    select (select string_agg(t::text, '') from gpu_templates t) || (select string_agg(t::text, '') from instance_template t) as all`.execute(
    server.owner,
  )
  const hex = (text: string) => Buffer.from(text).toString('hex')
  for (const word of [secret, 'mine-this-time']) {
    expect(rows[0]!.all).not.toContain(word)
    expect(rows[0]!.all).not.toContain(hex(word))
  }
  const clone = await user.client.instances.clone({ id, start: true })
  expect((await running(user, clone.id)).env).toEqual({ MODEL: 'large' })
  expect(access.get(clone.id)).toBeNull()
})

test('whoever has the link sees and deploys the template, without what is sealed; the link ends with the sharing', async () => {
  const [owner, stranger] = [await server.user('5'), await server.user('50')]
  const { id, share_key: none } = await owner.client.templates.create(full)
  expect(none).toBeNull()
  const shared = await owner.client.templates.update({ id, visibility: 'link' })
  const key = shared.share_key!
  expect((await owner.client.templates.update({ id, visibility: 'link' })).share_key).toBe(key)
  const seen = await stranger.client.templates.get({ id, key })
  expect(seen).toEqual({ ...shared, is_mine: false, share_key: null })
  const other = 'A'.repeat(32)
  for (const input of [{ id }, { id, key: other }])
    await expect(stranger.client.templates.get(input)).rejects.toMatchObject({ code: 'not_found' })
  for (const change of [
    () => stranger.client.templates.update({ id, name: 'Theirs' }),
    () => stranger.client.templates.delete({ id }),
  ])
    await expect(change()).rejects.toMatchObject({ code: 'not_found' })
  expect((await stranger.client.templates.mine()).items).toEqual([])

  const deploy = (template_key?: string) =>
    stranger.client.instances.create(
      a40({
        template_id: id,
        ...(template_key && { template_key }),
        secrets: { HF_TOKEN: 'the strangers own' },
      }),
    )
  await expect(deploy()).rejects.toMatchObject({ fields: { template_id: 'there is no such template' } })
  await expect(deploy(other)).rejects.toMatchObject({ fields: { template_id: 'there is no such template' } })
  const box = await deploy(key)
  expect((await running(stranger, box.id)).env).toEqual({ MODEL: 'small', HF_TOKEN: 'the strangers own' })
  expect(access.get(box.id)).toBeNull()
  expect((await stranger.client.instances.get({ id: box.id })).template_name).toBe('Mine')

  await owner.client.templates.update({ id, visibility: 'private' })
  await expect(stranger.client.templates.get({ id, key })).rejects.toMatchObject({ code: 'not_found' })
  await expect(deploy(key)).rejects.toMatchObject({ code: 'validation_failed' })
  expect((await owner.client.templates.update({ id, visibility: 'link' })).share_key).not.toBe(key)

  await deleteAccount(server.services, owner.id, { by: owner.id, balance: 'forfeit' })
  expect((await stranger.client.instances.get({ id: box.id })).template_name).toBe('Custom Template')
})

test('what is too much, or names one thing twice, is refused with its field', async () => {
  const { client, id: owner } = await server.user('5')
  const refused = async (changes: Parameters<typeof ownTemplate>[0], field: string) =>
    expect(
      client.templates.create(ownTemplate(changes)).catch(error => Object.keys(error.fields)),
    ).resolves.toEqual([field])
  await refused({ env: { A: '1' }, secrets: { A: '2' } }, 'secrets')
  await refused({ env: { 'NOT-A-NAME': '1' } }, 'env')
  await refused({ env: Object.fromEntries(Array.from({ length: 101 }, (_, n) => [`A${n}`, ''])) }, 'env')
  await refused(
    { secrets: Object.fromEntries(Array.from({ length: 9 }, (_, n) => [`A${n}`, 'é'.repeat(4_000)])) },
    'secrets',
  )
  await refused({ start_command: '  ' }, 'start_command')
  await refused({ start_command: 'x'.repeat(8_193) }, 'start_command')
  await refused({ docker_image: 'has space' }, 'docker_image')
  await refused({ ports: [0] }, 'ports.0')
  await sql`insert into gpu_templates (id, name, description, category, docker_image, is_public, owner)
    select gen_random_uuid(), 'x', '', 'LLM', 'x', false, ${owner} from generate_series(1, ${maxTemplates})`.execute(
    server.owner,
  )
  await refused({}, 'name')
})

test('a public template is staff’s alone to change, and everybody’s to see', async () => {
  const { client } = await server.user('5')
  expect(await client.templates.get({ id: pytorch })).toMatchObject({
    visibility: 'public',
    is_mine: false,
    env: {},
    secret_names: [],
    start_command: null,
  })
  await expect(client.templates.update({ id: pytorch, name: 'Mine now' })).rejects.toMatchObject({
    code: 'not_found',
  })
  await expect(client.templates.delete({ id: pytorch })).rejects.toMatchObject({ code: 'not_found' })
})
