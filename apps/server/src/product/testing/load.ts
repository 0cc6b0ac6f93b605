/**
 * A user who works with the product whatever becomes of it, and knows afterwards what must be true. Each write has a
 * key. One that was not answered, or with a failure of the server's, is sent again with its key until it is answered or
 * refused; now and then one is sent twice at once.
 */
import { IngotError } from '@ingot/contracts/errors'
import type { Instance } from '@ingot/contracts/instances'
import { type Client, createClient } from '@ingot/sdk/client'
import type { CallOptions } from '@ingot/sdk/transport'
import { a40 } from '../../instances/test-rows.ts'
import type { Random } from './random.ts'

type Send = (options: CallOptions) => Promise<unknown>
type Wanted = 'running' | 'stopped' | 'terminated'
const whenFull = ['refuse', 'queue'] as const

/** A write that was answered. */
interface Write {
  readonly send: Send
  readonly key: string
  readonly answer: unknown
}

/** What it works with, where that is not as usual. */
export interface Load {
  readonly template?: string
  /** Instances that it has at once. */
  readonly most?: number
}

export interface Worker extends Load {
  readonly id: string
  readonly client: Client
  readonly writes: Write[]
  /** Instances by id, with the name and the end that was asked for last; what waits for a place is to run. */
  readonly instances: Map<string, { name: string; wanted: Wanted }>
  /** Transactions of the faucet, and how often it was not known whether there was one. */
  readonly paid: string[]
  paidInDoubt: number
  minutes: number | null
  /** The API key that must work; null when it is not known which. */
  apiKey: string | null
  refused: number
  inDoubt: number
}

/** None so short that the service stops what nobody has touched for a while: only the worker stops. */
const choices = [60, 120, 240, 480]
const retryMs = 200

export function createWorker(url: string, id: string, token: string, load: Load = {}): Worker {
  const client = createClient({ baseUrl: url, token: () => token })
  return {
    ...load,
    id,
    client,
    writes: [],
    instances: new Map(),
    paid: [],
    paidInDoubt: 0,
    minutes: null,
    apiKey: null,
    refused: 0,
    inDoubt: 0,
  }
}

/** The server's own failure, or no answer: nobody knows whether it happened. */
export const isInDoubt = (error: unknown): boolean => !(error instanceof IngotError) || error.status >= 500

/** Works until `isOver`, then until the last write is answered. */
export async function work(
  worker: Worker,
  random: Random,
  address: string,
  isOver: () => boolean,
): Promise<void> {
  while (!isOver()) await act(worker, random, address)
}

async function act(worker: Worker, random: Random, address: string): Promise<void> {
  const { client, instances } = worker
  const alive = [...instances].filter(([, { wanted }]) => wanted !== 'terminated').map(([id]) => id)
  const chance = random.next()
  if (chance < 0.05) return pay(worker, random, address)
  if (chance < 0.1) return makeKey(worker)
  if (chance < 0.2) {
    const auto_shutdown_minutes = random.one(choices)
    if (
      await write(worker, random, options =>
        client.accounts.updateSettings({ auto_shutdown_minutes }, options),
      )
    )
      worker.minutes = auto_shutdown_minutes
    return
  }
  const { template, most = Infinity } = worker
  if ((chance < 0.4 && alive.length < most) || alive.length === 0) {
    const name = `box-${instances.size}-${random.between(0, 9999)}`
    const start = random.next() < 0.6
    const when_full = random.one(whenFull)
    const made = await write<Instance>(worker, random, options =>
      client.instances.create(
        a40({ name, start, when_full, ...(template && { template_id: template }) }),
        options,
      ),
    )
    if (made) instances.set(made.id, { name, wanted: start ? 'running' : 'stopped' })
    return
  }
  const id = random.one(alive)
  const known = instances.get(id)!
  if (chance < 0.5) {
    const name = `named-${random.between(0, 9999)}`
    if (await write(worker, random, options => client.instances.update({ id, name }, options)))
      known.name = name
    return
  }
  if (chance < 0.55) {
    const left = await write<Instance>(worker, random, options =>
      client.instances.leaveQueue({ id }, options),
    )
    // What was never deployed is deleted.
    if (left) known.wanted = left.status === 'stopped' ? 'stopped' : 'terminated'
    return
  }
  if (chance < 0.65) {
    const when_full = random.one(whenFull)
    if (await write(worker, random, options => client.instances.start({ id, when_full }, options)))
      known.wanted = 'running'
    return
  }
  const [verb, wanted] = random.one([
    ['stop', 'stopped'],
    ['restart', 'running'],
    ['delete', 'terminated'],
  ] as const)
  if (await write(worker, random, options => client.instances[verb]({ id }, options))) known.wanted = wanted
}

/** The answer, or null when it was refused. */
async function write<T>(worker: Worker, random: Random, send: Send): Promise<T | null> {
  const key = crypto.randomUUID()
  if (random.next() < 0.1) void send({ idempotencyKey: key }).catch(() => {})
  for (;;) {
    try {
      const answer = await send({ idempotencyKey: key })
      worker.writes.push({ send, key, answer })
      return answer as T
    } catch (error) {
      if (!isInDoubt(error)) {
        worker.refused++
        return null
      }
      worker.inDoubt++
      await new Promise(resolve => setTimeout(resolve, retryMs))
    }
  }
}

/** Its answer is a secret and is kept nowhere: when it is not known, the next one counts. */
async function makeKey(worker: Worker): Promise<void> {
  worker.apiKey = null
  const made = await worker.client.accounts.generateApiKey({ name: 'load' }).catch(error => {
    if (!isInDoubt(error)) throw error
    worker.inDoubt++
  })
  worker.apiKey = made?.key_value ?? null
}

/** The faucet is a payment on the chain, which has no keys. */
async function pay(worker: Worker, random: Random, address: string): Promise<void> {
  const sent = await worker.client.dev
    .faucet({ address, amount_usdt: random.between(10, 40) })
    .catch(error => {
      if (!isInDoubt(error)) throw error
      worker.paidInDoubt++
    })
  if (sent) worker.paid.push(sent.tx_hash)
}
