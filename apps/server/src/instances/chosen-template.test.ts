/** An instance starts as its customer chose, whatever becomes of the template. */
import {
  type Driver,
  type MachineSpec,
  notYet,
  type Progress,
  type RegistryCredentials,
} from '@ingot/compute/driver'
import { createSimulatedDriver } from '@ingot/compute/simulated/driver'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { deleteAccount } from '../accounts/delete-account.ts'
import type { DriverName } from '../config.ts'
import { newId } from '../db/ids.ts'
import { type TestUser, until, useTestServer } from '../product/test-server.ts'
import { sealCredentials } from '../templates/registry-credentials.ts'
import { a40 } from './test-rows.ts'

const specs: MachineSpec[] = []
/** What images were to be pulled with, by instance. */
const access = new Map<string, RegistryCredentials | null | undefined>()
/** A start waits for its image while there is one. */
let progress: Progress | null = null
const server = useTestServer({
  drivers: now => {
    const driver = createSimulatedDriver({ dir: null, now, startMs: 0, stopMs: 0, restartStartMs: 0 })
    const told: Driver = {
      ...driver,
      async create(spec, key, given) {
        specs.push(spec)
        access.set(key, given)
        return progress ? notYet(50, progress) : driver.create(spec, key)
      },
    }
    return new Map<DriverName, Driver>([['simulated', told]])
  },
})
const ask = async <Row>(query: ReturnType<typeof sql<Row>>) => (await query.execute(server.owner)).rows
const imagesOf = (id: string) => specs.filter(spec => spec.instanceId === id).map(spec => spec.image)
const credentials = { username: 'anna', password: 'correct horse' }
const startOf = (id: string) => ask(sql`select * from instance_template where instance_id = ${id}`)

async function templateOf(owner: TestUser | null, isPublic = false): Promise<string> {
  const id = newId()
  await ask(sql`
    insert into gpu_templates (id, name, description, category, docker_image, is_public, owner, command, env, ports, registry_credentials)
    values (${id}, 'Mine', 'mine', 'Custom', 'registry.example.com/mine:1', ${isPublic}, ${owner?.id ?? null}, '{serve,--port,8000}',
      '{"MODEL": "small"}', '{8000}', ${owner && !isPublic ? sealCredentials(server.services.vault, owner.id, credentials) : null})`)
  return id
}
const becomes = ({ client }: TestUser, id: string, status: string) =>
  until(
    () => client.instances.get({ id }),
    instance => instance.status === status,
  )

test('a template that is edited or deleted changes no machine that was made from it, and no clone of that', async () => {
  const user = await server.user('50')
  const { client } = user
  const template_id = await templateOf(user)
  const { id } = await client.instances.create(a40({ template_id }))
  await becomes(user, id, 'running')
  await ask(sql`update gpu_templates set docker_image = 'other:2', env = '{}' where id = ${template_id}`)
  await client.instances.stop({ id })
  await becomes(user, id, 'stopped')
  await ask(sql`delete from gpu_templates where id = ${template_id}`)
  await client.instances.start({ id })
  await becomes(user, id, 'running')
  expect(new Set(imagesOf(id))).toEqual(new Set(['registry.example.com/mine:1']))
  expect(imagesOf(id).length).toBeGreaterThan(1)
  for (const spec of specs.filter(({ instanceId }) => instanceId === id))
    expect(spec).toMatchObject({
      tenant: user.id,
      command: ['serve', '--port', '8000'],
      env: { MODEL: 'small' },
    })
  const kept = {
    docker_image: 'registry.example.com/mine:1',
    command: ['serve', '--port', '8000'],
    env: { MODEL: 'small' },
    ports: [8000],
    network: true,
    secrets: null,
    quick_ends: 0,
  }
  expect(await startOf(id)).toEqual([{ ...kept, instance_id: id, registry_credentials: expect.any(Buffer) }])
  expect(access.get(id)).toEqual(credentials)
  const clone = await client.instances.clone({ id, start: true })
  await becomes(user, clone.id, 'running')
  expect(imagesOf(clone.id)).toEqual(['registry.example.com/mine:1'])
  expect(await startOf(clone.id)).toEqual([{ ...kept, instance_id: clone.id, registry_credentials: null }])
  expect(access.get(clone.id)).toBeNull()
})

test('credentials that were sealed for somebody else open nothing, and the start says so', async () => {
  const user = await server.user('50')
  const template_id = await templateOf(user)
  const theirs = sealCredentials(server.services.vault, newId(), credentials)
  await ask(sql`update gpu_templates set registry_credentials = ${theirs} where id = ${template_id}`)
  const { id } = await user.client.instances.create(a40({ template_id }))
  expect(await becomes(user, id, 'stopped')).toMatchObject({
    status_reason: 'start_failed',
    status_message: 'The credentials of the image’s registry can’t be read. Enter them again.',
  })
  expect(access.has(id)).toBe(false)
})

test('what a start waits for is told for as long as it waits', async () => {
  const user = await server.user('50')
  progress = { what: 'pulling_image', doneBytes: 430, totalBytes: 1_000 }
  const { id } = await user.client.instances.create(a40())
  await until(
    () => user.client.instances.get({ id }),
    ({ progress: told }) => told !== null,
  )
  expect((await user.client.instances.list({})).items[0]).toMatchObject({
    status: 'starting',
    progress: { what: 'pulling_image', done_bytes: 430, total_bytes: 1_000 },
  })
  progress = null
  expect(await becomes(user, id, 'running')).toMatchObject({ progress: null })
})

test('a private template is its owner’s alone, and goes with the account', async () => {
  const [owner, stranger] = [await server.user('5'), await server.user('5')]
  const template_id = await templateOf(owner)
  await expect(stranger.client.instances.create(a40({ template_id }))).rejects.toMatchObject({
    code: 'validation_failed',
    fields: { template_id: 'there is no such template' },
  })
  const { id } = await owner.client.instances.create(a40({ template_id, start: false }))
  expect((await owner.client.instances.get({ id })).template_id).toBe(template_id)
  const listed = (await stranger.client.templates.list()).items
  expect(listed.map(each => each.id)).not.toContain(template_id)
  for (const each of listed) expect(Object.keys(each)).not.toContain('env')
  await owner.client.instances.delete({ id })
  // What was given to the machine goes with it.
  await until(
    () => startOf(id),
    rows => rows.length === 0,
  )
  await deleteAccount(server.services, owner.id, { by: owner.id, balance: 'forfeit' })
  expect(await ask(sql`select id from gpu_templates where id = ${template_id}`)).toEqual([])
})

test('nothing without an owner is private, and nobody’s credentials are public', async () => {
  await expect(templateOf(null)).rejects.toThrow('a_private_template_is_somebodys')
  const open = await templateOf(null, true)
  await expect(
    ask(sql`update gpu_templates set registry_credentials = 'x' where id = ${open}`),
  ).rejects.toThrow('credentials_are_somebodys')
})
