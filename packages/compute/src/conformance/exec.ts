/**
 * The part of the suite about programs that run beside the terminals: what goes in arrives, what comes out is whole, and
 * neither a program nor whoever watches it can hold up the other for ever.
 */
import { randomBytes } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { type Command, type Execution, maxCommandBytes, type Ref } from '../driver.ts'
import { type Subject, size } from './subject.ts'

const mebibyte = 2 ** 20
const rejected = { kind: 'failed', failure: 'rejected' }
const longText = 'é'.repeat(maxCommandBytes / 2)

const wrong: Readonly<Record<string, Command>> = {
  'no program': { command: [] },
  'NUL in an argument': { command: ['uname', 'a\0b'] },
  'NUL in a value': { command: ['uname'], env: { A: 'a\0b' } },
  'NUL in a name': { command: ['uname'], env: { 'A\0B': '' } },
  'a name with =': { command: ['uname'], env: { 'A=B': '' } },
  'NUL in the folder': { command: ['uname'], cwd: '/\0' },
  'too long an argument': { command: ['uname', longText] },
  'too long an environment': { command: ['uname'], env: { A: longText } },
  'too many arguments': { command: ['uname', ...Array.from({ length: 1_025 }, () => 'x'.repeat(128))] },
}

/** A shell runs `script`, with `args` as $1 and on. */
const sh = (script: string, ...args: string[]) => ['sh', '-c', script, 'sh', ...args]
/** Says its process id once it is as it should be, and goes on. */
const untilKilled = 'echo $$; exec sleep 1000'

