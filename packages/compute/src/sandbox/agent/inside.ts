/** What every process of ours does at its beginning inside a machine, and when the machine's folder is gone. */
import { closeSync, openSync, readdirSync, readFileSync, stat, statSync } from 'node:fs'

export const listenFd = 3
const folderCheckMs = 2_000
/** In the machine's folder on the host, which is bound here, read-only. */
const machineFile = '/run/ingot/machine/shell.json'

/**
 * What the machine is told about itself. Outside a machine there is no such file, and nothing goes on: ending all
 * programs would end those of the host. When the folder is gone from the host the process ends, so that a deleted
 * checkout leaves nothing running.
 */
export function beginInside<T>(title: string): T {
  const settings = readSettings<T>()
  closeInherited()
  process.title = title
  // Ctrl-C and hang-ups are for the programs in the terminals.
  for (const signal of ['SIGHUP', 'SIGINT', 'SIGTERM', 'SIGPIPE'] as const) process.on(signal, () => {})
  process.on('uncaughtException', error => console.error(error))
  // The threads that files take are made at the first call, and Node ends where none can be made: so it is made now,
  // before a tenant has filled the machine with processes.
  stat(machineFile, () => {})
  setInterval(() => {
    if (!statSync(machineFile, { throwIfNoEntry: false })) process.exit(0)
  }, folderCheckMs)
  return settings
}

export const readSettings = <T>(): T => JSON.parse(readFileSync(machineFile, 'utf8')) as T

/** It is up, and whoever started it listens no more. An open file takes the lowest number that is free. */
export function dropComplaints(): void {
  closeSync(2)
  openSync('/dev/null', 'w')
}

/** Closes what the control plane's own parents left open: a machine must hold no door to the host. */
function closeInherited(): void {
  const closeOnExec = 0o2000000
  for (const name of readdirSync('/proc/self/fd')) {
    const fd = Number(name)
    if (fd <= listenFd) continue
    try {
      const flags = /^flags:\s*(\d+)/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, 'latin1'))?.[1]
      if (flags && (Number.parseInt(flags, 8) & closeOnExec) === 0) closeSync(fd)
    } catch {
      // It was the listing's own.
    }
  }
}
