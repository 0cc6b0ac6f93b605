/** The part of the suite about machines: created once, asked again and again, found again, and gone when destroyed. */
import { Readable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import type { Answer, Driver, Ref } from '../driver.ts'
import { type Subject, size } from './subject.ts'

const unknownRefs = ['no-such-machine', '', '..', '../../etc/passwd', 'b'.repeat(5_000), '\u0000']
const lost = { kind: 'failed', failure: 'lost' }

/** Calls that need a machine that runs. */
const callsOfRunning: Readonly<Record<string, (driver: Driver, ref: Ref) => Promise<Answer<unknown>>>> = {
  attach: (driver, ref) => driver.attach(ref, 'main', size),
  exec: (driver, ref) => driver.exec(ref, { command: ['uname'] }),
  connect: (driver, ref) => driver.connect(ref, 7),
  stats: (driver, ref) => driver.stats(ref),
  cpuTime: (driver, ref) => driver.cpuTime(ref),
}

/** Calls that need a machine. */
const callsOfAny: typeof callsOfRunning = {
  ...callsOfRunning,
  start: (driver, ref) => driver.start(ref),
  stop: (driver, ref) => driver.stop(ref),
  logs: (driver, ref) => driver.logs(ref),
  list: (driver, ref) => driver.files(ref).list('/'),
  stat: (driver, ref) => driver.files(ref).stat('/'),
  read: (driver, ref) => driver.files(ref).read('/etc/hostname'),
  write: (driver, ref) => driver.files(ref).write('/root/a', Readable.from(['a'])),
  makeFolder: (driver, ref) => driver.files(ref).makeFolder('/root/a'),
  rename: (driver, ref) => driver.files(ref).rename('/root/a', '/root/b'),
  remove: (driver, ref) => driver.files(ref).remove('/root/a'),
}

export function describeMachines(subject: Subject): void {
  const { asked, create, driver, held, running, spec, state, value } = subject

  describe('machines', () => {
    it('one key makes one machine, also when asked twice at once', async () => {
      const wanted = spec()
      const [first, second] = await Promise.all([create(wanted), create(wanted)])
      expect(second).toBe(first)
      expect(await create(wanted)).toBe(first)
      expect([...(await held()).values()]).toMatchObject([{ ref: first, instanceId: wanted.instanceId }])
    })

    it('two keys make two machines, and each carries its instance id', async () => {
      const [one, two] = [spec(), spec()]
      const refs = [await create(one), await create(two)]
      const all = await held()
      expect(all.size).toBe(2)
      expect(all.get(refs[0]!)?.instanceId).toBe(one.instanceId)
      expect(all.get(refs[1]!)?.instanceId).toBe(two.instanceId)
    })

    it('a created machine is stopped until it is started', async () => {
      expect(await state(await create())).toBe('stopped')
    })

    it('start ends running, and asked again it is done', async () => {
      const ref = await create()
      await asked(() => driver().start(ref))
      expect(['starting', 'running']).toContain(await state(ref))
      expect(await value(() => driver().start(ref))).toMatchObject({ state: 'running' })
      const again = await asked(() => driver().start(ref))
      expect(again).toMatchObject({ kind: 'done', value: { state: 'running' } })
      expect(await state(ref)).toBe('running')
    })

    it('stop ends stopped, and asked again, or of a machine never started, it is done', async () => {
      const ref = await create()
      expect(await asked(() => driver().stop(ref))).toMatchObject({ kind: 'done' })
      await value(() => driver().start(ref))
      await asked(() => driver().stop(ref))
      expect(['stopping', 'stopped']).toContain(await state(ref))
      await value(() => driver().stop(ref))
      expect(await asked(() => driver().stop(ref))).toMatchObject({ kind: 'done' })
      expect(await state(ref)).toBe('stopped')
    })

    it('each start makes a run of its own: one at every look, and ended as it was asked to', async () => {
      const ref = await create()
      const look = () => value(() => driver().observe(ref))
      expect((await look()).run).toBeNull()
      const runs = new Set<string>()
      for (let round = 0; round < 2; round++) {
        const { run, at } = await value(() => driver().start(ref))
        const later = await look()
        expect(run!.end).toBeNull()
        expect(later.run).toEqual(run)
        expect(run!.beganAt).toBeLessThanOrEqual(at)
        expect(later.at).toBeGreaterThanOrEqual(at)
        await subject.reopen()
        expect((await look()).run).toEqual(run)
        await value(() => driver().stop(ref))
        const over = await look()
        expect(over.run).toMatchObject({ id: run!.id, beganAt: run!.beganAt, end: { cause: 'asked' } })
        expect(over.run!.end!.at).toBeGreaterThanOrEqual(run!.beganAt)
        expect(over.run!.end!.at).toBeLessThanOrEqual(over.at)
        runs.add(run!.id)
      }
      expect(runs.size).toBe(2)
    })

    it('a machine can be started and stopped again and again', async () => {
      const ref = await create()
      for (let round = 0; round < 3; round++) {
        await value(() => driver().start(ref))
        expect(await state(ref)).toBe('running')
        await value(() => driver().stop(ref))
        expect(await state(ref)).toBe('stopped')
      }
    })

    it('stop ends a machine that is still starting', async () => {
      const ref = await create()
      await asked(() => driver().start(ref))
      await value(() => driver().stop(ref))
      expect(await state(ref)).toBe('stopped')
    })

    it('destroy leaves nothing of a running or stopped machine, and is done again', async () => {
      for (const ref of [await create(), await running()]) {
        await value(() => driver().destroy(ref))
        expect(await asked(() => driver().destroy(ref))).toMatchObject({ kind: 'done' })
        expect(await state(ref)).toBe('gone')
      }
      expect((await held()).size).toBe(0)
    })

    it('the list tells of each machine what a look at it tells', async () => {
      const refs = {
        made: await create(),
        ran: await running(),
        runs: await running(),
        again: await running(),
      }
      await value(() => driver().stop(refs.ran))
      await value(() => driver().stop(refs.again))
      await value(() => driver().start(refs.again))
      for (let round = 0; round < 2; round++) {
        const all = await held()
        expect(all.size).toBe(4)
        for (const ref of Object.values(refs)) {
          const { ref: _, instanceId: __, at, ...listed } = all.get(ref)!
          const { at: later, ...looked } = await value(() => driver().observe(ref))
          expect(listed).toEqual(looked)
          expect(later).toBeGreaterThanOrEqual(at)
        }
        await subject.reopen()
      }
      expect((await held()).get(refs.runs)).toMatchObject({ state: 'running', run: { end: null } })
    })

    it('a key whose machine was destroyed makes a new one', async () => {
      const wanted = spec()
      await value(async () => driver().destroy(await create(wanted)))
      expect(await state(await create(wanted))).toBe('stopped')
    })

    it('what never was is gone: destroy is done, and every other call says lost', async () => {
      const destroyed = await create()
      await value(() => driver().destroy(destroyed))
      for (const ref of [...unknownRefs, destroyed]) {
        expect(await state(ref)).toBe('gone')
        expect(await asked(() => driver().destroy(ref))).toMatchObject({ kind: 'done' })
        for (const [name, call] of Object.entries(callsOfAny))
          expect(await asked(() => call(driver(), ref)), name).toMatchObject(lost)
      }
    })

    it('what does not run can be neither used nor measured, and is not lost', async () => {
      const ref = await create()
      const ran = await running()
      await value(() => driver().stop(ran))
      for (const machine of [ref, ran])
        for (const [name, call] of Object.entries(callsOfRunning)) {
          const answer = await asked(() => call(driver(), machine))
          expect(answer, name).toMatchObject({ kind: 'failed' })
          expect(answer, name).not.toMatchObject(lost)
        }
    })

    it('tells of all that it has, each host and card under one name, whoever has it now', async () => {
      const told = async () => {
        const hosts = await value(() => driver().inventory())
        const cards = hosts.flatMap(host => host.cards ?? [])
        expect(new Set(hosts.map(({ id }) => id)).size).toBe(hosts.length)
        expect(new Set(cards.map(({ uuid }) => uuid)).size).toBe(cards.length)
        for (const { machines, cpuCores, memoryBytes, diskBytes } of hosts)
          for (const count of [machines, cpuCores, memoryBytes, diskBytes ?? 0]) {
            expect(Number.isSafeInteger(count)).toBe(true)
            expect(count).toBeGreaterThanOrEqual(0)
          }
        return hosts.map(({ id, cpuCores, cards }) => ({ id, cpuCores, cards }))
      }
      const before = await told()
      expect(before.length).toBeGreaterThan(0)
      const ref = await create()
      expect(await told()).toEqual(before)
      await value(() => driver().start(ref))
      expect(await told()).toEqual(before)
      expect((await value(() => driver().inventory()))[0]!.machines).toBeGreaterThan(0)
      await subject.reopen()
      expect(await told()).toEqual(before)
      await value(() => driver().destroy(ref))
      expect(await told()).toEqual(before)
    })

    it('a new driver on the same folder knows every machine as the old one left it', async () => {
      const wanted = spec()
      const stopped = await create(wanted)
      const started = await running()
      const destroyed = await create()
      await value(() => driver().destroy(destroyed))
      await subject.reopen()
      expect(await state(stopped)).toBe('stopped')
      expect(await state(started)).toBe('running')
      expect(await state(destroyed)).toBe('gone')
      expect(await create(wanted)).toBe(stopped)
      expect([...(await held()).keys()].toSorted()).toEqual([stopped, started].toSorted())
    })
  })
}
