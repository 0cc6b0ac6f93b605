/** The store under test, and machines that have its volumes. */
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { expect } from 'vitest'
import type { MachineSpec, Ref } from '../driver.ts'
import type { VolumeMount } from '../volume-mount.ts'
import type { StoringDriver, VolumeSpec, VolumeStore } from '../volumes.ts'
import type { Subject } from './subject.ts'

export type VolumeSubject = ReturnType<typeof createVolumeSubject>

export function createVolumeSubject(machines: Subject, leftovers: (dir: string) => readonly string[]) {
  const { driver, value, settled } = machines
  const store = (): VolumeStore => (driver() as StoringDriver).volumes
  let made = 0

  const volumeSpec = (changes: Partial<VolumeSpec> = {}): VolumeSpec => ({
    volumeId: `volume-${++made}`,
    tenant: 'a-tenant',
    sizeGb: 1,
    ...changes,
  })

  const makeVolume = (spec = volumeSpec()): Promise<Ref> => value(() => store().create(spec, spec.volumeId))

  const mounted = (ref: Ref, changes: Partial<VolumeMount> = {}): VolumeMount => ({
    ref,
    name: 'data',
    readOnly: false,
    ...changes,
  })

  /** A machine that runs with this volume. */
  const runningWith = (volume: VolumeMount | null, changes: Partial<MachineSpec> = {}): Promise<Ref> =>
    machines.running({ ...changes, volume })

  async function write(machine: Ref, path: string, content: string): Promise<void> {
    await value(() =>
      driver()
        .files(machine)
        .write(path, Readable.from([Buffer.from(content)])),
    )
  }

  async function read(machine: Ref, path: string): Promise<string> {
    const { data } = await value(() => driver().files(machine).read(path))
    return text(data)
  }

  async function clear(): Promise<void> {
    await machines.clear()
    const { volumes, snapshots } = await value(() => store().list())
    for (const { ref } of volumes) await settled(() => store().destroy(ref))
    for (const { ref } of snapshots) await settled(() => store().destroySnapshot(ref))
    expect(await value(() => store().list())).toEqual({ volumes: [], snapshots: [] })
    expect(leftovers(machines.folder())).toEqual([])
  }

  return { ...machines, store, volumeSpec, makeVolume, mounted, runningWith, write, read, clear }
}
