/** The engine, its host and the driver's own process end at any time; machines and what is known of them stay. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { noEngineReason, startEngine, type TestEngine } from './testing/engine.ts'
import { openDocker } from './testing/machines.ts'

const isLong = process.env['INGOT_LONG_TESTS'] !== undefined
const reason = await noEngineReason()
if (reason) console.log(`skipped: docker: ${reason}`)
let engine: TestEngine
beforeAll(async () => {
  if (reason === null) engine = await startEngine()
}, 180_000)
afterAll(() => engine?.discard(), 60_000)

describe.skipIf(reason)('a machine survives', { timeout: 120_000 }, () => {
  it.each([
    ['an engine that is killed', () => engine.kill(), true] as const,
    ...(isLong
      ? ([
          ['a restart of the engine', () => engine.stop(), true],
          // Nobody saw when.
          ['a host that loses its power', () => engine.cutPower(), false],
        ] as const)
      : []),
  ])('%s: its run ended by the host, and it starts again with its disk', async (_, end, isSeen) => {
    const { running, ran, driver, value, asked, held } = await openDocker(engine)
    const ref = await running()
    const stopped = await running()
    await value(() => driver().stop(stopped))
    await ran(ref, ['sh', '-c', 'echo kept >/root/kept'])
    const before = await value(() => driver().observe(ref))
    await end()
    // Nobody tells of machines that cannot be seen.
    for (const answer of [await asked(() => driver().list()), await asked(() => driver().observe(ref))])
      expect(answer).toMatchObject({ kind: 'failed', failure: 'transient' })
    await engine.start()
    const after = await value(() => driver().observe(ref))
    expect(after).toMatchObject({ state: 'stopped', run: { id: before.run!.id, end: { cause: 'host' } } })
    const { at } = after.run!.end!
    if (isSeen) expect(at).toBeLessThanOrEqual(after.at)
    else expect(at).toBeNull()
    expect((await held()).get(stopped)).toMatchObject({ state: 'stopped', run: { end: { cause: 'asked' } } })
    await value(() => driver().start(ref))
    expect((await ran(ref, ['cat', '/root/kept'])).stdout).toBe('kept\n')
  })

  it.runIf(isLong)(
    'a program inside that imitates an engine’s signals brings about no end by the host',
    async () => {
      const { running, driver, value } = await openDocker(engine)
      for (const code of [137, 143, 255]) {
        const ref = await running({ command: ['sh', '-c', `sleep 0.5; exit ${code}`] })
        await expect
          .poll(() => value(() => driver().observe(ref)), { timeout: 10_000 })
          .toMatchObject({ state: 'stopped', run: { end: { cause: 'inside', at: expect.any(Number) } } })
      }
    },
  )
})
