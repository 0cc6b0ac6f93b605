/** Stands in where no sandbox can be: it says why, holds nothing and starts nothing. */
import { done, failed, type MachineFiles } from '../driver.ts'
import type { StoringDriver } from '../volumes.ts'
import type { SandboxProbe } from './probes.ts'

const denied = async () =>
  failed('denied', 'This region can’t isolate machines from its host, so it starts none.')

const deniedFiles = (): MachineFiles => ({
  list: denied,
  stat: denied,
  read: denied,
  write: denied,
  makeFolder: denied,
  rename: denied,
  remove: denied,
})

export function refusingDriver(
  probes: readonly SandboxProbe[],
): StoringDriver & { probes: readonly SandboxProbe[] } {
  return {
    name: 'sandbox',
    probes,
    capabilities: {
      hardware: 'simulated',
      shell: 'real',
      images: false,
      enforces: { cpu: false, memory: false, processes: false, disk: false },
      measures: { processor: false, memory: false, disk: false, network: false, cards: false },
    },
    volumes: {
      capabilities: {
        enforcesSize: false,
        whileRunning: false,
        growsWhileRunning: false,
        readOnly: false,
        readOnlyLive: false,
        quiesce: 'stopped',
        measuresUsed: false,
      },
      create: denied,
      observe: async () => done({ state: 'gone', sizeBytes: 0, usedBytes: null, machine: null }),
      grow: denied,
      snapshot: denied,
      restore: denied,
      destroy: async () => done(),
      destroySnapshot: async () => done(),
      list: denied,
      attach: denied,
      detach: denied,
      files: deniedFiles,
    },
    inventory: async () => done([]),
    create: denied,
    observe: async () => done({ state: 'gone', publicIp: null, at: 0, run: null }),
    start: denied,
    stop: denied,
    destroy: async () => done(),
    attach: denied,
    exec: denied,
    connect: denied,
    logs: denied,
    stats: denied,
    files: deniedFiles,
    cpuTime: denied,
    list: denied,
    close: async () => {},
  }
}
