/** The part about snapshots: one moment of a volume, which outlives it and comes back whole. */
import { describe, expect, it } from 'vitest'
import { gibibyte } from '../volumes.ts'
import type { VolumeSubject } from './volume-subject.ts'

const rejected = { kind: 'failed', failure: 'rejected' }

export function describeSnapshots(subject: VolumeSubject): void {
  const { driver, makeVolume, mounted, read, runningWith, settled, store, value, volumeSpec, write } = subject

  const snapshot = (ref: string, id = 'a-snapshot') =>
    value(() => store().snapshot(ref, { snapshotId: id }, id))

  describe('snapshots', () => {
    it('a snapshot holds one moment, outlives its volume, and is restored to a larger one', async () => {
      const ref = await makeVolume()
      const first = await runningWith(mounted(ref))
      await value(() => driver().files(first).makeFolder('/volumes/data/folder'))
      await write(first, '/volumes/data/folder/file', 'as it was')
      await value(() => driver().destroy(first))
      const kept = await snapshot(ref)
      expect(await snapshot(ref)).toEqual(kept)
      expect(kept.usedBytes).toBeGreaterThan(0)
      expect(kept.usedBytes).toBeLessThan(gibibyte / 4)
      expect(kept.sha256).toMatch(/^[0-9a-f]{64}$/)
      const second = await runningWith(mounted(ref))
      await write(second, '/volumes/data/folder/file', 'changed')
      await value(() => driver().destroy(second))
      await value(() => store().destroy(ref))
      await subject.reopen()
      expect((await value(() => store().list())).snapshots).toMatchObject([
        { ref: kept.ref, snapshotId: 'a-snapshot', state: 'available', usedBytes: kept.usedBytes },
      ])
      const spec = volumeSpec({ sizeGb: 2 })
      const restored = await value(() => store().restore(kept.ref, spec, spec.volumeId))
      expect(await value(() => store().restore(kept.ref, spec, spec.volumeId))).toBe(restored)
      expect(await value(() => store().observe(restored))).toMatchObject({ sizeBytes: 2 * gibibyte })
      const third = await runningWith(mounted(restored))
      expect(await read(third, '/volumes/data/folder/file')).toBe('as it was')
      await write(third, '/volumes/data/folder/file', 'writable')
      if (store().capabilities.enforcesSize) {
        const { code } = await subject.ran(third, ['fallocate', '-l', '1500M', '/volumes/data/large'])
        expect(code).toBe(0)
      }
      await value(() => store().destroySnapshot(kept.ref))
      expect(await read(third, '/volumes/data/folder/file')).toBe('writable')
    })

    it('a snapshot is not restored to a smaller volume, nor when it is gone', async () => {
      const ref = await makeVolume(volumeSpec({ sizeGb: 2 }))
      const kept = await snapshot(ref)
      const spec = volumeSpec()
      expect(await settled(() => store().restore(kept.ref, spec, spec.volumeId))).toMatchObject(rejected)
      await value(() => store().destroySnapshot(kept.ref))
      expect(await settled(() => store().restore(kept.ref, spec, spec.volumeId))).toMatchObject({
        kind: 'failed',
        failure: 'lost',
      })
    })

    it('a snapshot is taken while a machine runs as declared', async () => {
      const ref = await makeVolume()
      const machine = await runningWith(mounted(ref))
      await write(machine, '/volumes/data/file', 'while it runs')
      const taken = await settled(() => store().snapshot(ref, { snapshotId: 'live' }, 'live'))
      if (store().capabilities.quiesce === 'stopped') {
        expect(taken).toMatchObject(rejected)
        expect((await value(() => store().list())).snapshots).toEqual([])
      } else expect(taken).toMatchObject({ kind: 'done' })
      await write(machine, '/volumes/data/file', 'and goes on')
      expect(await read(machine, '/volumes/data/file')).toBe('and goes on')
    })

    it('a snapshot of nobody’s making: a bad id is refused', async () => {
      const ref = await makeVolume()
      for (const id of ['', '..', 'a/b', 's'.repeat(300), 'ü'])
        expect(await settled(() => store().snapshot(ref, { snapshotId: id }, id))).toMatchObject(rejected)
    })
  })
}
