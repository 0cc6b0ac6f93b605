/** Hosts and deploys of tests that go past the API: each test has a driver of its own, and its places add up after it. */
import type { Card, Host } from '@ingot/compute/driver'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest'
import { inTransaction } from '../db/database.ts'
import { newId } from '../db/ids.ts'
import { createTestDatabase, type TestDatabase } from '../db/test-database.ts'
import { assertPlacesSound } from './audit-places.ts'
import { listHosts } from './hosts.ts'
import { noteInventory } from './inventory.ts'
import { countStock, NoPlace, placeInstance } from './places.ts'

export const gibibyte = 2 ** 30
export const now = () => new Date().toISOString()

export interface Box {
  readonly id: string
  readonly host: bigint
  readonly cards: string[]
}

export function usePlaces() {
  let database: TestDatabase
  let owner = ''
  /** A driver of its own for each test. */
  let driver = ''
  let drivers = 0
  beforeAll(async () => {
    database = await createTestDatabase()
    owner = newId()
    await sql`insert into auth_user (id) values (${owner})`.execute(database.kysely)
  })
  afterAll(() => database.close())
  beforeEach(() => void (driver = `driver-${++drivers}`))
  afterEach(() => assertPlacesSound(database.kysely))

  const db = () => database.kysely
  const cardsOf = (name: string, count: number, model = 'NVIDIA A40'): Card[] =>
    Array.from({ length: count }, (_, n) => ({
      uuid: `GPU-${driver}-${name}-${n}`,
      model,
      memoryBytes: 48 * gibibyte,
    }))
  const hostOf = (id: string, cards: readonly Card[] | null, more: Partial<Host> = {}): Host => ({
    id,
    machines: 100,
    cpuCores: 1_000,
    memoryBytes: 10_000 * gibibyte,
    diskBytes: null,
    cards,
    ...more,
  })
  const tell = (...hosts: Host[]) => noteInventory(db(), driver, hosts, 1)

  /** Deploys one as it is deployed, in a transaction of its own. */
  async function deploy(
    gpu_count: number,
    gpu_type = 'A40',
    { paidUntil = null as string | null, storage_gb = 140 } = {},
  ): Promise<Box> {
    const id = newId()
    const at = now()
    const size = { gpu_type, gpu_count, cpu_cores: 8 * gpu_count, memory_gb: 48 * gpu_count }
    const host = await inTransaction(db(), async tx => {
      const wish = { id, driver, region: 'US-East', ...size, storage_gb, host_id: null }
      const host_id = await placeInstance(tx, wish, at, null)
      const row = {
        id,
        user_id: owner,
        name: 'box',
        ...size,
        system_storage_gb: 40,
        data_storage_gb: storage_gb - 40,
        region: 'US-East',
      }
      const kind = {
        hardware: 'simulated',
        shell: 'simulated',
        billing_period: 'hourly',
        hourly_cost_micro: 1n,
      } as const
      await tx
        .insertInto('gpu_instances')
        .values({
          ...row,
          ...kind,
          status: 'starting',
          desired: 'running',
          driver,
          host_id,
          paid_until: paidUntil,
          due_at: null,
          created_at: at,
          updated_at: at,
        })
        .execute()
      return host_id
    })
    const { rows } = await sql<
      Pick<Box, 'cards'>
    >`select cards from allocation where instance_id = ${id}`.execute(db())
    return { id, host, cards: rows[0]!.cards }
  }
  const start = (box: Box, gpu_count: number) =>
    inTransaction(db(), async tx => {
      const wish = {
        id: box.id,
        driver,
        region: 'US-East',
        gpu_type: 'A40',
        gpu_count,
        cpu_cores: 8 * gpu_count,
        memory_gb: 48 * gpu_count,
      }
      const host = await placeInstance(tx, { ...wish, storage_gb: 140, host_id: box.host }, now(), null)
      await sql`update gpu_instances set status = 'starting' where id = ${box.id}`.execute(tx)
      return host
    })
  const set = async ({ id }: Pick<Box, 'id'>, status: 'stopping' | 'stopped' | 'terminated') => {
    await sql`update gpu_instances set status = ${status} where id = ${id}`.execute(db())
  }
  const why = async (work: Promise<unknown>): Promise<string> => {
    const error = await work.then(
      () => null,
      thrown => thrown as unknown,
    )
    if (!(error instanceof NoPlace)) throw new Error(`no refusal: ${String(error)}`)
    return error.reason
  }
  const stock = async (type = 'A40') => (await countStock(db(), [driver], [type])).get(driver)?.get(type)
  const hosts = async () =>
    (await listHosts(db(), { limit: 1_000 })).items.filter(host => host.driver === driver)

  return {
    db,
    /** Past the rights of the server. */
    owner: () => database.owner.kysely,
    pool: () => database.pool,
    driver: () => driver,
    /** What follows is told and deployed by another one. */
    use: (name: string) => void (driver = name),
    cardsOf,
    hostOf,
    tell,
    deploy,
    start,
    set,
    why,
    stock,
    hosts,
  }
}
