/**
 * Moves each volume towards what was asked: made, as large as it is paid for, read-only while its month is not paid,
 * measured, destroyed. The store is called outside any transaction, and its answer applied while the claim stands.
 */
import { mountNameOf, type VolumeMount } from '@ingot/compute/volume-mount'
import type { Answer } from '@ingot/compute/driver'
import type { VolumeSpec, VolumeStore } from '@ingot/compute/volumes'
import { moneyText } from '@ingot/contracts/money'
import { volumeMonthMicro } from '@ingot/contracts/volume/prices'
import { sql } from 'kysely'
import type { Logger } from 'pino'
import type { Clock } from '../db/clock.ts'
import type { Database, Tx } from '../db/database.ts'
import { appendEvent } from '../db/events.ts'
import { lockWallet, returnFirstStart } from '../ledger/ledger.ts'
import { openMonth, returnGrowth, setMonth } from '../ledger/months.ts'
import type { Outcome } from '../worker/claimable.ts'
import type { Claim, Work } from '../worker/loop.ts'
import type { Signals, Topic } from '../worker/signals.ts'
import { lockHolder, type VolumeRow } from './queries.ts'
import { maxTries, retryMs } from './retries.ts'
import { storeNamed, type StoreNeeds } from './stores.ts'

export interface VolumeWorkNeeds extends StoreNeeds {
  readonly database: Database
  readonly clock: Clock
  readonly signals: Signals
  readonly log: Logger
  /** Stops the instance that uses a volume, in the caller's transaction, and says why. */
  stopHolder(tx: Tx, userId: string, instanceId: string, volume: string): Promise<void>
}

type Changes = Outcome<'network_volumes'>
type Holder = NonNullable<Awaited<ReturnType<typeof findHolder>>>

const concurrency = 16
/** Between two tries to make one larger whose instance runs where it has to be stopped for that. */
const growMs = 15_000
/** Between two looks at how full it is. */
const lookMs = { used: 60_000, idle: 15 * 60_000 }
const fullAt = 0.9
const lessFullAt = 0.85
const gibibyte = 2 ** 30

export function volumeWork(needs: VolumeWorkNeeds): Work<'network_volumes'> {
  return {
    table: 'network_volumes',
    key: 'id',
    clock: 'business',
    concurrency,
    only: () => {
      const names = [...new Set(needs.regions.map(region => region.compute.name))]
      return sql`driver = any(${names})`
    },
    async lockFirst(tx, row) {
      await lockWallet(tx, row.user_id)
      await lockHolder(tx, row.user_id, row.id)
    },
    async perform(row, claim) {
      const store = storeNamed(needs, row.driver)
      const { write, wakes }: Step = store
        ? await pass(needs, store, row)
        : { write: async () => ({ due_at: needs.clock.iso(5_000) }), wakes: [] }
      await claim.apply(async (tx, now) =>
        // Something else was asked for meanwhile.
        now.status === row.status && now.size_gb === row.size_gb && now.lapsed_at === row.lapsed_at
          ? write(tx, now)
          : { due_at: needs.clock.iso() },
      )
      for (const topic of [...wakes, `user:${row.user_id}`] as const) needs.signals.send(topic)
    },
  }
}

type Write = Parameters<Claim<'network_volumes'>['apply']>[0]
/** What is to be written, and who has work by that. */
interface Step {
  readonly write: Write
  readonly wakes: readonly Topic[]
}
const step = (write: Write, ...wakes: readonly Topic[]): Step => ({ write, wakes })

function pass(needs: VolumeWorkNeeds, store: VolumeStore, row: VolumeRow): Promise<Step> {
  if (row.status === 'creating') return make(needs, store, row)
  if (row.status === 'deleting') return destroy(needs, store, row)
  return keep(needs, store, row)
}

async function make(needs: VolumeWorkNeeds, store: VolumeStore, row: VolumeRow): Promise<Step> {
  const { clock } = needs
  const spec = { volumeId: row.id, tenant: row.user_id, sizeGb: row.size_gb }
  const answer = row.restored_from
    ? await restore(needs, store, row.restored_from, spec)
    : await store.create(spec, row.id)
  if (answer.kind === 'not_yet') return step(async () => ({ due_at: clock.iso(answer.retryMs) }))
  if (answer.kind === 'done')
    return step(async tx => {
      const at = clock.iso()
      await openMonth(tx, row.id, at)
      await tell(tx, row, 'volume.available', at)
      return { status: 'available', stored_gb: row.size_gb, driver_ref: answer.value, ...settled(at) }
    }, 'wallets')
  if (answer.failure === 'transient' && row.attempts + 1 < maxTries)
    return step(async () => ({ attempts: row.attempts + 1, due_at: clock.iso(retryMs(row.attempts)) }))
  return step(
    async tx => {
      const at = clock.iso()
      const returned = await returnFirstStart(tx, row.id, at)
      const message = `${answer.message} The ${moneyText(returned)} that was paid for it was returned to your wallet.`
      await tell(tx, row, 'volume.creation_failed', at, { message })
      await notify(tx, row, 'volume_failed', at, { message })
      await appendEvent(tx, { userId: row.user_id, type: 'wallet.updated', at })
      return { status: 'deleting', status_message: message, ...settled(at) }
    },
    'notice',
    'wallets',
  )
}

