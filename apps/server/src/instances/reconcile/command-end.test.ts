/** What becomes of an instance whose start command ends by itself. */
import { done, type Driver, exitText, type LogLine, type Observation } from '@ingot/compute/driver'
import { createSimulatedDriver } from '@ingot/compute/simulated/driver'
import type { Instance } from '@ingot/contracts/instances'
import { sql } from 'kysely'
import { Readable } from 'node:stream'
import { beforeEach, expect, test } from 'vitest'
import type { DriverName } from '../../config.ts'
import { type TestUser, until, useTestServer } from '../../product/test-server.ts'
import { ownTemplate } from '../../templates/test-rows.ts'
import { a40 } from '../test-rows.ts'

let machines: Driver
/** The run that has ended from inside, by ref, and how long it ran. */
const ends = new Map<string, { readonly run: string; readonly ranMs: number }>()
let log: readonly LogLine[] = []
const server = useTestServer({
  drivers: now => {
    machines = createSimulatedDriver({ dir: null, now, startMs: 0, stopMs: 0, restartStartMs: 0 })
    const ended = <T extends Observation>(ref: string, look: T): T => {
      const end = ends.get(ref)
      const { run } = look
      if (!end || run?.id !== end.run) return look
      return {
        ...look,
        state: 'stopped',
        run: { ...run, end: { at: run.beganAt + end.ranMs, cause: 'inside' } },
      }
    }
    const driver: Driver = {
      ...machines,
      async list() {
        const answer = await machines.list()
        return answer.kind === 'done' ? done(answer.value.map(each => ended(each.ref, each))) : answer
      },
      async observe(ref) {
        const answer = await machines.observe(ref)
        return answer.kind === 'done' ? done(ended(ref, answer.value)) : answer
      },
      logs: async () => done(Readable.from(log)),
    }
    return new Map<DriverName, Driver>([['simulated', driver]])
  },
})
beforeEach(() => {
  ends.clear()
  log = []
})

const says = (text: string, stream: LogLine['stream'] = 'stdout'): LogLine => ({
  at: Date.now(),
  stream,
  text,
})
const exited = (code: number) => [
  says('The main program starts.', 'machine'),
  says('loading'),
  says('no such file: \u001bmodel'),
  says(exitText({ code, signal: null }), 'machine'),
]

async function running(user: TestUser, command: string | null = 'serve'): Promise<Instance> {
  const { id: template_id } = await user.client.templates.create(ownTemplate({ start_command: command }))
  const { id } = await user.client.instances.create(a40({ template_id, auto_shutdown_enabled: false }))
  return runs(user, id)
}
const runs = ({ client }: TestUser, id: string, after = 0) =>
  until(
    () => client.instances.get({ id }),
    each => each.status === 'running' && Date.parse(each.started_at!) > after,
  )
/** Ends the run that there is and has it found. */
async function end(
  user: TestUser,
  { id }: Instance,
  ranMs: number,
  lines: readonly LogLine[],
): Promise<Instance> {
  log = lines
  const before = await user.client.instances.get({ id })
  const listed = await machines.list()
  const machine = listed.kind === 'done' && listed.value.find(each => each.instanceId === id)
  if (!machine || !machine.run) throw new Error('it does not run')
  await server.services.clock.advance(server.services.database.kysely, ranMs + 1_000)
  ends.set(machine.ref, { run: machine.run.id, ranMs })
  await sql`update driver_round set due_at = ${server.services.clock.iso()} where lock_token is null`.execute(
    server.services.database.kysely,
  )
  server.services.signals.send('driver_round')
  return until(
    () => user.client.instances.get({ id }),
    now => now.status === 'stopped' || (now.status === 'running' && now.started_at !== before.started_at),
  )
}
const actions = async ({ client }: TestUser, id: string) =>
  (await client.instances.instanceEvents({ id, limit: 100 })).items

test('a command that fails is started again, and its end is told with its code and its last lines', async () => {
  const user = await server.user('50')
  const box = await running(user)
  const again = await end(user, box, 20_000, exited(3))
  expect(again).toMatchObject({ status: 'running', status_reason: null })
  const told =
    'The start command ended with exit code 3, 20 seconds after its start. It is started again.\nloading\nno such file: �model'
  expect(again.status_message).toBe(told)
  const found = (await actions(user, box.id)).find(({ action }) => action === 'instance_command_ended')
  expect(found).toMatchObject({ message: told, actor: 'system' })
  const { items } = await user.client.activity.usageLogs({ instance_id: box.id })
  expect(items.find(({ action }) => action === 'instance_command_ended')).toMatchObject({ message: told })
})

test('every second that it ran is charged, and none between: five quick ends stop it', async () => {
  const user = await server.user('50')
  const box = await running(user)
  for (let n = 1; n < 5; n++) expect((await end(user, box, 10_000, exited(1))).status).toBe('running')
  const stopped = await end(user, box, 10_000, exited(1))
  expect(stopped).toMatchObject({ status: 'stopped', status_reason: 'crash_loop' })
  expect(stopped.status_message).toMatch(
    /ended with exit code 1, 10 seconds after its start\. It had ended 5 times, each within a minute, so it was not started again\./,
  )
  const { items } = await user.client.activity.usageLogs({ instance_id: box.id, limit: 100 })
  const seconds = items.reduce((sum, each) => sum + Number(each.seconds ?? 0), 0)
  expect(seconds).toBeGreaterThan(49)
  expect(seconds).toBeLessThan(56)

  // Whoever starts it again has five more.
  await user.client.instances.start({ id: box.id })
  await runs(user, box.id)
  expect((await end(user, box, 10_000, exited(1))).status).toBe('running')
})

test('an end after more than a minute begins the count anew', async () => {
  const user = await server.user('50')
  const box = await running(user)
  for (let n = 1; n < 5; n++) expect((await end(user, box, 10_000, exited(1))).status).toBe('running')
  expect((await end(user, box, 61_000, exited(1))).status).toBe('running')
  expect((await end(user, box, 10_000, exited(1))).status).toBe('running')
})

test('a command that ended with exit code 0 was done: the instance stops', async () => {
  const user = await server.user('50')
  const stopped = await end(user, await running(user), 10_000, exited(0))
  expect(stopped).toMatchObject({ status: 'stopped', status_reason: 'ended' })
  expect(stopped.status_message).toMatch(
    /^The start command ended with exit code 0, 10 seconds after its start\. You pay/,
  )
  expect(stopped.status_message).toMatch(/\nloading\n/)
})

test('without a start command, and without the money for ten minutes, nothing is started again', async () => {
  const user = await server.user('50')
  const plain = await end(user, await running(user, null), 10_000, exited(1))
  expect(plain).toMatchObject({ status: 'stopped', status_reason: 'ended' })
  expect(plain.status_message).not.toMatch(/start command/)

  const poor = await server.user('0.76')
  const stopped = await end(poor, await running(poor), 3_590_000, exited(1))
  expect(stopped).toMatchObject({ status: 'stopped', status_reason: 'ended' })
  expect(stopped.status_message).toMatch(/It was not started again: Insufficient funds in wallet\./)
})
