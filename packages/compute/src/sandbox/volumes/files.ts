/**
 * The files of a volume: a clerk in a view with nothing of a customer's but the volume, as its tenant's uid, answers for
 * them. It stands on the host's own mount, whether a machine runs with the volume or not.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Answer, failed, type Ref } from '../../driver.ts'
import type { ClerkHome, ClerkPlace, Clerks } from '../clerk.ts'
import { agreed, answerMs, mapped } from '../agreed.ts'
import { makeFolder } from '../machine-store.ts'
import { hostView, machinePath, runtimePath } from '../machine-view.ts'
import { type Channel, openChannel } from '../wire/channel.ts'
import type { FilesCall } from '../wire/files.ts'
import type { FileKeepers, Serve } from './store.ts'
import { createVolumeCalls } from './volume-calls.ts'
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

export function createVolumeClerks({ clerks, files, runtime, log }: VolumeClerkNeeds): FileKeepers<Placed> {
  const calls = createVolumeCalls({ top, log })

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

  async function reach(serve: Serve<Placed>, ref: Ref, call: FilesCall): Promise<Answer<Channel>> {
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

  return {
    inUse: calls.inUse,
    end: (ref: Ref): Promise<boolean> => clerks.end(homeOf(ref)),
    onEnd(tell: (ref: Ref) => void): void {
      clerks.onEnd(id => id.endsWith(ending) && tell(id.slice(0, -ending.length)))
    },
    calls: (serve: Serve<Placed>, isBusy: (ref: Ref) => boolean) =>
      calls.calls((ref, call) => reach(serve, ref, call), isBusy),
    close: calls.close,
  }
}
