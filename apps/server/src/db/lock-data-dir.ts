/**
 * One living server at a time uses a data folder. What it holds is a socket that listens under a name made of the
 * folder's own number: the kernel gives a name to one process only, in one step, and takes it back when that process
 * has ended, however it ended. `server.pid` merely tells who it is. Servers in different network namespaces don't see
 * each other's names, so one folder must not be given to two containers.
 */
import { readFile, rm, stat, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:net'
import { basename, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { ConfigError } from '../config/config-error.ts'

/** A holder that was just killed may still look alive: the kernel marks it as ending a moment after the signal. */
const aliveMs = 300
/** A large process that was killed keeps its descriptors until its memory is gone. */
const dyingMs = 15_000
const retryMs = 10
/** A process that has begun to end runs nothing of its own any more: PF_EXITING in <linux/sched.h>. */
const exiting = 0x4

/** Refuses while another living server uses the folder. Returns what releases it. */
export async function lockDataDir(dir: string): Promise<() => Promise<void>> {
  const file = join(dir, 'server.pid')
  const { dev, ino } = await stat(dir, { bigint: true })
  const began = Date.now()
  for (;;) {
    const socket = await listen(`\0ingot-data-folder-${dev}-${ino}`)
    const holder = await readHolder(file)
    // A server of before there was a socket has only the file.
    if (socket && !holder?.isAlive) {
      await writeFile(file, `${process.pid} ${(await processOf(process.pid))?.startTime}`)
      return () => rm(file, { force: true }).finally(() => close(socket))
    }
    if (socket) await close(socket)
    if (Date.now() - began > (holder?.isAlive ? aliveMs : dyingMs))
      throw new ConfigError(
        `another server (process ${holder?.pid ?? 'unknown'}) already uses ${basename(dir)}. Stop it, or set INGOT_DATA_DIR to another folder`,
      )
    await sleep(retryMs)
  }
}

/** Null when another process listens under this name. */
function listen(name: string): Promise<Server | null> {
  const server = createServer(socket => socket.destroy())
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' ? resolve(null) : reject(error),
    )
    server.listen(name, () => resolve(server.unref()))
  })
}

const close = (server: Server): Promise<void> => new Promise(resolve => server.close(() => resolve()))

async function readHolder(file: string): Promise<{ pid: number; isAlive: boolean } | null> {
  const [pid, startTime] = (await readFile(file, 'utf8').catch(() => '')).split(' ')
  if (!pid || !startTime) return null
  const found = await processOf(Number(pid))
  return { pid: Number(pid), isAlive: found?.startTime === startTime && found.isAlive }
}

/** A process is its number and when it began, so a reused number is another process; see proc_pid_stat(5). */
export async function processOf(pid: number): Promise<{ startTime: string; isAlive: boolean } | null> {
  const text = await readFile(`/proc/${pid}/stat`, 'latin1').catch(() => null)
  const fields = text?.slice(text.lastIndexOf(')') + 2).split(' ')
  if (!fields?.[19]) return null
  const hasEnded = fields[0] === 'Z' || fields[0] === 'X' || (Number(fields[6]) & exiting) !== 0
  return { startTime: fields[19], isAlive: !hasEnded }
}
