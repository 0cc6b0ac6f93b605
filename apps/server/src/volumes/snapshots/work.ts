/**
 * Moves each snapshot towards what was asked: stored and checksummed, or destroyed. The store is called outside any
 * transaction, and its answer applied while the claim stands.
 */
import type { Answer } from '@ingot/compute/driver'
import type { Snapshot, VolumeStore } from '@ingot/compute/volumes'
import { moneyText } from '@ingot/contracts/money'
import { bytesOfSnapshotMonth, snapshotMonthMicro } from '@ingot/contracts/volume/prices'
import { sql } from 'kysely'
import type { Logger } from 'pino'
import type { Clock } from '../../db/clock.ts'
import type { Database, Tx } from '../../db/database.ts'
import { appendEvent } from '../../db/events.ts'
import { lockWallet, returnFirstStart } from '../../ledger/ledger.ts'
import { lowerMonth, openMonth } from '../../ledger/months.ts'
import type { Claim, Work } from '../../worker/loop.ts'
import type { Signals } from '../../worker/signals.ts'
import type { SnapshotRow } from '../queries.ts'
import { maxTries, retryMs } from '../retries.ts'
import { storeNamed, type StoreNeeds } from '../stores.ts'

export interface SnapshotWorkNeeds extends StoreNeeds {
  readonly database: Database
  readonly clock: Clock
  readonly signals: Signals
  readonly log: Logger
}

type Write = Parameters<Claim<'volume_snapshots'>['apply']>[0]

const concurrency = 8
/**
 * What may be stored beyond what was paid for: what a file system needs for itself, and what was written since it was
 * measured. More is not stored for the price that was shown.
 */
const slackBytes = 2n * 2n ** 30n
const mostOf = (paid: bigint): bigint => (bytesOfSnapshotMonth(paid) * 11n) / 10n + slackBytes

export function snapshotWork(needs: SnapshotWorkNeeds): Work<'volume_snapshots'> {
  return {
    table: 'volume_snapshots',
    key: 'id',
    clock: 'business',
    concurrency,
    only: () => {
      const names = [...new Set(needs.regions.map(region => region.compute.name))]
      return sql`driver = any(${names})`
    },
    lockFirst: (tx, row) => lockWallet(tx, row.user_id),
    async perform(row, claim) {
      const store = storeNamed(needs, row.driver)
      const write: Write = store
        ? await pass(needs, store, row)
        : async () => ({ due_at: needs.clock.iso(5_000) })
      await claim.apply(async (tx, now) =>
        // It was deleted meanwhile.
        now.status === row.status ? write(tx, now) : { due_at: needs.clock.iso() },
      )
      for (const topic of ['wallets', 'notice', `user:${row.user_id}`] as const) needs.signals.send(topic)
    },
  }
}

function pass(needs: SnapshotWorkNeeds, store: VolumeStore, row: SnapshotRow): Promise<Write> {
  if (row.status === 'creating') return take(needs, store, row)
  if (row.status === 'deleting') return destroy(needs, store, row)
  return Promise.resolve(async () => ({ due_at: null }))
}

async function take(needs: SnapshotWorkNeeds, store: VolumeStore, row: SnapshotRow): Promise<Write> {
  const { clock } = needs
  const answer = await asked(needs, store, row)
  if (answer.kind === 'not_yet') return async () => ({ due_at: clock.iso(answer.retryMs) })
  if (answer.kind === 'done') {
    if (BigInt(answer.value.usedBytes) <= mostOf(row.month_micro)) return stored(needs, row, answer.value)
    return refused(
      needs,
      row,
      'Far more was written to the volume than was measured when its price was shown. Take it again.',
    )
  }
  if (answer.failure === 'transient' && row.attempts + 1 < maxTries)
    return async () => ({ attempts: row.attempts + 1, due_at: clock.iso(retryMs(row.attempts)) })
  return refused(needs, row, answer.message)
}

