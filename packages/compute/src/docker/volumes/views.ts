/**
 * What containers mount of volumes: made with a container that names it, and removed with the volume or that container; and
 * the note of whose files they are (`owner.ts`).
 */
import type { Ref } from '../../driver.ts'
import type { KeptVolume, VolumeKeep } from '../../sandbox/volumes/store.ts'
import { labels } from '../names.ts'
import type { ProgramNeeds } from './run-program.ts'

/** A view that the container of a stopped machine names stays until that is made anew or removed. */
export function withoutViews<Kept extends KeptVolume, Placed>(
  keep: VolumeKeep<Kept, Placed>,
  { engine, names }: ProgramNeeds,
): VolumeKeep<Kept, Placed> {
  async function remove(ref: Ref): Promise<void> {
    const label = [...names.filter.label, `${labels.volume}=${ref}`]
    const { Volumes } = await engine.calls.listVolumes({ filters: { label } })
    const own = (Volumes ?? []).filter(({ Labels }) => ['view', 'owned'].includes(Labels[labels.part] ?? ''))
    for (const { Name } of own)
      await engine.calls
        .getVolume(Name)
        .remove()
        .catch(() => {})
  }
  return {
    ...keep,
    async discard(ref) {
      const isGone = await keep.discard(ref)
      await remove(ref)
      return isGone
    },
  }
}
