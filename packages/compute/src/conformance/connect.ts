/** The part of the suite about connections to a machine's own ports: whole both ways, each half ended by itself. */
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import type { Duplex } from 'node:stream'
import { buffer, text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, describe, expect, it } from 'vitest'
import type { Execution, Ref } from '../driver.ts'
import { echoServer } from './echo-server.ts'
import type { Subject } from './subject.ts'

const mebibyte = 2 ** 20
const rejected = { kind: 'failed', failure: 'rejected' }
const silentPort = 9
const noPorts = [0, -1, 65_536, 1.5, Number.NaN, Number.POSITIVE_INFINITY]
const portOfSuite = 7_007
/** More than any path to a machine and back may hold of what nobody reads. */
const tooMuch = 48 * mebibyte

export function describeConnect(subject: Subject): void {
  const { asked, driver, needRealShell, value, within } = subject

  /** A port that echoes, and the program that does; null: the machine does so by itself. */
  async function startEcho(ref: Ref): Promise<Echo> {
    if (subject.echoPort !== undefined) return { port: subject.echoPort, server: null }
    const server = await value(() => driver().exec(ref, { command: echoServer(portOfSuite) }))
    let errors = ''
    server.stderr.on('data', chunk => (errors += String(chunk)))
    const said = once(server.stdout, 'data').then(([chunk]) => String(chunk))
    const ended = server.ended.then(how => `${JSON.stringify(how)} ${errors}`)
    expect(await within(Promise.race([said, ended]), 'an echo server')).toBe('listening\n')
    return { port: portOfSuite, server }
  }
  const connected = (ref: Ref, port: number) => value(() => driver().connect(ref, port))

  describe('connect', () => {
    const machine = subject.useMachine()
    let echo: Echo
    beforeAll(async () => {
      echo = await startEcho(machine())
    }, subject.patienceMs * 4)

    it('4 MB come back equal, also after this side has ended its half', async () => {
      const sent = randomBytes(4 * mebibyte)
      const connection = await connected(machine(), echo.port)
      connection.end(sent)
      expect(sent.equals(await within(buffer(connection), 'the end of the echo'))).toBe(true)
    })

    it('what is written comes back while the connection stands', async () => {
      const connection = await connected(machine(), echo.port)
      for (const word of ['one', 'two']) {
        connection.write(word)
        const [back] = (await within(once(connection, 'data'), 'an echo')) as [Buffer]
        expect(back.toString()).toBe(word)
      }
      connection.destroy()
    })

    it('the other side may end its half, and still gets what is sent', async context => {
      needRealShell(context)
      const { server } = echo
      if (!server) return context.skip('what listens here only echoes')
      const connection = await connected(machine(), echo.port)
      let shown = ''
      connection.on('data', chunk => (shown += String(chunk))).write('!')
      await within(once(connection, 'end'), 'the end of the first half')
      expect(shown).toBe('first')
      const said = once(server.stdout, 'data')
      connection.end(randomBytes(mebibyte))
      const [count] = (await within(said, 'the count of what came')) as [Buffer]
      expect(Number(count)).toBe(mebibyte + 1)
    })

    it('50 connections at once are kept apart', async () => {
      const words = Array.from({ length: 50 }, (_, at) => `connection ${at} `.repeat(1_000))
      const echoes = words.map(async word => {
        const connection = await connected(machine(), echo.port)
        connection.end(word)
        return text(connection)
      })
      expect(await within(Promise.all(echoes), 'all echoes')).toEqual(words)
    })

    it('what nobody reads does not pile up, and reading on gets all of it', async () => {
      const connection = await connected(machine(), echo.port)
      connection.on('error', () => {})
      const before = await subject.residentBytes()
      const sent = await writeUntilItStalls(connection)
      expect(sent).toBeLessThan(tooMuch)
      expect((await subject.residentBytes()) - before).toBeLessThan(tooMuch)
      connection.end()
      expect((await within(buffer(connection), 'the rest')).length).toBe(sent)
    })

    it('where nothing listens, and at what is no port, it is rejected', async () => {
      for (const port of [silentPort, ...noPorts])
        expect(await asked(() => driver().connect(machine(), port)), String(port)).toMatchObject(rejected)
    })

    it('ends with the run', async () => {
      const ref = await subject.ownMachine()
      const { port } = await startEcho(ref)
      const connection = await connected(ref, port)
      connection.on('error', () => {})
      connection.write('one')
      await within(once(connection, 'data'), 'an echo')
      const closed = once(connection, 'close')
      // Whoever still may send learns of the end all the same.
      connection.on('end', () => connection.end())
      connection.resume()
      await value(() => driver().stop(ref))
      expect(await within(closed, 'the end of the connection')).toEqual([])
    })
  })
}

interface Echo {
  readonly port: number
  readonly server: Execution | null
}

/** Answers how many bytes it took until nothing moved for a while. */
async function writeUntilItStalls(connection: Duplex): Promise<number> {
  const chunk = Buffer.alloc(64 * 1024, 'x')
  for (let sent = chunk.length; ; sent += chunk.length) {
    if (connection.write(chunk)) continue
    if (sent > tooMuch) return sent
    const drained = once(connection, 'drain').then(() => true)
    if (!(await Promise.race([drained, sleep(500, false)]))) return sent
  }
}
