/**
 * Calls on the files of volumes, counted: a snapshot and a growth wait for those that are under way, and nobody begins one
 * while something long goes on with the volume.
 */
import { type Answer, failed, type MachineFiles, notYet, type Ref } from '../../driver.ts'
import { filesBelow } from '../../files-below.ts'
import { createFileCalls } from '../file-calls.ts'
import type { Channel } from '../wire/channel.ts'
import type { FilesCall } from '../wire/files.ts'

export interface VolumeCallNeeds {
  /** Where whoever answers sees the volume. */
  readonly top: string
  readonly log: (message: string) => void
}

export function createVolumeCalls({ top, log }: VolumeCallNeeds) {
  const open = new Map<Ref, Set<Channel>>()
  const underWay = new Map<Ref, number>()

  const count = (ref: Ref, by: number) => {
    const now = (underWay.get(ref) ?? 0) + by
    if (now > 0) underWay.set(ref, now)
    else underWay.delete(ref)
  }

  function keep(ref: Ref, channel: Channel): void {
    const channels = open.get(ref) ?? new Set()
    open.set(ref, channels.add(channel))
    void channel.result.then(() => {
      count(ref, -1)
      channels.delete(channel)
      if (channels.size === 0) open.delete(ref)
    })
  }

  return {
    /** Somebody reads or writes its files through us, or is about to. */
    inUse: (ref: Ref): boolean => underWay.has(ref),

    calls(
      reach: (ref: Ref, call: FilesCall) => Promise<Answer<Channel>>,
      isBusy: (ref: Ref) => boolean,
    ): (ref: Ref) => MachineFiles {
      const calls = createFileCalls(async (ref, call) => {
        // Something long goes on with it, and had to know that nobody writes meanwhile.
        if (isBusy(ref)) return notYet(250)
        count(ref, 1)
        try {
          const channel = await reach(ref, call)
          if (channel.kind === 'done') keep(ref, channel.value)
          else count(ref, -1)
          return channel
        } catch (error) {
          count(ref, -1)
          log(`the files of volume ${ref.slice(0, 64)}: ${String(error)}`)
          return failed('transient', 'The host can’t do this with the volume right now.')
        }
      })
      return ref => filesBelow(calls(ref), top)
    },

    async close(): Promise<void> {
      const all = [...open.values()].flatMap(channels => [...channels])
      for (const channel of all) channel.close()
      await Promise.all(all.map(({ result }) => result))
    },
  }
}
