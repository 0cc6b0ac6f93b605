/**
 * A channel into a machine: to its keeper while it runs, or to its clerk while it is stopped. Which of the two it is, is
 * looked up at each call.
 */
import { type Answer, done, failed, notYet, type Ref } from '../driver.ts'
import type { Clerks } from './clerk.ts'
import type { Life } from './machine-life.ts'
import type { MachineRecord, MachineStore } from './machine-store.ts'
import { type Channel, openChannel } from './wire/channel.ts'
import { Connection } from './wire/connection.ts'
import { ask, type Contact } from './wire/contact.ts'
import type { ChannelRequest, Reply } from './wire/frames.ts'

const answerMs = 4_500

export const refusals: Record<Extract<Reply, { ok: false }>['error'], Answer<never>> = {
  too_many_terminals: failed(
    'rejected',
    'This instance has as many terminals open as it can have. Close one first.',
  ),
  no_shell: failed('transient', 'The instance can’t start another process. End some of its programs first.'),
  nothing_listens: failed('rejected', 'Nothing in the instance listens on this port.'),
  too_many: failed(
    'transient',
    'The instance has as many connections open as it can have. Close some first.',
  ),
  failed: failed('transient', 'The instance can’t do this right now.'),
}

export const mapped = <T, U>(answer: Answer<T>, map: (value: T) => U): Answer<U> =>
  answer.kind === 'done' ? done(map(answer.value)) : answer

interface Needs {
  readonly store: MachineStore
  readonly life: Life
  readonly clerks: Clerks
  /** In turn with the machine's other calls. */
  readonly withMachine: (ref: Ref, act: (record: MachineRecord) => Promise<Answer>) => Promise<Answer>
}

function agreed(contact: Contact | null): Answer<Contact> {
  if (!contact) return failed('transient', 'The instance does not answer.')
  if (contact.reply.ok) return done(contact)
  contact.socket.destroy()
  return refusals[contact.reply.error]
}

export type MachineChannels = ReturnType<typeof machineChannels>

export function machineChannels({ store, life, clerks, withMachine }: Needs) {
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
    let contact = await clerks.contact(ref, request, answerMs)
    // A clerk may end right before it is asked, and a new one may fail to come up.
    for (let tries = 0; !contact && tries < 2; tries++) {
      const provided = await withMachine(ref, async record => {
        // Its keeper is up and has nothing to say before the machine is started.
        if (life.isHeld(ref) && !(await life.endNow(ref))) return notYet(100)
        return life.look(ref) === 'stopped' ? clerks.provide(ref, record) : notYet(200)
      })
      if (provided.kind !== 'done') return provided
      contact = await clerks.contact(ref, request, answerMs)
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
