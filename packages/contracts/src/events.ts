/** The live stream: facts about a user's own rows. A fact only says what changed; its reader fetches what it needs. */
import type { Api } from './api.ts'
import type { Operation } from './operation.ts'

/**
 * `GET /v1/events`: server-sent events `{type, id}` of your own rows, resumable by `Last-Event-ID`. After more than a
 * week some of what was missed may be deleted: the stream then begins anew with an event of the type `missedFacts`.
 */
export const eventsPath = '/v1/events'
export const eventsCall = { who: 'user' } as const satisfies Pick<Operation, 'who'>

/** What a fact can be about, and the nouns of the API whose answers it can change: clients fetch those again. */
export const changedBy = {
  /** What runs decides what the wallet pays, so an instance changes both. */
  instance: ['instances', 'volumes', 'activity', 'catalog', 'wallet', 'billing', 'budgets'],
  /** An instance says which it has. */
  volume: ['volumes', 'instances', 'activity', 'wallet', 'billing', 'budgets'],
  wallet: ['wallet', 'billing', 'budgets'],
  deposit: ['wallet', 'activity'],
  withdrawal: ['wallet', 'withdrawals', 'billing', 'activity'],
  ticket: ['support'],
  /** Told to everybody, and no fact of anybody's. */
  catalog: ['catalog'],
  /** The same: what the operator announces. */
  site: ['site'],
  api_key: [],
  ssh_key: ['ssh', 'activity'],
  template: ['templates', 'activity'],
  session: [],
  account: [],
} as const satisfies Record<string, readonly (keyof Api)[]>
type FactSubject = keyof typeof changedBy

/** Noun and past tense: `instance.started`. */
export type FactType = `${FactSubject}.${string}`

export interface StreamEvent {
  readonly type: string
  readonly id: string | null
}

/** Every noun that a fact can change: what is polled while the stream is down. */
export const liveNouns: readonly (keyof Api)[] = [...new Set(Object.values(changedBy).flat())]

/** The stream could not be resumed without a gap: whatever its reader has fetched is to be fetched again. */
export const missedFacts = 'stream.missed'

/** Of a folder of files each tells of itself, and changes nothing beside the log. */
const isOfFile = /^(instance|volume)\.(file_(uploaded|moved|deleted)|folder_made)$/

/** The nouns that a fact of this type can have changed; none for a type that this client does not know yet. */
export const nounsChangedBy = (type: string): readonly (keyof Api)[] =>
  type === missedFacts
    ? liveNouns
    : isOfFile.test(type)
      ? ['activity']
      : ((changedBy as Partial<Record<string, readonly (keyof Api)[]>>)[type.split('.')[0]!] ?? [])
