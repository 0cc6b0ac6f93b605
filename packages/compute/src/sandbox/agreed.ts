/** What a keeper or a clerk agreed to, or not, as an answer. */
import { type Answer, done, failed } from '../driver.ts'
import type { Contact } from './wire/contact.ts'
import type { Reply } from './wire/frames.ts'

export const answerMs = 4_500

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

export function agreed(contact: Contact | null): Answer<Contact> {
  if (!contact) return failed('transient', 'The instance does not answer.')
  if (contact.reply.ok) return done(contact)
  contact.socket.destroy()
  return refusals[contact.reply.error]
}
