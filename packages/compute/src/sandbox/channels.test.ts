/** What the keeper's channels must not open: its own door, an older keeper, a log that is not one. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import type { Command, LogLine, Ref } from '../driver.ts'
import { designsHere, running, useDriver, value } from './testing/sandbox.ts'

for (const design of designsHere)
  describe(`channels of a machine by ${design}`, { timeout: 60_000 }, () => {
    const { dir, driver } = useDriver(design)

    async function run(ref: Ref, command: Command): Promise<string> {
      const program = await value(() => driver().exec(ref, command))
      program.stdin.end()
      program.stderr.resume()
      return text(program.stdout)
    }
    const linesOf = async (ref: Ref): Promise<LogLine[]> =>
      (await value(() => driver().logs(ref))).toArray() as Promise<LogLine[]>

    it('a program holds no descriptor but its own three, whatever its variables make the shell load', async () => {
      const ref = await running(driver(), 'descriptors')
      const command = ['sh', '-c', 'ls -l /proc/$$/fd; ls -l /proc/self/fd']
      for (const size of [undefined, { cols: 80, rows: 24 }]) {
        const listed = await run(ref, { command, ...(size && { size }) })
        expect(listed).not.toContain('socket:')
        // The listing opens the folder itself.
        const numbers = [...listed.matchAll(/ (\d+) -> /g)].map(([, fd]) => Number(fd))
        expect(Math.max(...numbers)).toBeLessThanOrEqual(3)
      }
    })

    it('a machine that an older version started says what to do', async () => {
      const ref = await running(driver(), 'older')
      const file = join(dir, 'machines', ref, 'process.json')
      const { keeper, ...older } = JSON.parse(readFileSync(file, 'utf8')) as { keeper: number }
      expect(keeper).toBe(2)
      writeFileSync(file, JSON.stringify(older))
      for (const call of [
        () => driver().exec(ref, { command: ['true'] }),
        () => driver().connect(ref, 80),
        () => driver().logs(ref),
      ])
        expect(await call()).toMatchObject({
          failure: 'rejected',
          message: expect.stringContaining('Restart it'),
        })
    })

    it('whatever its customer makes of the log, it is lines or nothing', async () => {
      const command = ['sh', '-c', 'echo first; read -r line < /tmp/go; echo second; exec sleep 1000']
      const ref = await running(driver(), 'log', { command: ['sh', '-c', `mkfifo /tmp/go; ${command[2]}`] })
      await expect.poll(async () => (await linesOf(ref)).map(each => each.text)).toContain('first')
      const log = '/var/log/ingot/main.log'
      await run(ref, {
        command: ['sh', '-c', `printf 'nonsense\\n2026-01-01T00:00:00.000Z door x\\n\\377\\n' >> ${log}`],
      })
      await run(ref, { command: ['sh', '-c', `head -c 1000000 /dev/zero >> ${log}`] })
      for (const line of await linesOf(ref)) expect(['machine', 'stdout']).toContain(line.stream)
      for (const trick of [
        `rm ${log}; ln -s /etc/passwd ${log}`,
        `rm ${log}; mkfifo ${log}`,
        `rm ${log}; mkdir ${log}`,
        `rm -r /var/log/ingot; ln -s /proc /var/log/ingot`,
      ]) {
        await run(ref, { command: ['sh', '-c', trick] })
        expect(await linesOf(ref)).toEqual([])
      }
      await run(ref, { command: ['sh', '-c', 'rm /var/log/ingot; echo > /tmp/go'] })
      // The file that was open is gone: what is written now is lost, and nothing else.
      expect(await linesOf(ref)).toEqual([])
      expect((await value(() => driver().observe(ref))).state).toBe('running')
    })

    it('no more programs and connections at once than it can have, and it works on', async () => {
      const ref = await running(driver(), 'many')
      const programs = await Promise.all(
        Array.from({ length: 300 }, () => driver().exec(ref, { command: ['cat'] })),
      )
      const refused = programs.filter(({ kind }) => kind === 'failed')
      expect(refused.length).toBeGreaterThanOrEqual(44)
      expect(refused[0]).toMatchObject({ failure: 'transient' })
      for (const program of programs) if (program.kind === 'done') program.value.close()
      await expect
        .poll(() => run(ref, { command: ['echo', 'on'] }).catch(() => ''), { timeout: 20_000 })
        .toBe('on\n')
      await expect
        .poll(() => run(ref, { command: ['pgrep', '-c', '-x', 'cat'] }), { timeout: 20_000 })
        .toBe('0\n')
    })
  })
