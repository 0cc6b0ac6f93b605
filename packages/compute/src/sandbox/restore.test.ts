/** Coming back to a terminal: the screen as it stands, at the size of whoever looks now. */
import { Terminal } from '@xterm/headless'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import type { TerminalStream } from '../driver.ts'
import { designsHere, openShell, running, shellOf, useDriver, value } from './testing/sandbox.ts'

async function shown(stream: TerminalStream, cols: number, rows: number, ms = 300): Promise<Terminal> {
  const terminal = new Terminal({ cols, rows, allowProposedApi: true })
  stream.on('data', (chunk: Buffer) => terminal.write(chunk))
  await sleep(ms)
  return terminal
}

const lineOf = (terminal: Terminal, row: number) =>
  terminal.buffer.active.getLine(row)?.translateToString(true)

for (const design of designsHere)
  describe(`coming back to a terminal of a machine by ${design}`, { timeout: 30_000 }, () => {
    const { driver } = useDriver(design)

    it('a full-screen program is there again, and the shell behind it', async () => {
      const ref = await running(driver(), 'full-screen')
      const shell = await openShell(driver(), ref)
      await shell.run('echo before')
      shell.type(
        String.raw`printf '\e[?1049h\e[2J\e[5;10Hdrawn \xe2\x82\xac\e[?25l'; read line; printf '\e[?1049l\e[?25h'` +
          '\r',
      )
      await shell.until(/drawn/)
      shell.stream.destroy()
      const stream = await value(() => driver().attach(ref, 'main', { cols: 80, rows: 24 }))
      const terminal = await shown(stream, 80, 24)
      expect(terminal.buffer.active.type).toBe('alternate')
      expect(lineOf(terminal, 4)).toBe('         drawn €')
      stream.write('\r')
      await sleep(200)
      expect(terminal.buffer.active.type).toBe('normal')
      const lines = Array.from({ length: 24 }, (_, row) => lineOf(terminal, row)).join('\n')
      expect(lines).toContain('before')
    })

    it('the size is that of who came, typed or resized last', async () => {
      const ref = await running(driver(), 'sizes')
      const wide = await openShell(driver(), ref)
      const narrow = shellOf(await value(() => driver().attach(ref, 'main', { cols: 70, rows: 20 })))
      await narrow.until(/# $/)
      narrow.type('stty size\r')
      await narrow.until(/20 70/)
      wide.type('stty size\r')
      await wide.until(/50 200/)
      narrow.stream.resize({ cols: 90, rows: 30 })
      narrow.type('stty size\r')
      expect(await narrow.until(/30 90/)).toContain('stty')
    })

    it('terminals are as many as allowed; one that waits unseen at a prompt makes room', async () => {
      const ref = await running(driver(), 'many')
      const attach = (id: string) => driver().attach(ref, id, { cols: 80, rows: 24 })
      const streams = await Promise.all(Array.from({ length: 16 }, (_, at) => value(() => attach(`t${at}`))))
      expect(await attach('one-more')).toMatchObject({ kind: 'failed', failure: 'rejected' })
      streams[3]!.destroy()
      await sleep(300)
      const shell = await openShell(driver(), ref, 'one-more')
      expect((await shell.run('sleep 0.3; ls /dev/pts | grep -c "^[0-9]"')).output).toBe('16')
    })

    it('viewers are as many as allowed, and one who leaves makes room', async () => {
      const ref = await running(driver(), 'watched')
      const attach = () => driver().attach(ref, 'main', { cols: 80, rows: 24 })
      const streams = await Promise.all(Array.from({ length: 64 }, () => value(attach)))
      expect(await attach()).toMatchObject({ kind: 'failed', failure: 'rejected' })
      await new Promise(resolve => {
        streams[0]!.once('close', resolve).destroy()
      })
      expect(await attach()).toMatchObject({ kind: 'done' })
    })

    it('the machine ends when its keeper does, and can be started again', async () => {
      const ref = await running(driver(), 'killed')
      const shell = await openShell(driver(), ref)
      shell.type('kill -9 -1\r')
      await new Promise(resolve => {
        shell.stream.once('end', resolve)
      })
      await sleep(100)
      expect(await value(() => driver().observe(ref))).toMatchObject({ state: 'stopped' })
      await value(() => driver().start(ref))
      expect((await (await openShell(driver(), ref)).run('whoami')).output).toBe('root')
    })
  })
