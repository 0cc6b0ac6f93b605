/**
 * The files of a volume: our agent answers for them in a container that has nothing but the volume, whether a machine runs
 * with it or not. The container ends some seconds after the last call, and with the server that has it.
 */
import type { Duplex } from 'node:stream'
import { type Answer, done, failed, type Ref } from '../../driver.ts'
import type { FileKeepers, Serve } from '../../sandbox/volumes/store.ts'
import { createVolumeCalls } from '../../sandbox/volumes/volume-calls.ts'
import type { Channel } from '../../sandbox/wire/channel.ts'
import type { FilesCall } from '../../sandbox/wire/files.ts'
import { createAgents } from '../agents.ts'
import { own } from '../agent/session.ts'
import { beginContainer } from '../begin-container.ts'
import { type View, viewMount } from '../host-config.ts'
import { filesInput } from '../input.ts'
import { endPrograms, findPrograms, programContainer, type ProgramNeeds } from './run-program.ts'

/** Where the agent sees it. */
const top = '/volume'

export interface VolumeFilesNeeds extends ProgramNeeds {
  /** Null: there is no such volume. */
  readonly viewOf: (ref: Ref) => Promise<View | null>
  /** Machines that are stopped and whose containers run with it, so that their files can be seen. */
  readonly machines: {
    inUse(ref: Ref): Promise<boolean>
    /** True when none does. */
    end(ref: Ref): Promise<boolean>
  }
  readonly log: (message: string) => void
}

export function createVolumeFiles(needs: VolumeFilesNeeds): FileKeepers<unknown> {
  const { engine, names, machines, log } = needs
  const calls = createVolumeCalls({ top, log })
  const agents = createAgents(engine, leave, message => log(`for a volume: ${message}`), top)
  const running = new Map<Ref, { readonly id: string; readonly input: Duplex }>()
  /** Containers that this process has made. */
  const made = new Set<string>()
  let told: (ref: Ref) => void = () => {}

  /** Nobody asks any more. */
  function leave(ref: Ref): void {
    running.get(ref)?.input.destroy()
    running.delete(ref)
    told(ref)
  }

  async function begin(ref: Ref): Promise<Answer> {
    if (running.has(ref)) return done()
    const view = await needs.viewOf(ref)
    if (!view) return failed('lost', 'The volume is gone.')
    const plain = programContainer(needs, 'files', ref, [viewMount(view, top, ref, names.owned)])
    const { id } = await engine.patient.createContainer({
      ...plain,
      Entrypoint: [...own('sh'), '-s'],
      OpenStdin: true,
      StdinOnce: true,
      AttachStdin: true,
      HostConfig: { ...plain.HostConfig, AutoRemove: true },
    })
    made.add(id)
    const input = await beginContainer(engine, id, filesInput)
    running.set(ref, { id, input })
    input.once('close', () => {
      if (running.get(ref)?.input === input) running.delete(ref)
    })
    return done()
  }

  async function reach(serve: Serve<unknown>, ref: Ref, call: FilesCall): Promise<Answer<Channel>> {
    if (!(await needs.viewOf(ref))) return failed('lost', 'The volume is gone.')
    if (!running.has(ref)) {
      const begun = await serve(ref, () => begin(ref))
      if (begun.kind !== 'done') return begun
    }
    const place = running.get(ref)
    if (!place) return failed('transient', 'The host can’t do this with the volume right now.')
    return agents.ask(ref, place.id, { kind: 'files', call }, true)
  }

  /** Another server's container ends some seconds after the last who asked that one. */
  const isAskedElsewhere = async (ref: Ref): Promise<boolean> =>
    (await findPrograms(needs, ref, 'files')).some(({ Id }) => !made.has(Id))

  async function end(ref: Ref): Promise<boolean> {
    running.get(ref)?.input.destroy()
    running.delete(ref)
    const ended = await Promise.all([endPrograms(needs, ref, ['files']), machines.end(ref)])
    return ended.every(Boolean)
  }

  return {
    inUse: async ref => calls.inUse(ref) || (await machines.inUse(ref)) || (await isAskedElsewhere(ref)),
    end,
    onEnd(tell) {
      told = tell
    },
    calls: (serve, isBusy) => calls.calls((ref, call) => reach(serve, ref, call), isBusy),
    async close() {
      await calls.close()
      const left = [...running.keys()]
      agents.close()
      for (const ref of left) await end(ref)
    },
  }
}
