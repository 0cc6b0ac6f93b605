/**
 * Deploy: the price that was shown is checked, the row is written, the charge is made, in the caller's transaction. Any
 * refusal leaves nothing of it. The row starts as stopped; with `start` it is asked to run at once. With `start`, or paid
 * in advance, it has a place, or waits for one and is charged then.
 */
import { defaultUserSettings, type UserSettings } from '@ingot/contracts/accounts'
import type { BudgetInput } from '@ingot/contracts/budgets'
import { type BillingPeriod, type Configuration, priceOf, termEnd } from '@ingot/contracts/catalog'
import { IngotError } from '@ingot/contracts/errors'
import { type Quote, quoteOf, staleFields } from '@ingot/contracts/instance-costs'
import type { whenFull } from '@ingot/contracts/instance/places'
import { assertNotBanned } from '../auth/banned.ts'
import type { Clock } from '../db/clock.ts'
import type { Tx } from '../db/database.ts'
import { newId } from '../db/ids.ts'
import { gpuForSale, regionForSale } from '../catalog/for-sale.ts'
import { ownKeys } from './ssh/chosen-keys.ts'
import { assertCouldBePlaced, placeInstance } from '../catalog/places.ts'
import { copyPorts, keepPorts } from './ports/manage-ports.ts'
import type { Region } from '../catalog/regions.ts'
import { lockWallet } from '../ledger/ledger.ts'
import type { Vault } from '../vault.ts'
import { copyStart, findChosen, type Given, keepTemplate } from './chosen-template.ts'
import { payDeploy } from './pay-deploy.ts'
import { queueDeploy, unlessFull } from './queue/enter-queue.ts'

/** `template_id` is null only in a clone, of an instance whose template is gone. */
export interface NewInstance extends Configuration, Given {
  readonly name: string
  readonly gpu_type: string
  readonly region: string
  readonly billing_period: BillingPeriod
  readonly start: boolean
  readonly when_full?: (typeof whenFull)[number]
  readonly on_term_end: 'hourly' | 'stop'
  readonly auto_shutdown_enabled?: boolean
  readonly auto_shutdown_minutes?: number
  readonly quoted_hourly_cost?: string
  readonly quoted_total?: string
  readonly budget?: BudgetInput
  /** Null or absent: every key that the account has. */
  readonly ssh_key_ids?: readonly string[] | null
  readonly ports?: readonly number[]
}

/** What creating one needs, be it new or a clone. */
export interface CreateNeeds {
  readonly clock: Clock
  readonly regions: readonly Region[]
  readonly vault: Vault
}

/** Returns the new instance's id. One that is a clone starts as the other one does, whatever became of its template. */
export async function createInstance(
  tx: Tx,
  { clock, regions, vault }: CreateNeeds,
  userId: string,
  input: NewInstance,
  cloneOf?: string,
): Promise<string> {
  const region = await regionForSale(tx, regions, input.region)
  const template = cloneOf ? null : await findChosen(tx, userId, input)
  const ssh_key_ids = await ownKeys(tx, userId, input.ssh_key_ids ?? null, 'ssh_key_ids')
  if (input.on_term_end === 'stop' && input.billing_period === 'hourly') throw noTerm()
  // What is charged is in force at the very time that the charge bears: nothing waits between the two.
  await lockWallet(tx, userId)
  await assertNotBanned(tx, userId)
  const at = clock.iso()
  const gpu = await gpuForSale(tx, input.gpu_type, at)
  const price = priceOf(gpu, input, input.billing_period)
  assertQuote(input, quoteOf(price))

  const id = newId()
  const name = input.name.trim()
  const { auto_shutdown_enabled, auto_shutdown_minutes } = await preferences(tx, userId)
  const paid_until =
    input.billing_period === 'hourly' ? null : termEnd(input.billing_period, new Date(at)).toISOString()
  const size = {
    gpu_type: input.gpu_type,
    gpu_count: input.gpu_count,
    cpu_cores: gpu.vcpus * input.gpu_count,
    memory_gb: gpu.ram_gb * input.gpu_count,
  }
  const storage_gb = input.system_storage_gb + input.data_storage_gb
  const wish = { id, ...size, storage_gb, driver: region.driver, region: region.id, host_id: null }
  const needsPlace = input.start || paid_until !== null
  const place = () => placeInstance(tx, wish, at, input.start ? null : paid_until)
  const host_id = needsPlace ? await (input.when_full === 'queue' ? unlessFull(tx, place) : place()) : null
  const waits = needsPlace && host_id === null
  if (waits) await assertCouldBePlaced(tx, wish)
  const starts = input.start && !waits
  await tx
    .insertInto('gpu_instances')
    .values({
      id,
      user_id: userId,
      name,
      ...size,
      system_storage_gb: input.system_storage_gb,
      data_storage_gb: input.data_storage_gb,
      status: starts ? 'starting' : 'stopped',
      desired: starts ? 'running' : 'stopped',
      status_reason: waits ? 'queued' : null,
      started_at: starts ? at : null,
      last_activity_at: starts ? at : null,
      due_at: starts ? at : null,
      region: region.id,
      hardware: region.hardware,
      shell: region.shell,
      driver: region.driver,
      host_id,
      billing_period: input.billing_period,
      hourly_cost_micro: price.hourly,
      paid_until: waits ? null : paid_until,
      on_term_end: input.on_term_end,
      template_id: input.template_id,
      auto_shutdown_enabled: input.auto_shutdown_enabled ?? auto_shutdown_enabled,
      auto_shutdown_minutes: input.auto_shutdown_minutes ?? auto_shutdown_minutes,
      ssh_key_ids,
      created_at: at,
      updated_at: at,
    })
    .execute()
  if (template) await keepTemplate(tx, vault, userId, id, template, input)
  else await copyStart(tx, cloneOf!, id)
  await (cloneOf ? copyPorts(tx, cloneOf, id) : keepPorts(tx, id, input.ports ?? []))
  const deploy = { ...input, id, user_id: userId, name }
  const { hourly, total } = price
  const budget = input.budget ?? null
  if (waits) await queueDeploy(tx, deploy, { hourly, total, starts: input.start, budget, cloneOf }, at)
  else await payDeploy(tx, deploy, { hourly, total, paidUntil: paid_until, starts, budget, cloneOf }, at)
  return id
}

const noTerm = () =>
  new IngotError('validation_failed', {
    fields: { on_term_end: 'needs a term: what is billed hourly has no end' },
  })

/** The defaults stand where there is no row. */
async function preferences(
  tx: Tx,
  userId: string,
): Promise<Pick<UserSettings, 'auto_shutdown_enabled' | 'auto_shutdown_minutes'>> {
  const row = await tx
    .selectFrom('user_settings')
    .select(['auto_shutdown_enabled', 'auto_shutdown_minutes'])
    .where('user_id', '=', userId)
    .executeTakeFirst()
  return row ?? defaultUserSettings
}

/** Nobody is charged other than what was shown: a stale price stops the deploy. */
export function assertQuote(sent: Partial<Quote>, now: Partial<Quote>): void {
  const stale = Object.entries(staleFields(sent, now))
  if (stale.length) {
    throw new IngotError('price_changed', {
      fields: Object.fromEntries(stale.map(([field, value]) => [field, `is now ${value}`])),
    })
  }
}
