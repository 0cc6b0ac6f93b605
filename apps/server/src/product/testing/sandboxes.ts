/** What a sandbox leaves to see on its host. */
import { readdirSync, readFileSync } from 'node:fs'

/** Processes of the host that belong to an instance, by the mark that they were started with. */
export function processesOf(id: string): string[] {
  const shows = (pid: string, file: string, mark: RegExp) =>
    mark.test(readFileSync(`/proc/${pid}/${file}`, 'latin1'))
  return readdirSync('/proc').filter(pid => {
    try {
      return (
        /^\d+$/.test(pid) &&
        (shows(pid, 'cmdline', new RegExp(`^ingot-\\w+ ${id}\\b`)) ||
          shows(pid, 'environ', new RegExp(`\\bINGOT_MACHINE=${id}\\b`)))
      )
    } catch {
      return false
    }
  })
}

export const mountsOf = (id: string): string[] =>
  readFileSync('/proc/mounts', 'utf8')
    .split('\n')
    .filter(line => line.includes(id))
