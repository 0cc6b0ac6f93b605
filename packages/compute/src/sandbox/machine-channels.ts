/**
 * A channel into a machine: to its keeper while it runs, or to its clerk while it is stopped. Which of the two it is, is
 * looked up at each call.
 */
import { type Answer, failed, notYet, type Ref } from '../driver.ts'
import { agreed, answerMs, mapped } from './agreed.ts'
import { type Clerks, machineHome, machinePlace } from './clerk.ts'
import type { Life } from './machine-life.ts'
import type { MachineRecord, MachineStore } from './machine-store.ts'
import type { Runtime } from './runtime.ts'
import { type Channel, openChannel } from './wire/channel.ts'
import { Connection } from './wire/connection.ts'
import { ask, type Contact } from './wire/contact.ts'
import type { ChannelRequest } from './wire/frames.ts'

interface Needs {
  readonly store: MachineStore
  readonly life: Life
  readonly clerks: Clerks
  readonly runtime: Runtime
  /** In turn with the machine's other calls. */
  readonly withMachine: (ref: Ref, act: (record: MachineRecord) => Promise<Answer>) => Promise<Answer>
}

export type MachineChannels = ReturnType<typeof machineChannels>

export function machineChannels({ store, life, clerks, runtime, withMachine }: Needs) {
  const closers = new Set<() => void>()

  function closedWith(close: () => void, over: Promise<unknown>): void {
    closers.add(close)
    void over.then(() => closers.delete(close))
  }
  function opened(contact: Contact): Channel {
    const channel = openChannel(contact)
    closedWith(channel.close, channel.result)
    return channel
  }

  async function stateOf(ref: Ref) {
    if (life.look(ref) === 'starting') await life.observe(ref)
    return life.look(ref)
  }

  /** To the keeper of a running machine. */
  async function reach(ref: Ref, request: ChannelRequest): Promise<Answer<Contact>> {
    if (!store.record(ref)) return failed('lost', 'The machine is gone.')
    const state = await stateOf(ref)
    if (state === 'starting') return notYet(200)
    if (state !== 'running') return failed('rejected', 'The instance is not running.')
    if ((store.process(ref)?.keeper ?? 1) < 2)
      return failed('rejected', 'This instance was started before this was possible. Restart it to use this.')
    return agreed(await ask(store.folder(ref), request, answerMs))
  }

  /** To whoever answers for the machine now. */
  async function reachAlways(ref: Ref, request: ChannelRequest): Promise<Answer<Contact>> {
    if (!store.record(ref)) return failed('lost', 'The machine is gone.')
    const state = await stateOf(ref)
    if (state === 'running') return reach(ref, request)
    if (state !== 'stopped') return notYet(200)
    const home = machineHome(store, ref)
    let contact = await clerks.contact(home, request, answerMs)
    // A clerk may end right before it is asked, and a new one may fail to come up.
    for (let tries = 0; !contact && tries < 2; tries++) {
      const provided = await withMachine(ref, async record => {
        // Its keeper is up and has nothing to say before the machine is started.
        if (life.isHeld(ref) && !(await life.endNow(ref))) return notYet(100)
        return life.look(ref) === 'stopped'
          ? clerks.provide(home, () => machinePlace(store, runtime, ref, record))
          : notYet(200)
      })
      if (provided.kind !== 'done') return provided
      contact = await clerks.contact(home, request, answerMs)
    }
    return agreed(contact)
  }

  return {
    whileRunning: async (ref: Ref, request: ChannelRequest) => mapped(await reach(ref, request), opened),
    always: async (ref: Ref, request: ChannelRequest) => mapped(await reachAlways(ref, request), opened),
    async connect(ref: Ref, port: number): Promise<Answer<Connection>> {
      return mapped(await reach(ref, { kind: 'connect', port }), contact => {
        const connection = new Connection(contact)
        closedWith(() => connection.close(), connection.over)
        return connection
      })
    },
    close() {
      for (const close of closers) close()
    },
  }
}
