/** Containers of stopped machines that run only so that their files can be seen: nothing of the customer's runs in them. */
import type { Duplex } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ContainerInspectInfo } from 'dockerode'
import { type Answer, done, failed, notYet, type Ref } from '../driver.ts'
import { beginContainer } from './begin-container.ts'
import { type Engine, statusOf } from './engine.ts'
import { filesInput, olderInput } from './input.ts'
import type { MadeAnew } from './made-anew.ts'
import type { Networks } from './networks.ts'
import type { Runs } from './runs.ts'
import { isOlder } from './variables.ts'
import type { DockerVolumes } from './volumes/open.ts'

export interface StoppedFilesNeeds {
  readonly engine: Engine
  readonly runs: Runs
  readonly networks: Networks
  readonly volumes: DockerVolumes['machines'] | null
  readonly anew: MadeAnew
  readonly find: (ref: Ref) => Promise<ContainerInspectInfo | null>
}

const retryMs = 250
const endMs = 10_000
const lost = () => failed('lost', 'The machine is gone.')

export function createStoppedFiles({ engine, runs, networks, volumes, anew, find }: StoppedFilesNeeds) {
  const running = new Map<Ref, Duplex>()

  /** In the machine's turn. Answers the container, which runs until `end` or the end of this process. */
  async function begin(ref: Ref): Promise<Answer<string>> {
    let found = await find(ref)
    if (!found) return lost()
    if (running.has(ref) && (await runs.isForFiles(ref, found.State))) return done(found.Id)
    if ((await runs.observe(ref, found.Id, found.State)).state !== 'stopped') return notYet(retryMs)
    await end(ref)
    const without = await volumes?.withoutGone(found)
    if (without) {
      await anew.give(ref, found, without)
      found = await find(ref)
      if (!found) return lost()
    }
    const place = found
    const run = async (): Promise<Answer> => {
      await networks.rejoin(place)
      await runs.begin(ref, 'files', (await find(ref))?.State ?? place.State)
      const told = isOlder(place.Config) ? olderInput('files') : filesInput
      const input = await beginContainer(engine, place.Id, told)
      running.set(ref, input)
      input.once('close', () => {
        if (running.get(ref) === input) running.delete(ref)
      })
      return done()
    }
    const begun = volumes ? await volumes.whileThere(place, run) : await run()
    return begun.kind === 'done' ? done(place.Id) : begun
  }

  /** Resolves when the container no longer runs for its files. */
  async function end(ref: Ref): Promise<void> {
    running.get(ref)?.destroy()
    const found = await find(ref)
    if (found && (await runs.isForFiles(ref, found.State)))
      await engine.patient.getContainer(found.Id).kill().catch(unlessConflict)
    const until = performance.now() + endMs
    for (let now = found; now && (await runs.isForFiles(ref, now.State)); now = await find(ref)) {
      if (performance.now() > until) throw new Error('its files are still in use')
      await sleep(10)
    }
    // Whoever waits for this may hold the volume's turn.
    if (found) void volumes?.ended(found)
  }

  return {
    begin,
    end,
    drop: (ref: Ref): void => void running.get(ref)?.destroy(),
    close(): void {
      for (const input of running.values()) input.destroy()
    },
  }
}

function unlessConflict(error: unknown): void {
  if (statusOf(error) !== 409) throw error
}
