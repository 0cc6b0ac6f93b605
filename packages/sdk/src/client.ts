/** `createClient({ baseUrl, token })`: a method for each operation of the API, typed by its contract. */
import { api } from '@ingot/contracts/api'
import type { BytesOperation, Input, Operation, Output, UploadOperation } from '@ingot/contracts/operation'
import { streamEvents } from './events.ts'
import type { Received } from './received.ts'
import { call, type CallOptions, type ClientOptions, type UploadOptions } from './transport.ts'

type Answer<T extends Operation> = T extends Exclude<Operation, BytesOperation> ? Output<T> : Received

type Method<T extends Operation> = T extends UploadOperation
  ? (input: Input<T>, options: UploadOptions) => Promise<Answer<T>>
  : Record<never, never> extends Input<T>
    ? (input?: Input<T>, options?: CallOptions) => Promise<Answer<T>>
    : (input: Input<T>, options?: CallOptions) => Promise<Answer<T>>

type Namespace<T> = { readonly [K in keyof T]: T[K] extends Operation ? Method<T[K]> : never }

export type Client = { readonly [N in keyof typeof api]: Namespace<(typeof api)[N]> } & {
  /** Your facts as they happen, from `lastEventId` on; reconnects until `signal` aborts. */
  readonly events: (options: {
    signal: AbortSignal
    lastEventId?: string
    onOpen?: () => void
    onDrop?: () => void
  }) => ReturnType<typeof streamEvents>
}

export function createClient(options: ClientOptions): Client {
  const namespaces = Object.entries(api).map(([noun, operations]) => [
    noun,
    Object.fromEntries(
      Object.entries(operations as Record<string, Operation>).map(([name, op]) => [
        name,
        (input: Record<string, unknown> = {}, callOptions?: CallOptions | UploadOptions) =>
          call(options, op, input, callOptions),
      ]),
    ),
  ])
  return {
    ...Object.fromEntries(namespaces),
    events: (streamOptions: Parameters<Client['events']>[0]) => streamEvents(options, streamOptions),
  } as Client
}
