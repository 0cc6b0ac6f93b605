/** Spares as they lie in the driver's folder. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { MachineProcess } from '../machine-store.ts'

/** The processes of those that this process has made and that are up. */
export function sparesIn(dir: string): MachineProcess[] {
  return globSync('machines/.spare-*', { cwd: dir }).flatMap(name => {
    try {
      const process = JSON.parse(readFileSync(join(dir, name, 'process.json'), 'utf8')) as MachineProcess
      return process.init && process.startedBy.pid === globalThis.process.pid ? [process] : []
    } catch {
      // It is being made, or has just gone.
      return []
    }
  })
}

export const spareIsReady = (dir: string): boolean => sparesIn(dir).length > 0
