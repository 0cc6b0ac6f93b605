/** The part of the suite about terminals: bytes both ways, a shell that outlives its viewers, and an end to both. */
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { type Subject, size } from './subject.ts'

/** The longest terminal id the API lets through, with every kind of character in it. */
const longestId = 'Tz_9-'.repeat(12).padEnd(64, 'x')
const interrupt = '\u0003'
const backspace = '\u007F'
const mebibyte = 2 ** 20

export function describeTerminals(subject: Subject): void {
  const { asked, attached, driver, enter, prompt, running, shell, value } = subject
  const hasRealShell = () => driver().capabilities.shell === 'real'

  describe('terminals', () => {
    it('a new shell shows a prompt, echoes what is typed and answers', async () => {
      const reader = await shell(await running(), longestId)
      reader.type('unx')
      expect(await reader.until(/unx/)).toBe('unx')
      expect(await enter(reader, `${backspace}ame`)).toContain('Linux')
      expect(await enter(reader, 'frobnicate')).toContain('not found')
    })

    it('detaching leaves the shell alive, and its id returns to it with the screen restored', async () => {
      const ref = await running()
      const before = await shell(ref)
      await enter(before, 'cd /tmp')
      expect(await enter(before, 'uname')).toContain('Linux')
      before.type('pw')
      await before.until(/pw/)
      before.stream.destroy()

      const after = await attached(ref)
      expect(await after.until(/[#$] ?pw/)).toContain('Linux')
      expect(await enter(after, 'd')).toMatch(/\/tmp\s/)
    })

    it('another id is another shell', async () => {
      const ref = await running()
      await enter(await shell(ref, 'one'), 'cd /tmp')
      const two = await shell(ref, 'two')
      expect(two.text()).not.toContain('/tmp')
      expect(await enter(two, 'pwd')).not.toContain('/tmp')
    })

    it('two viewers of one shell see the same, and one may leave', async () => {
      const ref = await running()
      const [one, two] = [await shell(ref), await shell(ref)]
      one.type('uname\r')
      expect(await one.until(prompt)).toContain('Linux')
      expect(await two.until(prompt)).toContain('Linux')
      one.stream.destroy()
      expect(await enter(two, 'frobnicate')).toContain('not found')
    })

    it('a shell can be resized, also after it has ended', async () => {
      const reader = await shell(await running())
      reader.stream.resize({ cols: 101, rows: 41 })
      // A shell repaints its prompt at its new size, so the test waits for the answer itself.
      reader.type(hasRealShell() ? 'stty size\r' : 'uname\r')
      await reader.until(hasRealShell() ? /41 101/ : /Linux/)
      await reader.until(prompt)
      reader.type('exit\r')
      await reader.ended()
      expect(() => reader.stream.resize(size)).not.toThrow()
    })

    it('Ctrl-C brings the prompt back', async () => {
      const reader = await shell(await running())
      // The command itself says that it runs: until it has the terminal, Ctrl-C is for the shell.
      reader.type(hasRealShell() ? "sh -c 'echo begun; exec sleep 1000'\r" : 'ping localhost\r')
      await reader.until(hasRealShell() ? /begun\s/ : /\n/)
      reader.type(interrupt)
      await reader.until(prompt)
      expect(await enter(reader, 'uname')).toContain('Linux')
    })

    it('exit ends the stream for every viewer, and the id then opens a new shell', async () => {
      const ref = await running()
      const [one, two] = [await shell(ref), await shell(ref)]
      await enter(one, 'cd /tmp')
      one.type('exit\r')
      await Promise.all([one.ended(), two.ended()])
      expect(await enter(await shell(ref), 'pwd')).not.toContain('/tmp')
    })

    it('a viewer ends the shell for all, with what runs in it, and the id then opens a new one', async () => {
      const ref = await running()
      const [one, two] = [await shell(ref), await shell(ref)]
      await enter(one, 'cd /tmp')
      if (hasRealShell()) {
        one.type("sh -c 'echo begun; exec sleep 1000'\r")
        await one.until(/begun\s/)
      }
      two.stream.hangUp()
      await Promise.all([one.ended(), two.ended()])
      expect(() => two.stream.hangUp()).not.toThrow()
      expect(await enter(await shell(ref), 'pwd')).not.toContain('/tmp')
    })

    it('stop ends every shell, and destroy does too', async () => {
      const ref = await running()
      const first = await shell(ref)
      await value(() => driver().stop(ref))
      await expect(first.ended()).resolves.toBeUndefined()
      await value(() => driver().start(ref))
      const second = await shell(ref)
      await value(() => driver().destroy(ref))
      await expect(second.ended()).resolves.toBeUndefined()
    })

    it('attach to a machine that does not run is a failure, not an exception', async () => {
      const ref = await running()
      await value(() => driver().stop(ref))
      expect(await asked(() => driver().attach(ref, 'main', size))).toMatchObject({ kind: 'failed' })
    })

    it('a shell outlives the driver that opened it', async () => {
      const ref = await running()
      const before = await shell(ref)
      await enter(before, 'cd /tmp')
      expect(await enter(before, 'uname')).toContain('Linux')
      await subject.reopen()
      const after = await attached(ref)
      expect(await after.until(prompt)).toContain('Linux')
      expect(await enter(after, 'pwd')).toMatch(/\/tmp\s/)
    })

    it('output that nobody reads does not pile up, and reading on finds the shell well', async context => {
      if (!hasRealShell()) context.skip('this shell writes only what it is asked for')
      const reader = await shell(await running())
      reader.type('yes 0123456789012345678901234567890123456789\r')
      await reader.until(/(0123456789\s*){2}/)
      reader.pause()
      const before = await subject.residentBytes()
      await sleep(1_500)
      expect((await subject.residentBytes()) - before).toBeLessThan(48 * mebibyte)
      expect(reader.stream.readableLength).toBeLessThan(4 * mebibyte)
      reader.resume()
      reader.type(interrupt)
      await reader.until(prompt)
      expect(await enter(reader, 'uname')).toContain('Linux')
    })
  })
}
