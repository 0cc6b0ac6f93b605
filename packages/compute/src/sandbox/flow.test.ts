/** Output in quantity: how it is held back, how it is interrupted, and that none of it is lost. */
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import type { TerminalStream } from '../driver.ts'
import { windowBytes } from './wire/frames.ts'
import { designsHere, openShell, running, shellOf, useDriver, value } from './testing/sandbox.ts'

const mebibyte = 2 ** 20
const size = { cols: 80, rows: 24 }
const flood = 'yes 0123456789012345678901234567890123456789\r'

for (const design of designsHere.slice(0, 1))
  describe(`output of a machine by ${design}`, { timeout: 40_000 }, () => {
    const { dir, driver } = useDriver(design)

    const keeperPid = (ref: string): string => {
      const { init } = JSON.parse(readFileSync(join(dir, 'machines', ref, 'process.json'), 'utf8')) as {
        init: { pid: number }
      }
      return readFileSync(`/proc/${init.pid}/task/${init.pid}/children`, 'utf8').trim().split(' ')[0]!
    }

    it('a reader that stands still stops the program; neither end grows by more than 16 MB', async () => {
      const ref = await running(driver(), 'stalled')
      const shell = await openShell(driver(), ref)
      await shell.run('seq 20000')
      const pids = ['self', keeperPid(ref)]
      shell.stream.removeAllListeners('data')
      shell.stream.pause()
      const before = pids.map(residentBytes)
      shell.type(flood)
      await sleep(1_000)
      const growth = pids.map((pid, at) => residentBytes(pid) - before[at]!)
      console.log(`stalled reader: server ${mb(growth[0]!)}, keeper ${mb(growth[1]!)}`)
      expect(growth[0]! + growth[1]!).toBeLessThan(16 * mebibyte)
      expect(shell.stream.readableLength).toBeLessThanOrEqual(windowBytes + 64 * 1024)
      shell.stream.destroy()
    })

    it('Ctrl-C in a flood brings the prompt back at once', async () => {
      const { stream, type } = await openShell(driver(), await running(driver(), 'interrupted'))
      const times: number[] = []
      for (let round = 0; round < 5; round++) {
        type(flood)
        await sleep(200)
        const before = performance.now()
        type('\u0003')
        await ends(stream, '# ')
        times.push(performance.now() - before)
      }
      const median = times.toSorted((a, b) => a - b)[2]!
      console.log(
        `Ctrl-C to prompt in a flood: ${median.toFixed(1)} ms, at most ${Math.max(...times).toFixed(1)} ms`,
      )
      expect(median).toBeLessThan(1_000)
    })

    it('every byte arrives, also of a shell that has exited, also with a reader that pauses', async () => {
      const ref = await running(driver(), 'complete')
      const lines = Array.from({ length: 40_000 }, (_, at) => `line ${at} ${'x'.repeat(40)}\n`).join('')
      writeFileSync(join(dir, 'machines', ref, 'disk/workspace/lines'), lines)
      const { stream, type } = await openShell(driver(), ref)
      const received: Buffer[] = []
      stream.on('data', (chunk: Buffer) => void received.push(chunk))
      const pausing = setInterval(() => {
        stream.pause()
        setTimeout(() => stream.resume(), 20)
      }, 60)
      type('stty -onlcr; exec cat lines\r')
      await once(stream, 'end')
      clearInterval(pausing)
      expect(Buffer.concat(received).subarray(-lines.length).toString()).toBe(lines)
    })

    it('a large paste reaches the program whole, and a program that reads none does not block other terminals', async () => {
      const ref = await running(driver(), 'paste')
      const shell = await openShell(driver(), ref)
      const other = await openShell(driver(), ref, 'other')
      shell.type('stty -echo -icanon; sleep 0.6; head -c 400000 | md5sum\r')
      await sleep(100)
      shell.type('0123456789\n'.repeat(40_000).slice(0, 400_000))
      expect((await other.run('echo free')).output).toBe('free')
      const expected = (await other.run('yes 0123456789 | head -c 400000 | md5sum')).output
      await shell.until(new RegExp(expected.slice(0, 32)))
    })

    it('a viewer who has gone to sleep does not hold up the one who works, and then gets the screen as it is', async () => {
      const ref = await running(driver(), 'two')
      const asleep = await value(() => driver().attach(ref, 'main', size))
      asleep.pause()
      const shell = await openShell(driver(), ref)
      expect((await shell.run('seq 200000 | tail -c 20000000 | wc -l; seq 100000')).output).toMatch(
        /99999\n100000$/,
      )
      await shell.run('echo the-end')
      const woken = shellOf(asleep)
      await woken.until(/the-end[^]*# $/)
    })

    it('a program goes on with nobody looking, and its screen is there for who comes', async () => {
      const ref = await running(driver(), 'alone')
      const shell = await openShell(driver(), ref)
      shell.type('sleep 0.3; seq 300000; echo finished > done; echo all-done\r')
      await shell.until(/\n/)
      shell.stream.destroy()
      await sleep(1_000)
      const back = shellOf(await value(() => driver().attach(ref, 'main', size)))
      const shown = await back.until(/all-done[^]*# $/)
      expect(shown).toMatch(/299999\s+300000\s/)
      expect((await back.run('cat done')).output).toBe('finished')
    })
  })

/** Waits until the output ends like this, without keeping it. */
function ends(stream: TerminalStream, text: string): Promise<void> {
  return new Promise(resolve => {
    let tail = ''
    stream.on('data', function look(chunk: Buffer) {
      tail = (tail + chunk.subarray(-8).toString('latin1')).slice(-8)
      if (!tail.endsWith(text)) return
      stream.off('data', look)
      resolve()
    })
  })
}

const residentBytes = (pid: string) =>
  Number(/VmRSS:\s*(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024

const mb = (bytes: number) => `${(bytes / mebibyte).toFixed(1)} MB`
