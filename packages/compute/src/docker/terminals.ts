/**
 * Terminals, from the driver's side. Shells must outlive the server, and an engine gives the stream of a program it runs
 * to nobody a second time; so a keeper, one process per folder beside the worker, holds those streams and the screens
 * (`keeper/keeper.ts`). It is started when a terminal is wanted and none is there, by whoever holds the lock.
 */
import { spawn } from 'node:child_process'
import { closeSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Answer, done, failed, type Ref, type TerminalSize, type TerminalStream } from '../driver.ts'
import { refusals } from '../sandbox/machine-channels.ts'
import { identify, isAlive, type ProcessIdentity } from '../sandbox/processes.ts'
import { createTurns } from '../sandbox/turns.ts'
import { ask } from '../sandbox/wire/contact.ts'
import { listenIn } from '../sandbox/wire/listener.ts'
import { clamped, terminalStream } from '../sandbox/wire/terminal-stream.ts'
import type { EngineOptions } from './engine.ts'
import type { KeeperOptions } from './keeper/keeper.ts'

const attachMs = 3_000
const helloMs = 1_000
const beginMs = 3_000
const maxTerminalId = 200
/** Of all terminals of one machine: each costs this process memory. */
const maxViewers = 64

export interface Terminals {
  attach(ref: Ref, terminalId: string, size: TerminalSize): Promise<Answer<TerminalStream>>
  close(): void
}

export function createTerminals(
  dir: string,
  engine: EngineOptions,
  installation: string,
  log: (message: string) => void,
): Terminals {
  const inTurn = createTurns()
  const viewers = new Map<TerminalStream, Ref>()
  const isUp = async () => {
    const contact = await ask(dir, { kind: 'hello' }, helloMs)
    contact?.socket.destroy()
    return contact?.reply.ok === true
  }

  const ensureKeeper = (): Promise<boolean> =>
    inTurn('', async () => {
      if (await isUp()) return true
      const lock = await takeLock(join(dir, 'keeper.lock'))
      if (!lock) return isUp()
      try {
        return (await isUp()) || (await begin())
      } finally {
        lock()
      }
    })

  async function begin(): Promise<boolean> {
    const listener = await listenIn(dir)
    try {
      const child = spawn(process.execPath, [join(import.meta.dirname, 'keeper/keeper.ts')], {
        cwd: '/',
        detached: true,
        // What it needs it is told on its input: others may read a process's arguments.
        stdio: ['pipe', 'ignore', 'ignore', listener.fd],
        env: { PATH: '/usr/bin:/bin' },
      })
      child.on('error', error => log(`the keeper of terminals could not be started: ${String(error)}`))
      child.stdin!.on('error', () => {})
      child.stdin!.end(JSON.stringify({ dir, engine, installation } satisfies KeeperOptions))
      child.unref()
    } finally {
      listener.close()
    }
    const until = performance.now() + beginMs
    while (performance.now() < until) if (await isUp()) return true
    return false
  }

  return {
    async attach(ref, terminalId, size) {
      if (terminalId.length > maxTerminalId) return failed('rejected', 'This terminal’s id is too long.')
      if ([...viewers.values()].filter(viewed => viewed === ref).length >= maxViewers)
        return refusals.too_many_terminals
      const request = { kind: 'attach', terminalId: `${ref}/${terminalId}`, ...clamped(size) } as const
      if (!(await ensureKeeper())) return failed('transient', 'The instance’s terminal does not answer.')
      const contact = await ask(dir, request, attachMs)
      if (!contact) return failed('transient', 'The instance’s terminal does not answer.')
      if (!contact.reply.ok) {
        contact.socket.destroy()
        return refusals[contact.reply.error]
      }
      const stream = terminalStream(contact)
      viewers.set(stream, ref)
      stream.once('close', () => viewers.delete(stream))
      return done(stream)
    },
    close() {
      for (const stream of viewers.keys()) stream.destroy()
    },
  }
}

/** Answers how to give it back; null where another process had it all the while. */
async function takeLock(path: string): Promise<(() => void) | null> {
  const until = performance.now() + beginMs
  while (performance.now() < until) {
    try {
      const file = openSync(path, 'wx', 0o600)
      writeSync(file, JSON.stringify(identify(process.pid)))
      closeSync(file)
      return () => rmSync(path, { force: true })
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
    // Whoever died with it doesn't hold it.
    if (!isHeld(path)) rmSync(path, { force: true })
    await sleep(20)
  }
  return null
}

function isHeld(path: string): boolean {
  try {
    return isAlive(JSON.parse(readFileSync(path, 'utf8')) as ProcessIdentity)
  } catch {
    return false
  }
}