async function restore(
  { database }: VolumeWorkNeeds,
  store: VolumeStore,
  id: string,
  spec: VolumeSpec,
): Promise<Answer<string>> {
  const snapshot = await database.kysely
    .selectFrom('volume_snapshots')
    .select(['status', 'driver_ref'])
    .where('id', '=', id)
    .executeTakeFirst()
  // It was asked for together with its snapshot.
  if (snapshot?.status === 'creating') return { kind: 'not_yet', retryMs: 1_000 }
  if (!snapshot?.driver_ref) return { kind: 'failed', failure: 'rejected', message: 'Its snapshot is gone.' }
  return store.restore(snapshot.driver_ref, spec, spec.volumeId)
}

/** A kill may have fallen between the making of it and the note of its ref. */
async function refOf(store: VolumeStore, row: VolumeRow): Promise<Answer<string | null>> {
  if (row.driver_ref !== null) return { kind: 'done', value: row.driver_ref }
  const listed = await store.list()
  if (listed.kind !== 'done') return listed
  return {
    kind: 'done',
    value: listed.value.volumes.find(({ volumeId }) => volumeId === row.id)?.ref ?? null,
  }
}

/** Its row goes when nothing is left of it. */
async function destroy(needs: VolumeWorkNeeds, store: VolumeStore, row: VolumeRow): Promise<Step> {
  const { clock } = needs
  const found = await refOf(store, row)
  const answer = found.kind === 'done' && found.value !== null ? await store.destroy(found.value) : found
  if (answer.kind === 'done')
    return step(async tx => {
      const holder = await lockHolder(tx, row.user_id, row.id)
      if (holder) await unlink(tx, holder.id)
      await tell(tx, row, 'volume.destroyed', clock.iso())
      await tx.deleteFrom('network_volumes').where('id', '=', row.id).execute()
      return { due_at: null }
    })
  if (answer.kind === 'not_yet') return step(async () => ({ due_at: clock.iso(answer.retryMs) }))
  return step(
    async tx => {
      // Its days of grace are over, and an instance runs with it.
      const holder = await lockHolder(tx, row.user_id, row.id)
      if (holder?.status === 'running') await needs.stopHolder(tx, row.user_id, holder.id, row.name)
      if (row.attempts === 5)
        needs.log.warn(
          { volume: row.id, answer },
          'a volume could not be destroyed so far; it is tried again',
        )
      return { attempts: row.attempts + 1, due_at: clock.iso(retryMs(row.attempts)) }
    },
    'gpu_instances',
    'wallets',
    'notice',
  )
}

const unlink = (tx: Tx, instanceId: string) =>
  tx.updateTable('gpu_instances').set({ network_volume_id: null }).where('id', '=', instanceId).execute()

/** One that is there: as its month says, mounted where it should be, and looked at. */
async function keep(needs: VolumeWorkNeeds, store: VolumeStore, row: VolumeRow): Promise<Step> {
  const { clock, database } = needs
  const holder = await findHolder(database, row.id)
  const now = await mounted(store, row, holder)
  if (now.kind === 'wait') return step(async () => ({ due_at: clock.iso(now.ms) }))
  if (now.kind === 'stop')
    return step(
      async tx => {
        await needs.stopHolder(tx, row.user_id, holder!.id, row.name)
        return { due_at: clock.iso(retryMs(0)) }
      },
      'gpu_instances',
      'wallets',
      'notice',
    )
  if (row.stored_gb < row.size_gb) return grow(needs, store, row, holder)
  const seen = await store.observe(row.driver_ref!)
  return step(async tx => {
    const at = clock.iso()
    const next = clock.iso(holder ? lookMs.used : lookMs.idle)
    const used = seen.kind === 'done' && seen.value.state === 'available' ? seen.value.usedBytes : null
    return {
      is_read_only: row.lapsed_at !== null,
      ...(used === null ? {} : await measured(tx, row, used, at)),
      attempts: 0,
      due_at: next,
    }
  }, 'notice')
}

