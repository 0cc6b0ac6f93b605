import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Driver } from '@ingot/compute/driver'
import { createSimulatedDriver } from '@ingot/compute/simulated/driver'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../db/test-database.ts'
import { useTestServer } from './test-server.ts'
import { a40 } from '../instances/test-rows.ts'
import { type Choosing, chooseDriver } from './first-start.ts'

let database: TestDatabase
let dir: string
let engineSocket: string
beforeAll(async () => {
  database = await createTestDatabase()
  dir = await mkdtemp(join(tmpdir(), 'ingot-first-start-'))
  engineSocket = join(dir, 'docker.sock')
  await writeFile(engineSocket, '')
})
afterAll(async () => {
  await database.close()
  await rm(dir, { recursive: true })
})
beforeEach(() => database.pool.query('delete from driver_choice'))

const simulated = createSimulatedDriver({ dir: null, now: Date.now })
const shows = (hardware: 'real' | 'simulated'): Driver => ({
  ...simulated,
  capabilities: { ...simulated.capabilities, hardware },
})
const regions = ['US-East', 'EU-West']
const choose = (found: Record<string, Driver>, needs: Partial<Choosing> = {}) =>
  chooseDriver({
    config: { role: 'both', regions: {} },
    db: database.kysely,
    regions,
    drivers: new Map(Object.entries({ simulated, ...found })),
    tryEngine: async () => null,
    engineSocket,
    ...needs,
  })

describe('the first start chooses', () => {
  test.each([
    [
      'an engine that sees cards',
      { sandbox: shows('real') },
      { tryEngine: async () => shows('real') },
      'docker',
    ],
    [
      'an engine that was named and sees cards',
      { 'docker:eu': shows('real'), sandbox: simulated },
      {},
      'docker:eu',
    ],
    ['the sandbox beside an engine without cards', { docker: simulated, sandbox: simulated }, {}, 'sandbox'],
    ['the sandbox with cards of its own', { sandbox: shows('real') }, {}, 'sandbox'],
    ['the sandbox where no engine is', { sandbox: simulated }, { engineSocket: '/nowhere' }, 'sandbox'],
    ['simulated machines where nothing else runs', {}, {}, 'simulated'],
  ])('%s', async (_, found, needs, driver) => {
    const choice = await choose(found, needs)
    expect(choice?.driver).toBe(driver)
    expect(choice?.why).not.toBe('')
    expect(choice?.address).toBe(driver === 'docker' ? `unix://${engineSocket}` : null)
  })

  test('once: later starts keep it, whatever they find', async () => {
    await choose({ sandbox: simulated })
    expect((await choose({ docker: shows('real') }))?.driver).toBe('sandbox')
    expect((await choose({}))?.driver).toBe('sandbox')
  })

  test('nothing where every region is bound, or where the server is one of several', async () => {
    expect(await choose({}, { config: { role: 'both', regions: { '*': 'simulated' } } })).toBeNull()
    const bound = { 'US-East': 'simulated', 'EU-West': 'simulated' }
    expect(await choose({}, { config: { role: 'both', regions: bound } })).toBeNull()
    expect(await choose({}, { config: { role: 'worker', regions: {} } })).toBeNull()
    expect((await database.pool.query('select * from driver_choice')).rows).toEqual([])
  })
})

describe('an installation that rents something out already', () => {
  const server = useTestServer({ worker: false })
  test('keeps the driver that it had, also where an engine with cards came meanwhile', async () => {
    const { client } = await server.user('25')
    await client.instances.create(a40({ start: false }))
    const choice = await choose(
      { docker: shows('real'), sandbox: simulated },
      { db: server.services.database.kysely },
    )
    expect(choice).toEqual({ driver: 'sandbox', address: null, why: 'as before' })
  })
})
