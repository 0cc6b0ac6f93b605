/**
 * Deploy: the price that was shown is checked, the row is written, the charge is made, in the caller's transaction. Any
 * refusal leaves nothing of it. The row starts as stopped; with `start` it is asked to run at once. With `start`, or paid
 * in advance, it has a place.
 */
import { defaultUserSettings, type UserSettings } from '@ingot/contracts/accounts'
import type { BudgetInput } from '@ingot/contracts/budgets'
import { type BillingPeriod, type Configuration, priceOf, termEnd, terms } from '@ingot/contracts/catalog'
import { IngotError } from '@ingot/contracts/errors'
import { type Quote, quoteOf, staleFields } from '@ingot/contracts/instance-costs'
import { formatUsd, moneyText } from '@ingot/contracts/money'
import { sql } from 'kysely'
import type { Clock } from '../db/clock.ts'
import type { Tx } from '../db/database.ts'
import { appendEvent } from '../db/events.ts'
import { newId } from '../db/ids.ts'
import { gpuForSale, regionForSale } from '../catalog/for-sale.ts'
import { setBudget } from '../budgets/set-budget.ts'
import { copyPorts, keepPorts } from './ports/manage-ports.ts'
import { placeInstance } from '../catalog/places.ts'
import type { Region } from '../catalog/regions.ts'
import { chargeDeploy, lockWallet, setTermEnd } from '../ledger/ledger.ts'

export interface NewInstance extends Configuration {
  readonly name: string
  /** Null only in a clone, of an instance whose template is gone. */
  readonly template_id: string | null
  readonly gpu_type: string
  readonly region: string
  readonly billing_period: BillingPeriod
  readonly start: boolean
  readonly on_term_end: 'hourly' | 'stop'
  readonly auto_shutdown_enabled?: boolean
  readonly auto_shutdown_minutes?: number
  readonly quoted_hourly_cost?: string
  readonly quoted_total?: string
  readonly budget?: BudgetInput
  readonly ports?: readonly number[]
}

/** What creating one needs, be it new or a clone. */
export interface CreateNeeds {
  readonly clock: Clock
  readonly regions: readonly Region[]
}

/** Returns the new instance's id. One that is a clone starts as the other one does, whatever became of its template. */
export async function createInstance(
  tx: Tx,
  { clock, regions }: CreateNeeds,
  userId: string,
  input: NewInstance,
  cloneOf?: string,
): Promise<string> {
  const region = await regionForSale(tx, regions, input.region)
  if (!cloneOf) await assertTemplate(tx, userId, input.template_id)
  if (input.on_term_end === 'stop' && input.billing_period === 'hourly') throw noTerm()
  // What is charged is in force at the very time that the charge bears: nothing waits between the two.
  await lockWallet(tx, userId)
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
  const host_id =
    input.start || paid_until ? await placeInstance(tx, wish, at, input.start ? null : paid_until) : null
  await tx
    .insertInto('gpu_instances')
    .values({
      id,
      user_id: userId,
      name,
      ...size,
      system_storage_gb: input.system_storage_gb,
      data_storage_gb: input.data_storage_gb,
      status: input.start ? 'starting' : 'stopped',
      desired: input.start ? 'running' : 'stopped',
      started_at: input.start ? at : null,
      last_activity_at: input.start ? at : null,
      due_at: input.start ? at : null,
      region: region.id,
      hardware: region.hardware,
      shell: region.shell,
      driver: region.driver,
      host_id,
      billing_period: input.billing_period,
      hourly_cost_micro: price.hourly,
      paid_until,
      on_term_end: input.on_term_end,
      template_id: input.template_id,
      auto_shutdown_enabled: input.auto_shutdown_enabled ?? auto_shutdown_enabled,
      auto_shutdown_minutes: input.auto_shutdown_minutes ?? auto_shutdown_minutes,
      created_at: at,
      updated_at: at,
    })
    .execute()
  await (cloneOf ? copyStart(tx, cloneOf, id) : keepTemplate(tx, input.template_id, id))
  await (cloneOf ? copyPorts(tx, cloneOf, id) : keepPorts(tx, id, input.ports ?? []))
  await chargeDeploy(
    tx,
    {
      userId,
      instanceId: id,
      label: name,
      hourlyCost: price.hourly,
      total: price.total,
      paidUntil: paid_until,
      description: describe(name, input),
      starts: input.start,
    },
    at,
  )
  if (input.budget) await budgetNew(tx, userId, id, input.budget, price.total, at)
  if (input.on_term_end === 'stop') await setTermEnd(tx, id, 'stop', at)
  await appendEvent(
    tx,
    {
      userId,
      type: cloneOf ? 'instance.cloned' : 'instance.created',
      subjectId: id,
      at,
      data: { name, charged: formatUsd(price.total), ...(cloneOf ? { clone_of: cloneOf } : {}) },
    },
    { userId, type: 'wallet.updated', at },
  )
  return id
}

/** Its charge counts already: a budget that stops has to cover it. */
async function budgetNew(
  tx: Tx,
  userId: string,
  id: string,
  budget: BudgetInput,
  total: bigint,
  at: string,
): Promise<void> {
  const limit = await setBudget(tx, userId, { instance_id: id, ...budget }, at, 'budget')
  if (budget.at_limit === 'stop' && limit! < total) {
    throw new IngotError('budget_exceeded', {
      message: `A budget of ${moneyText(limit!, 'down')} does not cover the ${moneyText(total, 'up')} that the deploy costs`,
      fields: { budget: `must be at least ${moneyText(total, 'up')}, which is paid at once` },
    })
  }
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

function describe(name: string, input: NewInstance): string {
  const what =
    input.billing_period === 'hourly'
      ? 'initial setup, first hour prepaid'
      : `upfront payment for ${terms[input.billing_period].label}`
  return `${name}: ${what}, ${input.gpu_count} × ${input.gpu_type}`
}

async function assertTemplate(tx: Tx, userId: string, id: string | null): Promise<void> {
  const template = await tx
    .selectFrom('gpu_templates')
    .select('id')
    .where('id', '=', id)
    .where(({ eb, or }) => or([eb('is_public', '=', true), eb('owner', '=', userId)]))
    .forKeyShare()
    .executeTakeFirst()
  if (!template)
    throw new IngotError('validation_failed', { fields: { template_id: 'there is no such template' } })
}

const keepTemplate = (tx: Tx, templateId: string | null, instanceId: string) =>
  sql`insert into instance_template select ${instanceId}, docker_image, command, env, ports, registry_credentials, network
    from gpu_templates where id = ${templateId}`.execute(tx)

/** Without what only the source was given: whoever clones gives it again. */
const copyStart = (tx: Tx, sourceId: string, instanceId: string) =>
  sql`insert into instance_template select ${instanceId}, docker_image, command, env, ports, null, network
    from instance_template where instance_id = ${sourceId}`.execute(tx)

/** Nobody is charged other than what was shown: a stale price stops the deploy. */
export function assertQuote(sent: Partial<Quote>, now: Partial<Quote>): void {
  const stale = Object.entries(staleFields(sent, now))
  if (stale.length) {
    throw new IngotError('price_changed', {
      fields: Object.fromEntries(stale.map(([field, value]) => [field, `is now ${value}`])),
    })
  }
}
