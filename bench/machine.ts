/** A machine by a driver alone, without a product around it. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Answer, Driver, MachineSpec } from '@ingot/compute/driver'

/** Answers its ref. */
export async function startMachine(driver: Driver, instanceId: string): Promise<string> {
  const spec: MachineSpec = {
    instanceId,
    tenant: 'bench',
    name: 'bench',
    gpuType: 'A40',
    gpuCount: 1,
    gpuMemoryGb: 48,
    cpuCores: 8,
    memoryGb: 48,
    storageGb: 140,
    image: '',
    region: 'US-East',
    host: null,
    cards: [],
    command: null,
    env: {},
    volume: null,
  }
  const ref = await settled(() => driver.create(spec, instanceId))
  await settled(() => driver.start(ref))
  return ref
}

async function settled<T>(ask: () => Promise<Answer<T>>): Promise<T> {
  for (;;) {
    const answer = await ask()
    if (answer.kind === 'done') return answer.value
    if (answer.kind === 'failed') throw new Error(answer.message)
    await sleep(answer.retryMs)
  }
}
