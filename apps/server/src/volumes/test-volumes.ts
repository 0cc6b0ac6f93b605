/**
 * The whole server over simulated machines, for tests of volumes and snapshots: any call of the store can be replaced.
 * Used as the server is, at the top of a test file.
 */
import type { Driver } from '@ingot/compute/driver'
import { createSimulatedDriver } from '@ingot/compute/simulated/driver'
import type { VolumeStore } from '@ingot/compute/volumes'
import type { Instance } from '@ingot/contracts/instances'
import type { Volume } from '@ingot/contracts/volumes'
import { sql } from 'kysely'
import { beforeEach } from 'vitest'
import type { DriverName } from '../config.ts'
import { a40 } from '../instances/test-rows.ts'
import { type TestUser, until, useTestServer } from '../product/test-server.ts'
import { listMail } from '../worker/mail.ts'

export const second = 1_000
export const hour = 3_600_000
export const day = 24 * hour
export const data = { name: 'Data', size_gb: 50, region: 'US-East' } as const

export const balanceOf = async ({ client }: TestUser) => (await client.wallet.get({})).balance_usd
export const reach = ({ client }: TestUser, id: string, status: Volume['status']) =>
  until(
    () => client.volumes.get({ id }),
    each => each.status === status,
  )
export const reachInstance = ({ client }: TestUser, id: string, status: Instance['status']) =>
  until(
    () => client.instances.get({ id }),
    each => each.status === status,
  )
export const isGone = (user: TestUser, id: string) =>
  until(
    async () => (await user.client.volumes.list({})).items.filter(each => each.id === id),
    left => left.length === 0,
  )
export async function running(user: TestUser, input = a40()) {
  const { id } = await user.client.instances.create(input)
  return reachInstance(user, id, 'running')
}
/** What the log says of storage, newest first. */
export const noted = async (user: TestUser) =>
  (await user.client.activity.usageLogs({ kind: 'volume' })).items.map(({ action }) => action)

export function testVolumes() {
  let machines: Driver & { readonly volumes: VolumeStore }
  let instead: Partial<VolumeStore> = {}
  const server = useTestServer({
    drivers: now => {
      machines = createSimulatedDriver({ dir: null, now, startMs: 0, stopMs: 0, restartStartMs: 0 })
      const volumes = new Proxy(machines.volumes, {
        get: (own, key) => (instead as typeof own)[key as keyof VolumeStore] ?? own[key as keyof VolumeStore],
      })
      return new Map<DriverName, Driver>([['simulated', { ...machines, volumes } as Driver]])
    },
  })
  beforeEach(() => {
    instead = {}
  })
  const db = () => server.services.database.kysely
  /** Its store was asked to make it, and said when to ask again. */
  const isAsked = (id: string) =>
    until(
      () =>
        db()
          .selectFrom('network_volumes')
          .select(['due_at', 'created_at', 'lock_token'])
          .where('id', '=', id)
          .executeTakeFirstOrThrow(),
      row => row.lock_token === null && row.due_at !== row.created_at,
    )
  return {
    server,
    db,
    isAsked,
    machines: () => machines,
    /** The store itself, past what a test puts in its place. */
    store: () => machines.volumes,
    /** Puts these in place of the store's own, until the next call of this or the end of the test. */
    replace(calls: Partial<VolumeStore>) {
      instead = calls
    },
    async made(user: TestUser, input: Parameters<TestUser['client']['volumes']['create']>[0] = data) {
      const { id } = await user.client.volumes.create(input)
      await isAsked(id)
      await server.advance(30 * second)
      return reach(user, id, 'available')
    },
    async listed() {
      const answer = await machines.volumes.list()
      return answer.kind === 'done' ? answer.value.volumes : []
    },
    mailsOf: async ({ id }: TestUser) =>
      (await listMail(db(), server.services.vault)).filter(({ to }) => to === `${id}@example.com`),
    /** Nothing is left but cents. */
    async drain(user: TestUser) {
      const left = await balanceOf(user)
      await sql`select debit_wallet(${user.id}, ${BigInt(Math.round(Number(left) * 1_000_000))}, 'gone', gen_random_uuid(), ${server.services.clock.iso()})`.execute(
        server.owner,
      )
    },
    async fund(user: TestUser, usd: number) {
      const at = server.services.clock.iso()
      await sql`select credit_wallet(${user.id}, ${BigInt(usd * 1_000_000)}, 'funds', gen_random_uuid(), ${at})`.execute(
        server.owner,
      )
      await server.advance(second)
    },
  }
}
