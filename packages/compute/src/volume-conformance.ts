/**
 * What every store of volumes keeps, whichever driver it stands beside: the contract in `volumes.ts`, through machines of
 * that driver. What only programs can show is left out where machines run none, and what a store declares that it
 * can't do must be refused.
 */
import { afterAll, afterEach, beforeAll, describe } from 'vitest'
import { type ConformanceOptions, createSubject } from './conformance/subject.ts'
import { describeAttaching } from './conformance/volume-attaching.ts'
import { describeSnapshots } from './conformance/volume-snapshots.ts'
import { describeFilesOfOne, describeVolumeFiles } from './conformance/volume-files.ts'
import { createVolumeSubject } from './conformance/volume-subject.ts'
import { describeVolumeLife } from './conformance/volumes.ts'
import type { StoringDriver } from './volumes.ts'

export interface VolumeConformanceOptions extends ConformanceOptions {
  /** The store was held to its own part beside other machines already: here are only the machines others. */
  readonly isKnownStore?: boolean
  /** What a store's folder must not have when nothing is left of it: mounts, devices, files. */
  readonly leftovers?: (dir: string) => readonly string[]
}

export function describeVolumes(
  name: string,
  makeDriver: (dir: string) => StoringDriver | Promise<StoringDriver>,
  options: VolumeConformanceOptions = {},
): void {
  const machines = createSubject(makeDriver, options)
  const subject = createVolumeSubject(machines, options.leftovers ?? (() => []))
  const suite = options.skip ? describe.skip : describe
  const timeout = machines.patienceMs * 4

  suite(`${name} keeps the contract of volumes`, { timeout }, () => {
    beforeAll(() => machines.open(), timeout)
    afterAll(() => subject.clear().then(() => machines.discard()), timeout)
    describe('with no volume at first:', () => {
      afterEach(() => subject.clear(), timeout)
      describeAttaching(subject)
      describeVolumeFiles(subject)
      if (options.isKnownStore) return
      describeVolumeLife(subject)
      describeSnapshots(subject)
    })
    if (options.isKnownStore) return
    describe('one volume for many tests:', () => {
      describeFilesOfOne(subject)
    })
  })
}
