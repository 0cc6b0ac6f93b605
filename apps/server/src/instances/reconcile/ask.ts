/** The one place where a driver is called for an instance, outside any transaction. */
import {
  type Answer,
  done,
  type Driver,
  failed,
  type Failure,
  type MachineSpec,
  type Observation,
  type Ref,
} from '@ingot/compute/driver'
import { mountNameOf } from '@ingot/compute/volume-mount'
import { type RawBuilder, sql } from 'kysely'
import type { Region } from '../../catalog/regions.ts'
import type { Database, Db } from '../../db/database.ts'
import type { InstanceRow } from '../queries.ts'
import { openCredentials } from '../../templates/registry-credentials.ts'
import { openSecrets } from '../../templates/secrets.ts'
import type { Vault } from '../../vault.ts'
import { storeNamed } from '../../volumes/stores.ts'
import type { Step } from './steps.ts'

export interface AskNeeds {
  readonly database: Database
  readonly regions: readonly Region[]
  readonly vault: Vault
}

/** None where this machine does not have it now. */
export const driverNamed = (regions: readonly Region[], name: string): Driver | undefined =>
  regions.find(region => region.compute.name === name)?.compute

/** Nobody has taken it for so long: no server seems to have its driver, and one of the others says so. */
const strayMs = 30_000

/**
 * Rows of instances whose driver this server has. Where `isToldOf`, those too that no server has taken: an instance
 * without a driver says so.
 */
export const servedBy = (
  { regions }: Pick<AskNeeds, 'regions'>,
  isToldOf: { readonly now: string } | null,
): RawBuilder<unknown> => {
  const names = [...new Set(regions.map(region => region.compute.name))]
  const stray = isToldOf && new Date(Date.parse(isToldOf.now) - strayMs).toISOString()
  return stray === null ? sql`driver = any(${names})` : sql`(driver = any(${names}) or due_at < ${stray})`
}

export async function ask(
  { regions, database, vault }: AskNeeds,
  row: InstanceRow,
  step: Exclude<Step, 'none'>,
): Promise<{ ref: Ref | null; answer: Answer<Observation | void> }> {
  const driver = driverNamed(regions, row.driver)
  if (!driver)
    return {
      ref: row.driver_ref,
      answer: failed('transient', `The ${row.driver} driver is not available on this machine now.`),
    }
  if (step === 'start') {
    // Always through `create`: the same key answers the same ref, also when a kill fell between it and this row.
    const chosen = await chosenFor(database.kysely, row)
    const access = unsealed(chosen.credentials, sealed => openCredentials(vault, row.user_id, sealed))
    const secrets = unsealed(chosen.secrets, sealed => openSecrets(vault, row.user_id, sealed))
    const unreadable =
      access === 'unreadable'
        ? 'The credentials of the image’s registry can’t be read. Enter them again.'
        : 'The secrets of this instance can’t be read. Deploy it again and enter them.'
    if (access === 'unreadable' || secrets === 'unreadable')
      return { ref: row.driver_ref, answer: failed('rejected', unreadable) }
    if (chosen.spec.volume?.readOnly && !storeNamed({ regions }, row.driver)?.capabilities.readOnly)
      return { ref: row.driver_ref, answer: failed('rejected', unpaidVolume) }
    const spec = { ...chosen.spec, env: { ...chosen.spec.env, ...secrets } }
    const created = await driver.create(spec, row.id, access)
    if (created.kind !== 'done') return { ref: row.driver_ref, answer: created }
    return { ref: created.value, answer: await driver.start(created.value, { restart: row.restarting }) }
  }
  const found = await findRef(driver, row)
  if (found.kind !== 'done') return { ref: null, answer: found }
  const ref = found.value
  if (step === 'observe') return { ref, answer: await driver.observe(ref ?? '') }
  return { ref, answer: ref === null ? done() : await driver[step](ref) }
}

const unpaidVolume =
  'The month of its volume is not paid, and here nothing makes a volume read-only. Pay the month or detach the volume.'

/**
 * Whether a start failed for what its owner can't bring about: nothing isolates a machine there, no room is left, or the
 * driver is gone altogether. An image that can't be had, or what it starts, is theirs.
 */
export async function isOurFault(
  { regions }: Pick<AskNeeds, 'regions'>,
  row: InstanceRow,
  failure: Failure,
): Promise<boolean> {
  if (failure !== 'transient') return failure === 'no_capacity' || failure === 'denied'
  const driver = driverNamed(regions, row.driver)
  return !driver || (await driver.inventory()).kind !== 'done'
}

/** A kill may have fallen between the making of a machine and the note of its ref. Null: there is none. */
async function findRef(driver: Driver, { id, driver_ref }: InstanceRow): Promise<Answer<Ref | null>> {
  if (driver_ref !== null) return done(driver_ref)
  const listed = await driver.list()
  if (listed.kind !== 'done') return listed
  return done(listed.value.find(({ instanceId }) => instanceId === id)?.ref ?? null)
}

interface Chosen {
  readonly host: string | null
  readonly cards: readonly string[] | null
  readonly gpu_memory_gb: number
  readonly image: string | null
  readonly command: readonly string[] | null
  readonly env: Readonly<Record<string, string>> | null
  readonly credentials: Buffer | null
  readonly secrets: Buffer | null
  readonly volume: { readonly ref: string; readonly name: string; readonly is_lapsed: boolean } | null
}

async function chosenFor(
  db: Db,
  row: InstanceRow,
): Promise<Pick<Chosen, 'credentials' | 'secrets'> & { readonly spec: MachineSpec }> {
  const { rows } = await sql<Chosen>`
    select g.memory_gb as gpu_memory_gb, t.docker_image as image, t.command, t.env,
      t.registry_credentials as credentials, t.secrets, h.name as host, a.cards,
      case when v.id is not null then jsonb_build_object('ref', v.driver_ref, 'name', v.name, 'is_lapsed', v.lapsed_at is not null) end as volume
    from gpu_type g left join instance_template t on t.instance_id = ${row.id}
    left join allocation a on a.instance_id = ${row.id} left join host h on h.id = a.host_id
      left join network_volumes v on v.id = ${row.network_volume_id} and v.status = 'available'
    where g.name = ${row.gpu_type}`.execute(db)
  const { image, command, env, gpu_memory_gb, credentials, secrets, host, cards, volume } = rows[0]!
  const spec = {
    instanceId: row.id,
    tenant: row.user_id,
    name: row.name,
    gpuType: row.gpu_type,
    gpuCount: row.gpu_count,
    gpuMemoryGb: gpu_memory_gb,
    cpuCores: row.cpu_cores,
    memoryGb: row.memory_gb,
    storageGb: row.storage_gb,
    region: row.region,
    host,
    cards: cards ?? [],
    image: image ?? '',
    command,
    env: env ?? {},
    volume: volume && { ref: volume.ref, name: mountNameOf(volume.name), readOnly: volume.is_lapsed },
  }
  return { spec, credentials, secrets }
}

/** Null: there is nothing sealed. */
function unsealed<T>(sealed: Buffer | null, open: (sealed: Buffer) => T): T | null | 'unreadable' {
  try {
    return sealed && open(sealed)
  } catch {
    // The server's key has changed.
    return 'unreadable'
  }
}
