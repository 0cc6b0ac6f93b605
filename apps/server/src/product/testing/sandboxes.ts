/** What a sandbox leaves to see on its host. */
import { globSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Processes of the host that belong to an instance, by the mark that they were started with. Of one that came up as a
 * spare only the holder has it: its watcher is above it, and its first process below.
 */
export function processesOf(id: string): string[] {
  const read = (pid: string, file: string) => {
    try {
      return readFileSync(`/proc/${pid}/${file}`, 'latin1')
    } catch {
      return ''
    }
  }
  const isMarked = (pid: string) =>
    new RegExp(`^ingot-\\w+ ${id}\\b`).test(read(pid, 'cmdline')) ||
    new RegExp(`\\bINGOT_MACHINE=${id}\\b`).test(read(pid, 'environ'))
  const around = (pid: string) => {
    const parent = /^PPid:\s+(\d+)/m.exec(read(pid, 'status'))?.[1] ?? ''
    const children = read(pid, `task/${pid}/children`).trim().split(' ').filter(Boolean)
    return [parent, ...children].filter(other => read(other, 'cmdline').startsWith('ingot-'))
  }
  const marked = readdirSync('/proc').filter(pid => /^\d+$/.test(pid) && isMarked(pid))
  const holders = marked.filter(pid => read(pid, 'cmdline').startsWith('ingot-holder'))
  return [...new Set([...marked, ...holders.flatMap(around)])]
}

/** Whether a machine is up in reserve, below this data folder. */
export const spareIsUp = (dataDir: string): boolean =>
  globSync(join(dataDir, 'sandbox/machines/.spare-*/process.json')).some(path => {
    try {
      return (JSON.parse(readFileSync(path, 'utf8')) as { init: unknown }).init !== null
    } catch {
      // It has just been taken.
      return false
    }
  })

export const mountsOf = (id: string): string[] =>
  readFileSync('/proc/mounts', 'utf8')
    .split('\n')
    .filter(line => line.includes(id))
