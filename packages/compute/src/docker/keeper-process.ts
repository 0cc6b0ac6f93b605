/**
 * Starts a keeper of terminals (`keeper/keeper.ts`), a process beside the one that starts it, in whose folder it listens.
 * There is one in a folder, by a lock that whoever dies with it loses.
 */
import { spawn } from 'node:child_process'
import { closeSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { identify, isAlive, type ProcessIdentity } from '../sandbox/processes.ts'
import { ask } from '../sandbox/wire/contact.ts'
import { listenIn } from '../sandbox/wire/listener.ts'
import type { KeeperOptions } from './keeper/keeper.ts'
import type { Address } from './keeper/secure.ts'

export const helloMs = 1_000
const beginMs = 3_000

export async function isKeeperUp(dir: string): Promise<boolean> {
  const contact = await ask(dir, { kind: 'hello' }, helloMs)
  contact?.socket.destroy()
  return contact?.reply.ok === true
}

/** True when one answers in its folder. */
export async function ensureKeeper(options: KeeperOptions, log: (message: string) => void): Promise<boolean> {
  const { dir } = options
  if (await isKeeperUp(dir)) return true
  const lock = await takeLock(join(dir, 'keeper.lock'))
  if (!lock) return isKeeperUp(dir)
  try {
    return (await isKeeperUp(dir)) || (await begin(options, log))
  } finally {
    lock()
  }
}

/** Of the one in this folder, up or not. */
export function keeperAddress(dir: string): Address | null {
  try {
    return JSON.parse(readFileSync(join(dir, 'keeper.address'), 'utf8')) as Address
  } catch {
    return null
  }
}

/** It ends what it keeps, and itself, when it is not found in its folder any more. */
export const dismissKeeper = (dir: string): void => rmSync(join(dir, 'keeper.sock'), { force: true })

async function begin(options: KeeperOptions, log: (message: string) => void): Promise<boolean> {
  const { dir } = options
  const problem = join(dir, 'keeper.problem')
  for (const file of [join(dir, 'keeper.address'), problem]) rmSync(file, { force: true })
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
    child.stdin!.end(JSON.stringify(options))
    child.unref()
  } finally {
    listener.close()
  }
  const until = performance.now() + beginMs
  while (performance.now() < until) if (await isKeeperUp(dir)) return true
  log(`the keeper of terminals did not come up: ${readFile(problem) ?? 'it does not answer'}`)
  return false
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
    return isAlive(JSON.parse(readFile(path) ?? '') as ProcessIdentity)
  } catch {
    return false
  }
}

function readFile(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return null
  }
}