export function describeExec(subject: Subject): void {
  const { asked, driver, enter, needRealShell, ran, shell, value, within } = subject
  const run = (ref: Ref, command: Command) => value(() => driver().exec(ref, command))

  /** A program that has said its process id as its first line. */
  async function begun(ref: Ref, script: string, options: Omit<Command, 'command'> = {}) {
    const execution = await run(ref, { command: sh(script), ...options })
    execution.stdin.on('error', () => {})
    execution.stderr.resume()
    const said = await within(firstLine(execution), 'a process id')
    return { execution, pid: Number(said) }
  }

  const isAlive = async (ref: Ref, pid: number) =>
    (await ran(ref, sh('kill -0 "$1"', String(pid)))).code === 0
  async function expectGone(ref: Ref, pid: number, timeout = subject.patienceMs): Promise<void> {
    await expect.poll(() => isAlive(ref, pid), { timeout, interval: 20 }).toBe(false)
  }

  describe('exec', () => {
    const machine = subject.useMachine({ env: { OF_MACHINE: 'the machine’s', OF_BOTH: 'the machine’s' } })

    it('answers what a program writes and how it ends, and 127 of one that is not found', async () => {
      expect(await ran(machine(), ['uname'])).toEqual({
        stdout: 'Linux\n',
        stderr: '',
        code: 0,
        signal: null,
      })
      expect(await ran(machine(), ['frobnicate'])).toMatchObject({ code: 127, signal: null })
    })

    it('starts where terminals start', async () => {
      const at = (await ran(machine(), ['pwd'])).stdout.trim()
      expect(at).toMatch(/^\//)
      expect(await enter(await shell(machine()), 'pwd')).toMatch(new RegExp(`^${at}$`, 'm'))
    })

    it('30 programs run at once, and each is answered', async () => {
      const all = await Promise.all(Array.from({ length: 30 }, () => ran(machine(), ['uname'])))
      expect(all.map(({ stdout, code }) => `${stdout.trim()} ${code}`)).toEqual(Array(30).fill('Linux 0'))
    })

    it.each(Object.entries(wrong))('what can be no command is rejected: %s', async (_, command) => {
      expect(await asked(() => driver().exec(machine(), command))).toMatchObject(rejected)
    })

    it('arguments arrive as they are, and stdout, stderr and the exit code come apart', async context => {
      needRealShell(context)
      const odd = ['a b', '', '$HOME', '`id`', "it's", '"', '\\n', 'a\nb', '*', '-n', ';', '日本 😀']
      expect(await ran(machine(), ['printf', '<%s>', ...odd])).toMatchObject({
        stdout: odd.map(text => `<${text}>`).join(''),
        stderr: '',
        code: 0,
      })
      const both = 'echo out; echo err >&2; exit 42'
      expect(await ran(machine(), sh(both))).toEqual({
        stdout: 'out\n',
        stderr: 'err\n',
        code: 42,
        signal: null,
      })
      const half = 'x'.repeat(maxCommandBytes / 2 - 1_000)
      expect((await ran(machine(), sh('echo ${#1} ${#2}', half, half))).stdout).toBe(
        `${half.length} ${half.length}\n`,
      )
    })

    it('has the environment of the machine and of the call, whose own wins, and starts where it is told', async context => {
      needRealShell(context)
      const env = { OF_BOTH: 'the call’s', ODD: ' $x "\'\n' }
      const script = 'printf "%s|" "$OF_MACHINE" "$OF_BOTH" "$ODD"; pwd'
      expect((await ran(machine(), sh(script), { env, cwd: '/tmp' })).stdout).toBe(
        'the machine’s|the call’s| $x "\'\n|/tmp\n',
      )
      const nowhere = await asked(() =>
        driver().exec(machine(), { command: ['uname'], cwd: '/no/such/folder' }),
      )
      if (nowhere.kind !== 'done') return expect(nowhere).toMatchObject(rejected)
      for (const output of [nowhere.value.stdout, nowhere.value.stderr]) output.resume()
      expect((await within(nowhere.value.ended, 'its end'))?.code).not.toBe(0)
    })

    it('4 MB of input come back equal, and input that nobody reads holds nothing up', async context => {
      needRealShell(context)
      const sent = randomBytes(4 * mebibyte)
      const cat = await run(machine(), { command: ['cat'] })
      cat.stderr.resume()
      cat.stdin.end(sent)
      expect(sent.equals(await within(buffer(cat.stdout), 'the end of cat'))).toBe(true)
      expect(await within(cat.ended, 'its end')).toEqual({ code: 0, signal: null })
      expect(await ran(machine(), sh('exit 5'), { input: sent })).toMatchObject({ code: 5 })
    })

    it('all of its output was read when it has ended', async context => {
      needRealShell(context)
      for (let times = 0; times < 20; times++) {
        const execution = await run(machine(), { command: sh('echo out; echo err >&2') })
        let shown = ''
        for (const output of [execution.stdout, execution.stderr]) output.on('data', data => (shown += data))
        expect(await within(execution.ended, 'its end')).toEqual({ code: 0, signal: null })
        expect(shown.split('\n').toSorted()).toEqual(['', 'err', 'out'])
      }
    })

    it('a signal reaches the program and its children, and one that ends it is named', async context => {
      needRealShell(context)
      for (const signal of ['TERM', 'KILL'] as const) {
        const { execution } = await begun(machine(), untilKilled)
        execution.stdout.resume()
        execution.signal(signal)
        const ended = await within(execution.ended, `the end by ${signal}`)
        expect(ended).toEqual({ code: null, signal })
      }
      const { execution, pid } = await begun(
        machine(),
        `trap "exit 7" USR1; echo $$; sh -c '${untilKilled}' & wait $!`,
      )
      const child = Number(await within(firstLine(execution), 'the id of its child'))
      execution.stdout.resume()
      execution.signal('USR1')
      expect(await within(execution.ended, 'the end by its own hand')).toEqual({ code: 7, signal: null })
      await expectGone(machine(), pid)
      await expectGone(machine(), child)
      // It has ended: nothing to signal, nothing to resize, nothing to let go of.
      execution.signal('KILL')
      execution.resize(size)
      execution.close()
    })

    it('with a size it runs on a terminal, which can be resized and typed into', async context => {
      needRealShell(context)
      const script = `echo to-stderr >&2; until test "$(stty size)" = "41 101"; do sleep 0.02; done; exec cat`
      const execution = await run(machine(), { command: sh(script), size })
      const shown = within(buffer(execution.stdout), 'the end of the terminal')
      const errors = within(buffer(execution.stderr), 'the end of the other stream')
      execution.resize({ cols: 101, rows: 41 })
      execution.stdin.end('typed\n')
      const lines = (await shown).toString().split(/\r?\n/)
      // What is typed shows twice: by the terminal, and by the program that reads it.
      expect(lines.filter(line => line.includes('typed'))).toHaveLength(2)
      expect(lines).toContain('to-stderr')
      expect((await errors).length).toBe(0)
      expect(await within(execution.ended, 'its end')).toEqual({ code: 0, signal: null })
      expect((await ran(machine(), ['stty', 'size'], { size })).stdout).toBe('24 80\r\n')
      // It closes its terminal before it ends, and is not hung up on for that.
      const all = await Promise.all(Array.from({ length: 20 }, () => ran(machine(), ['cat'], { size })))
      expect(all.map(({ code }) => code)).toEqual(all.map(() => 0))
    })

    it('close hangs up, and ends 2 s later what has not gone', async context => {
      needRealShell(context)
      const [polite, deaf, onTerminal] = await Promise.all([
        begun(machine(), `trap "exit 0" HUP; echo $$; while :; do sleep 0.05; done`),
        begun(machine(), `trap "" HUP; ${untilKilled}`),
        begun(machine(), untilKilled, { size }),
      ])
      const closedAt = performance.now()
      for (const { execution } of [polite, deaf, onTerminal]) execution.close()
      await expectGone(machine(), polite.pid, 1_900)
      await expectGone(machine(), onTerminal.pid, 1_900)
      const isDeafAlive = await isAlive(machine(), deaf.pid)
      if (performance.now() - closedAt < 1_900) expect(isDeafAlive).toBe(true)
      await expectGone(machine(), deaf.pid)
      for (const { execution } of [polite, deaf, onTerminal])
        await within(execution.ended, 'the end of what was closed')
    })

    it('what it left behind holds nothing up and runs on', async context => {
      needRealShell(context)
      for (const way of ['', 'setsid ']) {
        const { stdout, code } = await ran(machine(), sh(`${way}sleep 1000 & echo $!; exit 3`))
        expect(code).toBe(3)
        expect(await isAlive(machine(), Number(stdout))).toBe(true)
        expect(await ran(machine(), sh('kill "$1"', stdout.trim()))).toMatchObject({ code: 0 })
      }
    })

    it('output that nobody reads does not pile up, and reading on gets all of it', async context => {
      needRealShell(context)
      const endless = await run(machine(), { command: sh('yes 0123456789 & exec yes abcdefghij >&2') })
      const long = await run(machine(), { command: ['head', '-c', String(32 * mebibyte), '/dev/zero'] })
      const before = await subject.residentBytes()
      await sleep(1_000)
      expect((await subject.residentBytes()) - before).toBeLessThan(48 * mebibyte)
      for (const { stdout, stderr } of [endless, long])
        expect(stdout.readableLength + stderr.readableLength).toBeLessThan(4 * mebibyte)
      endless.close()
      long.stderr.resume()
      expect((await within(buffer(long.stdout), 'the rest')).length).toBe(32 * mebibyte)
      expect(await within(long.ended, 'its end')).toEqual({ code: 0, signal: null })
      await within(endless.ended, 'the end of what was closed')
    })

    it('the end of the machine ends it, and so does the loss of the driver', async context => {
      needRealShell(context)
      const ref = await subject.ownMachine()
      const left = await begun(ref, untilKilled)
      await subject.reopen()
      await expectGone(ref, left.pid)
      const { execution } = await begun(ref, untilKilled)
      const shown = buffer(execution.stdout)
      await value(() => driver().stop(ref))
      await within(shown, 'the end of its output')
      const ended = await within(execution.ended, 'its end')
      expect(ended === null || ended.code !== 0).toBe(true)
    })
  })
}

/** Takes the first line and leaves the rest unread. */
function firstLine({ stdout }: Execution): Promise<string> {
  let taken = Buffer.alloc(0)
  return new Promise((resolve, reject) => {
    const take = (chunk: Buffer) => {
      taken = Buffer.concat([taken, chunk])
      const end = taken.indexOf('\n')
      if (end === -1) return
      stdout.off('data', take).pause()
      if (end + 1 < taken.length) stdout.unshift(taken.subarray(end + 1))
      resolve(taken.toString('latin1', 0, end).trim())
    }
    stdout.on('data', take).once('error', reject).resume()
    stdout.once('end', () => reject(new Error(`it ended with ${JSON.stringify(taken.toString())}`)))
  })
}
