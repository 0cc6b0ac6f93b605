/** What a sandbox leaves to see on its host. */
import { readdirSync, readFileSync } from 'node:fs'

/** Processes of the host that belong to an instance, by the mark that its first process was started with. */
export function processesOf(id: string): string[] {
  return readdirSync('/proc').filter(pid => {
    try {
      return (
        /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/environ`, 'latin1').includes(`INGOT_MACHINE=${id}`)
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
