/**
 * A stopped instance whose owner allowed it: somebody at a terminal is asked whether to start it, for the price that the
 * question shows. What follows is the ordinary start, done by the owner through SSH.
 */
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { IngotError } from '@ingot/contracts/errors'
import { moneyText } from '@ingot/contracts/money'
import type { ServerChannel } from 'ssh2'
import { keepRefusal, NoPlace } from '../../catalog/places.ts'
import type { Region } from '../../catalog/regions.ts'
import { inAct } from '../../db/act.ts'
import { type Database, inTransaction } from '../../db/database.ts'
import { lockWallet } from '../../ledger/ledger.ts'
import type { Signals } from '../../worker/signals.ts'
import { findInstance, lockInstance } from '../queries.ts'
import { startInstance } from '../start-instance.ts'
import type { TypingNeeds } from '../typing.ts'
import { say } from './program.ts'
import type { Entry } from './sign-in.ts'
import { standingOf } from './watch-entries.ts'

export interface OfferNeeds extends TypingNeeds {
  readonly database: Database
  readonly regions: readonly Region[]
  readonly signals: Signals
}

const answerMs = 60_000
/** An image may have to be fetched first. */
const startMs = 15 * 60_000
const lookEveryMs = 500
const dotEveryMs = 2_000

/** True: it runs. Otherwise the channel has been told why not, and was ended. */
export async function offerStart(
  needs: OfferNeeds,
  entry: Entry,
  channel: ServerChannel,
  address: string,
  signal: AbortSignal,
): Promise<boolean> {
  const { kysely } = needs.database
  const { instanceId, userId } = entry
  try {
    const { hourly_cost_micro: price, paid_until } = await findInstance(kysely, userId, instanceId)
    const cost = `${moneyText(price, 'up')} an hour`
    channel.stderr.write(
      `The instance ${entry.name} is stopped. ${
        paid_until && Date.parse(paid_until) > needs.clock.now()
          ? `It is paid for until ${paid_until}; after that it costs ${cost}.`
          : `It costs ${cost} while it runs, by the second.`
      }\r\nStart it? [y/N] `,
    )
    if (!(await isWanted(channel, signal))) return no(channel, 'It was not started.')
    channel.stderr.write('Starting it ')
    const act = {
      actor: `user:${userId}`,
      role: null,
      operation: 'ssh',
      requestId: randomUUID(),
      ip: address,
    } as const
    await inAct(act, () => start(needs, entry, price))
    return await untilRunning(needs, entry, channel, signal)
  } catch (error) {
    if (!(error instanceof IngotError)) needs.log.warn({ err: error }, 'a start over SSH failed')
    return no(
      channel,
      error instanceof IngotError ? error.message : 'It failed on our side. Try again in a moment.',
    )
  }
}

const no = (channel: ServerChannel, message: string): false => {
  say(channel, message, 255)
  return false
}

/** The first key that is pressed says it. */
async function isWanted(channel: ServerChannel, signal: AbortSignal): Promise<boolean> {
  const late = AbortSignal.any([signal, AbortSignal.timeout(answerMs)])
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const decide = (data: Buffer) => resolve(/^y/i.test(data.toString('latin1')))
  const never = () => resolve(false)
  channel.once('data', decide).once('close', never).once('end', never)
  late.addEventListener('abort', never)
  const wanted = await promise
  channel.off('data', decide).off('close', never).off('end', never).pause()
  channel.stderr.write(wanted ? 'yes\r\n' : 'no\r\n')
  return wanted
}

async function start(needs: OfferNeeds, entry: Entry, shown: bigint): Promise<void> {
  const { database, clock, signals } = needs
  const { instanceId, userId } = entry
  // The key or the password may have gone since the question was asked.
  if (!(await standingOf(database, [entry])).has(entry))
    throw new IngotError('invalid_state', { message: 'You may not be connected any more.' })
  await inTransaction(database.kysely, async tx => {
    await lockWallet(tx, userId)
    const row = await lockInstance(tx, userId, instanceId)
    // Somebody else was quicker.
    if (row.status === 'running' || row.status === 'starting') return
    if (!row.ssh_offers_start || row.hourly_cost_micro !== shown)
      throw new IngotError('price_changed', { message: 'It was changed meanwhile. Connect again.' })
    await startInstance(tx, needs, userId, instanceId)
  }).catch(async error => {
    if (error instanceof NoPlace) await keepRefusal(database.kysely, error, clock.iso())
    throw error
  })
  for (const topic of ['gpu_instances', 'wallets', `user:${userId}`] as const) signals.send(topic)
}

async function untilRunning(
  { database }: OfferNeeds,
  { instanceId, userId }: Entry,
  channel: ServerChannel,
  signal: AbortSignal,
): Promise<boolean> {
  const until = performance.now() + startMs
  for (let dotAt = 0; performance.now() < until && !signal.aborted;) {
    const { status, status_message } = await findInstance(database.kysely, userId, instanceId)
    if (status === 'running') {
      channel.stderr.write(' it runs.\r\n')
      return true
    }
    if (status !== 'starting') return no(channel, `\r\n${status_message ?? 'It did not start.'}`)
    if (performance.now() > dotAt) {
      channel.stderr.write('.')
      dotAt = performance.now() + dotEveryMs
    }
    await sleep(lookEveryMs)
  }
  return no(channel, '\r\nIt takes longer than usual. Connect again later.')
}