async function asked(
  { database }: SnapshotWorkNeeds,
  store: VolumeStore,
  row: SnapshotRow,
): Promise<Answer<Snapshot>> {
  const volume = await database.kysely
    .selectFrom('network_volumes')
    .select('driver_ref')
    .where('id', '=', row.volume_id)
    .executeTakeFirst()
  if (!volume?.driver_ref) return { kind: 'failed', failure: 'lost', message: 'The volume is gone.' }
  return store.snapshot(volume.driver_ref, { snapshotId: row.id }, row.id)
}

/** Its month begins. It costs by what is stored, and never more than was shown. */
const stored =
  ({ clock }: SnapshotWorkNeeds, row: SnapshotRow, { ref, usedBytes, sizeGb, sha256 }: Snapshot): Write =>
  async tx => {
    const at = clock.iso()
    const counted = snapshotMonthMicro(BigInt(usedBytes))
    const month = counted < row.month_micro ? counted : row.month_micro
    await lowerMonth(tx, row.id, month, at)
    await openMonth(tx, row.id, at)
    await tell(tx, row, 'volume.snapshot_available', at, row.name)
    await appendEvent(tx, { userId: row.user_id, type: 'wallet.updated', at })
    return {
      status: 'available',
      driver_ref: ref,
      used_bytes: BigInt(usedBytes),
      size_gb: sizeGb,
      sha256: Buffer.from(sha256, 'hex'),
      month_micro: month,
      attempts: 0,
      due_at: null,
      updated_at: at,
    }
  }

/** All that was paid for it returns, and whatever came of it is taken away. */
const refused =
  ({ clock }: SnapshotWorkNeeds, row: SnapshotRow, reason: string): Write =>
  async tx => {
    const at = clock.iso()
    const returned = await returnFirstStart(tx, row.id, at)
    const message = `${reason} The ${moneyText(returned)} that was paid for it was returned to your wallet.`
    await tell(tx, row, 'volume.snapshot_failed', at, `${row.name}: ${message}`)
    const item = JSON.stringify({ at, id: row.id, name: row.volume_name, message })
    await sql`select queue_notice(${row.user_id}, 'snapshot_failed', 'mail', ${item}::jsonb)`.execute(tx)
    await appendEvent(tx, { userId: row.user_id, type: 'wallet.updated', at })
    return { status: 'deleting', status_message: message, attempts: 0, due_at: at, updated_at: at }
  }

/** Its row goes when nothing is left of it. */
async function destroy(needs: SnapshotWorkNeeds, store: VolumeStore, row: SnapshotRow): Promise<Write> {
  const { clock, log } = needs
  const ref = await refOf(store, row)
  const answer = ref.kind === 'done' && ref.value !== null ? await store.destroySnapshot(ref.value) : ref
  if (answer.kind === 'done')
    return async tx => {
      await tell(tx, row, 'volume.snapshot_destroyed', clock.iso(), row.name)
      await tx.deleteFrom('volume_snapshots').where('id', '=', row.id).execute()
      return { due_at: null }
    }
  if (answer.kind === 'not_yet') return async () => ({ due_at: clock.iso(answer.retryMs) })
  if (row.attempts === 5)
    log.warn({ snapshot: row.id, answer }, 'a snapshot could not be destroyed so far; it is tried again')
  return async () => ({ attempts: row.attempts + 1, due_at: clock.iso(retryMs(row.attempts)) })
}

/** A kill may have fallen between the making of it and the note of its ref. */
async function refOf(store: VolumeStore, row: SnapshotRow): Promise<Answer<string | null>> {
  if (row.driver_ref !== null) return { kind: 'done', value: row.driver_ref }
  const listed = await store.list()
  if (listed.kind !== 'done') return listed
  return {
    kind: 'done',
    value: listed.value.snapshots.find(({ snapshotId }) => snapshotId === row.id)?.ref ?? null,
  }
}

const tell = (tx: Tx, row: SnapshotRow, type: `volume.${string}`, at: string, message: string) =>
  appendEvent(tx, {
    userId: row.user_id,
    type,
    subjectId: row.id,
    at,
    data: { name: row.volume_name, volume_id: row.volume_id, message },
  })
