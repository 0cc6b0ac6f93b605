/**
 * The part of the suite about what a machine's main program wrote: every line once, in order, also after the run and
 * under a new driver, and never more of it than somebody decided to keep.
 */
import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, describe, expect, it } from 'vitest'
import { type LogLine, type LogOptions, logStreams, readExit, type Ref } from '../driver.ts'
import type { Subject } from './subject.ts'

const maxLineBytes = 16 * 1024
const mebibyte = 2 ** 20
/** Clocks of this process and of the machine's host may read a little apart. */
const apartMs = 1_000
const farAhead = Date.UTC(2100, 0, 1)

/** Its steps wait for files, because time says nothing on a busy host. */
const steps = `
echo one; echo two >&2; sleep 0.3; echo "three $GREETING"
until [ -e /root/go ]; do sleep 0.05; done; echo four
until [ -e /root/end ]; do sleep 0.05; done; echo five; exit 3
`
const longLine = 100_000
const flood = `
head -c ${longLine} /dev/zero | tr '\\0' x; echo
until [ -e /root/go ]; do sleep 0.05; done
yes 0123456789012345678901234567890123456789 | head -c 24000000; echo; echo the end of it
touch /root/flooded; exec sleep 1000
`

export function describeLogs(subject: Subject): void {
  const { asked, create, destroy, driver, needRealShell, state, value, within } = subject

  const open = (ref: Ref, options?: LogOptions) => value(() => driver().logs(ref, options))
  const all = async (ref: Ref, options?: LogOptions): Promise<LogLine[]> =>
    within((await open(ref, options)).toArray(), 'the end of the log')
  /** What the program wrote, without what the driver says of it. */
  const written = async (ref: Ref, options?: LogOptions) => texts(await all(ref, options))
  const touch = (ref: Ref, path: string) => value(() => driver().files(ref).write(path, Readable.from([])))

  describe('logs', () => {
    it('are there from the making of a machine to its end, of whole lines in order', async () => {
      const ref = await create()
      expect(texts(await all(ref))).toEqual([])
      await value(() => driver().start(ref))
      await all(ref)
      await value(() => driver().stop(ref))
      const lines = await all(ref)
      for (const line of lines) {
        expect(logStreams).toContain(line.stream)
        expect(line.text).not.toContain('\n')
      }
      expect(lines.map(({ at }) => at)).toEqual(lines.map(({ at }) => at).toSorted((a, b) => a - b))
      await subject.reopen()
      expect(await all(ref)).toEqual(lines)
      expect(await all(ref, { since: farAhead })).toEqual([])
      await destroy(ref)
      expect(await asked(() => driver().logs(ref))).toMatchObject({ failure: 'lost' })
    })

    it('whoever follows one is told of the end of the run, and may leave before', async () => {
      const ref = await subject.ownMachine()
      const [stays, leaves] = [await open(ref, { follow: true }), await open(ref, { follow: true })]
      leaves.destroy()
      let isOver = false
      const followed = stays.toArray().finally(() => (isOver = true))
      // Nothing but the end of the run ends it.
      await sleep(100)
      expect(isOver).toBe(false)
      await value(() => driver().stop(ref))
      await within(followed, 'the end of the log')
      await within(all(ref, { follow: true }), 'the end of the log of a run that is over')
    })

    describe('of a main program', () => {
      const machine = useProgram(subject, steps, { GREETING: 'hello' })

      it('tell what it wrote, where and when, and from when on', async context => {
        needRealShell(context)
        const { ref, startedAt } = machine()
        await expect.poll(() => written(ref), { timeout: subject.patienceMs }).toHaveLength(3)
        const lines = (await all(ref)).filter(({ stream }) => stream !== 'machine')
        expect(lines.map(({ stream, text }) => `${stream} ${text}`).toSorted()).toEqual([
          'stderr two',
          'stdout one',
          'stdout three hello',
        ])
        const last = lines.at(-1)!
        expect(last.text).toBe('three hello')
        for (const { at } of lines) {
          expect(at).toBeGreaterThan(startedAt - apartMs)
          expect(at).toBeLessThan(Date.now() + apartMs)
        }
        expect(await written(ref, { since: last.at })).toEqual(['three hello'])
        expect(await written(ref, { since: last.at + 1 })).toEqual([])
      })

      it('go on while they are followed, and end as the program does', async context => {
        needRealShell(context)
        const { ref } = machine()
        const seen: string[] = []
        const followed = open(ref, { follow: true }).then(async log => {
          for await (const line of log) if (line.stream !== 'machine') seen.push(line.text)
        })
        async function until(text: string): Promise<void> {
          await expect.poll(() => seen, { timeout: subject.patienceMs, interval: 10 }).toContain(text)
        }
        await until('three hello')
        await touch(ref, '/root/go')
        await until('four')
        await touch(ref, '/root/end')
        await within(followed, 'the end of the log')
        expect(seen.toSorted()).toEqual(['five', 'four', 'one', 'three hello', 'two'])
        expect(seen.slice(-3)).toEqual(['three hello', 'four', 'five'])

        await expect.poll(() => state(ref), { timeout: subject.patienceMs }).toBe('stopped')
        expect((await value(() => driver().observe(ref))).run!.end).toMatchObject({ cause: 'inside' })
        await subject.reopen()
        expect(await written(ref)).toEqual(seen)
        const last = (await all(ref)).at(-1)!
        expect([last.stream, readExit(last.text)]).toEqual(['machine', { code: 3, signal: null }])
      })
    })

    describe('of a main program that writes too much', () => {
      const machine = useProgram(subject, flood)

      it('have a long line in parts, and of 24 MB the end, and nothing piles up', async context => {
        needRealShell(context)
        const { ref } = machine()
        const timeout = subject.patienceMs * 2
        const length = (parts: readonly string[]) => parts.reduce((sum, text) => sum + text.length, 0)
        await expect.poll(async () => length(await written(ref)), { timeout }).toBe(longLine)
        const parts = await written(ref)
        expect(parts.join('')).toBe('x'.repeat(longLine))
        for (const part of parts) expect(Buffer.byteLength(part)).toBeLessThanOrEqual(maxLineBytes)

        const unread = await open(ref, { follow: true })
        const before = await subject.residentBytes()
        await touch(ref, '/root/go')
        const flooded = async () => (await driver().files(ref).stat('/root/flooded')).kind
        await expect.poll(flooded, { timeout }).toBe('done')
        expect((await subject.residentBytes()) - before).toBeLessThan(48 * mebibyte)
        expect(unread.readableLength).toBeLessThan(1_000)
        unread.destroy()
        await expect.poll(async () => (await written(ref)).at(-1), { timeout }).toBe('the end of it')
        expect(length(await written(ref))).toBeLessThan(40 * mebibyte)
      })
    })
  })
}

const texts = (lines: readonly LogLine[]) =>
  lines.filter(({ stream }) => stream !== 'machine').map(({ text }) => text)

/** A machine with a main program, for all tests of a block. */
function useProgram(subject: Subject, script: string, env = {}) {
  let startedAt = 0
  beforeAll(() => {
    startedAt = Date.now()
  })
  const ref = subject.useMachine({ command: ['sh', '-c', script], env })
  return () => ({ ref: ref(), startedAt })
}
