/** The part about volumes by themselves: made once, found again, grown, and gone when destroyed. */
import { describe, expect, it } from 'vitest'
import { gibibyte } from '../volumes.ts'
import type { VolumeSubject } from './volume-subject.ts'

const badKeys = ['', '..', '../../etc/passwd', 'a/b', '-o', 'b'.repeat(300), 'ü', 'ne\u0301', '\0', 'a\n']
const lost = { kind: 'failed', failure: 'lost' }
const rejected = { kind: 'failed', failure: 'rejected' }

export function describeVolumeLife(subject: VolumeSubject): void {
  const { asked, driver, makeVolume, store, value, volumeSpec } = subject

  describe('volumes', () => {
    it('one key makes one volume, also when asked twice at once, and it carries its id', async () => {
      const spec = volumeSpec()
      const [first, second] = await Promise.all([makeVolume(spec), makeVolume(spec)])
      expect(second).toBe(first)
      expect(await makeVolume(spec)).toBe(first)
      const { volumes } = await value(() => store().list())
      expect(volumes).toMatchObject([{ ref: first, volumeId: spec.volumeId, state: 'available' }])
    })

    it('a volume is empty, has its size and no machine', async () => {
      const seen = await value(async () => store().observe(await makeVolume()))
      expect(seen).toMatchObject({ state: 'available', sizeBytes: gibibyte, machine: null })
      if (store().capabilities.measuresUsed) expect(seen.usedBytes).toBeLessThan(gibibyte / 4)
    })

    it('a size or a key that can’t be used is refused, and nothing is made', async () => {
      for (const sizeGb of [0, -1, 1.5, 5_001, Number.NaN, Infinity])
        expect(await asked(() => store().create(volumeSpec({ sizeGb }), 'a-key'))).toMatchObject(rejected)
      for (const key of badKeys) {
        expect(await asked(() => store().create(volumeSpec(), key))).toMatchObject(rejected)
        expect(await asked(() => store().create(volumeSpec({ volumeId: key }), 'a-key'))).toMatchObject(
          rejected,
        )
      }
      for (const tenant of ['', 'a/b', '\0', 't'.repeat(300)])
        expect(await asked(() => store().create(volumeSpec({ tenant }), 'a-key'))).toMatchObject(rejected)
      expect(await value(() => store().list())).toEqual({ volumes: [], snapshots: [] })
    })

    it('destroy leaves nothing, and what never was is gone already', async () => {
      const ref = await makeVolume()
      await value(() => store().destroy(ref))
      expect(await value(() => store().list())).toMatchObject({ volumes: [] })
      for (const absent of [ref, ...badKeys, 'no-such-volume']) {
        expect(await asked(() => store().destroy(absent))).toMatchObject({ kind: 'done' })
        expect(await asked(() => store().destroySnapshot(absent))).toMatchObject({ kind: 'done' })
        expect(await value(() => store().observe(absent))).toMatchObject({ state: 'gone' })
        expect(await asked(() => store().grow(absent, 2))).toMatchObject(lost)
        expect(
          await asked(() => store().snapshot(absent, { snapshotId: 'a-snapshot' }, 'a-snapshot')),
        ).toMatchObject(lost)
        expect(await asked(() => store().restore(absent, volumeSpec(), 'a-key'))).toMatchObject(lost)
      }
    })

    it('volumes are found by the next driver on the same folder', async () => {
      const ref = await makeVolume()
      await subject.reopen()
      expect(await value(() => store().observe(ref))).toMatchObject({ state: 'available' })
    })

    it('grow is done twice as once, never shrinks, and keeps what is there', async () => {
      const ref = await makeVolume()
      const first = await subject.runningWith(subject.mounted(ref))
      await subject.write(first, '/volumes/data/kept', 'as it was')
      await value(() => subject.driver().destroy(first))
      await value(() => store().grow(ref, 2))
      await value(() => store().grow(ref, 2))
      expect(await asked(() => store().grow(ref, 1))).toMatchObject(rejected)
      expect(await value(() => store().observe(ref))).toMatchObject({ sizeBytes: 2 * gibibyte })
      const next = await subject.runningWith(subject.mounted(ref))
      expect(await subject.read(next, '/volumes/data/kept')).toBe('as it was')
      const again = await subject.settled(() => store().grow(ref, 3))
      const { growsWhileRunning } = store().capabilities
      expect(again).toMatchObject(growsWhileRunning ? { kind: 'done' } : rejected)
      const sizeBytes = (growsWhileRunning ? 3 : 2) * gibibyte
      expect(await value(() => store().observe(ref))).toMatchObject({ sizeBytes, machine: next })
      expect(await subject.read(next, '/volumes/data/kept')).toBe('as it was')
    })

    it('a program gets ENOSPC at the size, also a grown one, and nothing outside is touched', async context => {
      subject.needRealShell(context)
      if (!store().capabilities.enforcesSize)
        return context.skip('this store does not hold a volume to its size')
      const ref = await makeVolume()
      const machine = await subject.runningWith(subject.mounted(ref))
      const fill = (name: string) =>
        subject.ran(machine, ['sh', '-c', `fallocate -l 700M /volumes/data/${name} || exit 7`])
      expect(await fill('one')).toMatchObject({ code: 0 })
      const full = await fill('two')
      expect(full).toMatchObject({ code: 7 })
      expect(full.stderr).toContain('No space left on device')
      const rest = await subject.ran(machine, [
        'sh',
        '-c',
        'rm -f /volumes/data/two; dd if=/dev/zero of=/volumes/data/three bs=1M count=400; stat -c %s /volumes/data/three',
      ])
      expect(rest.stderr).toContain('No space left on device')
      expect(Number(rest.stdout)).toBeLessThan(400 * 2 ** 20)
      await subject.write(machine, '/workspace/beside', 'there is room here')
      expect((await value(() => store().observe(ref))).usedBytes).toBeGreaterThan(0.9 * gibibyte)
      await value(() => driver().stop(machine))
      await value(() => store().grow(ref, 2))
      await value(() => driver().start(machine))
      expect(await fill('two')).toMatchObject({ code: 0 })
    })
  })
}
