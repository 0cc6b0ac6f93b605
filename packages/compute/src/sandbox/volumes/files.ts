/**
 * The files of a volume: a clerk in a view with nothing of a customer's but the volume, as its tenant's uid, answers for
 * them. It stands on the host's own mount, whether a machine runs with the volume or not.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Answer, failed, type MachineFiles, notYet, type Ref } from '../../driver.ts'
import { filesBelow } from '../../files-below.ts'
import type { ClerkHome, ClerkPlace, Clerks } from '../clerk.ts'
import { createFileCalls } from '../file-calls.ts'
import { agreed, answerMs, mapped } from '../agreed.ts'
import { makeFolder } from '../machine-store.ts'
import { hostView, machinePath, runtimePath } from '../machine-view.ts'
import { type Channel, openChannel } from '../wire/channel.ts'
import type { FilesCall } from '../wire/files.ts'
import type { Placed, VolumeFiles } from './volume-files.ts'

/** Where the clerk sees it. */
const top = '/volume'
const ending = '.volume'

/** No machine's id has a dot. */
export const volumeHomeId = (ref: Ref): string => ref + ending

export interface VolumeClerkNeeds {
  readonly clerks: Clerks
  readonly files: VolumeFiles
  /** The folder that clerks run from. */
  readonly runtime: string
  readonly log: (message: string) => void
}

export type VolumeClerks = ReturnType<typeof createVolumeClerks>
type Serve = (ref: Ref, act: (placed: Placed) => Promise<Answer>) => Promise<Answer>

export function createVolumeClerks({ clerks, files, runtime, log }: VolumeClerkNeeds) {
  const open = new Map<Ref, Set<Channel>>()
  const underWay = new Map<Ref, number>()

  const homeOf = (ref: Ref): ClerkHome => ({ id: volumeHomeId(ref), folder: files.path('volumes', ref, '.') })

  function placeFor(ref: Ref, { folder, record }: Placed): ClerkPlace {
    const inside = files.path('volumes', ref, 'inside')
    makeFolder(inside, 0o755)
    writeFileSync(join(inside, 'shell.json'), JSON.stringify({ top }), { mode: 0o644 })
    const view = hostView('volume')
    return {
      uid: record.uid,
      view: {
        ...view,
        readOnly: [
          ...view.readOnly,
          { source: runtime, path: runtimePath },
          { source: inside, path: machinePath },
        ],
        writable: [{ source: folder, path: top }],
      },
    }
  }

  async function reach(serve: Serve, ref: Ref, call: FilesCall): Promise<Answer<Channel>> {
    if (!files.volume(ref)) return failed('lost', 'The volume is gone.')
    const home = homeOf(ref)
    const request = { kind: 'files', call } as const
    let contact = await clerks.contact(home, request, answerMs)
    for (let tries = 0; !contact && tries < 2; tries++) {
      const provided = await serve(ref, placed => clerks.provide(home, () => placeFor(ref, placed)))
      if (provided.kind !== 'done') return provided
      contact = await clerks.contact(home, request, answerMs)
    }
    return mapped(agreed(contact), openChannel)
  }

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
    /** True when nobody answers for it any more. */
    end: (ref: Ref): Promise<boolean> => clerks.end(homeOf(ref)),
    onEnd(tell: (ref: Ref) => void): void {
      clerks.onEnd(id => id.endsWith(ending) && tell(id.slice(0, -ending.length)))
    },

    calls(serve: Serve, isBusy: (ref: Ref) => boolean): (ref: Ref) => MachineFiles {
      const calls = createFileCalls(async (ref, call) => {
        // Something long goes on with it, and had to know that nobody writes meanwhile.
        if (isBusy(ref)) return notYet(250)
        count(ref, 1)
        try {
          const channel = await reach(serve, ref, call)
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