/** Its months cost more from when it is as large as was paid for. What can't be made so large returns what that cost. */
async function grow(
  { clock }: VolumeWorkNeeds,
  store: VolumeStore,
  row: VolumeRow,
  holder: Holder | undefined,
): Promise<Step> {
  const answer = await store.grow(row.driver_ref!, row.size_gb)
  if (answer.kind === 'not_yet') return step(async () => ({ due_at: clock.iso(answer.retryMs) }))
  if (answer.kind === 'done')
    return step(async tx => {
      const at = clock.iso()
      await setMonth(tx, row.id, row.month_micro, at)
      await tell(tx, row, 'volume.grown', at, { message: `from ${row.stored_gb} to ${row.size_gb} GB` })
      return { stored_gb: row.size_gb, growth_transfer: null, ...settled(at) }
    }, 'wallets')
  // Its instance was started before the store came to it.
  if (holder?.status === 'running' && !store.capabilities.growsWhileRunning)
    return step(async () => ({ due_at: clock.iso(growMs) }))
  if (answer.failure === 'transient' && row.attempts + 1 < maxTries)
    return step(async () => ({ attempts: row.attempts + 1, due_at: clock.iso(retryMs(row.attempts)) }))
  return step(
    async tx => {
      const at = clock.iso()
      const returned =
        row.growth_transfer === null ? 0n : await returnGrowth(tx, row.id, row.growth_transfer, at)
      const message = `It stays ${row.stored_gb} GB large. ${answer.message} The ${moneyText(returned)} that was paid for more was returned to your wallet.`
      await tell(tx, row, 'volume.growth_failed', at, { message })
      await notify(tx, row, 'growth_failed', at, { message })
      await appendEvent(tx, { userId: row.user_id, type: 'wallet.updated', at })
      const month_micro = volumeMonthMicro(row.stored_gb)
      return { size_gb: row.stored_gb, month_micro, growth_transfer: null, ...settled(at) }
    },
    'wallets',
    'notice',
  )
}

const findHolder = (database: Database, id: string) =>
  database.kysely
    .selectFrom('gpu_instances')
    .select(['id', 'name', 'status', 'driver_ref'])
    .where('network_volume_id', '=', id)
    .executeTakeFirst()

type Mounted =
  | { readonly kind: 'is_so' }
  | { readonly kind: 'wait'; readonly ms: number }
  /** Nothing else keeps what is not paid from being written to. */
  | { readonly kind: 'stop' }

/** Brings what runs in line with what was asked. A start mounts it as its month says. */
async function mounted(store: VolumeStore, row: VolumeRow, holder: Holder | undefined): Promise<Mounted> {
  const can = store.capabilities
  const isLapsed = row.lapsed_at !== null
  if (!holder) {
    const seen = await store.observe(row.driver_ref!)
    const machine = seen.kind === 'done' ? seen.value.machine : null
    if (machine === null || !can.whileRunning) return { kind: 'is_so' }
    // Whoever took it off was killed before it was done.
    return waitFor(await store.detach(machine))
  }
  if (holder.status === 'starting' || holder.status === 'stopping') return { kind: 'wait', ms: 1_000 }
  if (holder.status !== 'running' || holder.driver_ref === null) return { kind: 'is_so' }
  const changes = isLapsed !== row.is_read_only
  if (isLapsed && changes && !can.readOnlyLive) return { kind: 'stop' }
  if (!can.whileRunning || (changes && !can.readOnlyLive)) return { kind: 'is_so' }
  const answer = await store.attach(holder.driver_ref, mountOf(row))
  if (answer.kind === 'failed' && answer.failure === 'rejected')
    // A program holds a file open for writing. Where it is only not mounted, the next start mounts it.
    return isLapsed && changes ? { kind: 'stop' } : { kind: 'is_so' }
  return waitFor(answer)
}

const waitFor = (answer: Answer): Mounted =>
  answer.kind === 'done'
    ? { kind: 'is_so' }
    : { kind: 'wait', ms: answer.kind === 'not_yet' ? answer.retryMs : 5_000 }

export const mountOf = (row: Pick<VolumeRow, 'driver_ref' | 'name' | 'lapsed_at'>): VolumeMount => ({
  ref: row.driver_ref!,
  name: mountNameOf(row.name),
  readOnly: row.lapsed_at !== null,
})

async function measured(tx: Tx, row: VolumeRow, used: number, at: string): Promise<Partial<Changes>> {
  const share = used / (row.size_gb * gibibyte)
  const isFull = row.warned_full ? share >= lessFullAt : share >= fullAt
  if (isFull && !row.warned_full)
    await notify(tx, row, 'volume_full', at, { percent: Math.floor(share * 100), size_gb: row.size_gb })
  const full_at = isFull ? (row.full_at ?? at) : null
  return { used_bytes: BigInt(used), used_at: at, warned_full: isFull, full_at }
}

const settled = (at: string) => ({ attempts: 0, due_at: at, updated_at: at })

const tell = (
  tx: Tx,
  row: VolumeRow,
  type: `volume.${string}`,
  at: string,
  data: Readonly<Record<string, unknown>> = {},
) => appendEvent(tx, { userId: row.user_id, type, subjectId: row.id, at, data: { name: row.name, ...data } })

async function notify(
  tx: Tx,
  row: VolumeRow,
  kind: 'volume_failed' | 'volume_full' | 'growth_failed',
  at: string,
  item: Readonly<Record<string, unknown>>,
): Promise<void> {
  const words = JSON.stringify({ at, id: row.id, name: row.name, ...item })
  await sql`select queue_notice(${row.user_id}, ${kind}, 'mail', ${words}::jsonb)`.execute(tx)
}
