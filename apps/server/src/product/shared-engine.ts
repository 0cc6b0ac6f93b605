/**
 * What several servers of one database share of a container engine: what is known of its machines, a clock, and where
 * its keeper of terminals is. The keeper's secret lies nowhere: all servers derive it from theirs.
 */
import type { SharedWithOthers } from '@ingot/compute/docker/driver'
import { type MachineRecords, newRecord } from '@ingot/compute/docker/records'
import { hostClock, type SteadyClock } from '@ingot/compute/docker/runs'
import type { KeeperMeeting } from '@ingot/compute/docker/terminals'
import { sql } from 'kysely'
import type { Config, DriverName } from '../config.ts'
import { type Db, inTransaction } from '../db/database.ts'
import type { Vault } from '../vault.ts'
import type { Signals } from '../worker/signals.ts'

interface SharedNeeds {
  readonly config: Pick<Config, 'role' | 'keeperHost'>
  readonly db: Db
  readonly vault: Vault
  readonly signals: Signals
}

/** Of an engine by its driver's name. */
export async function shareEngine(needs: SharedNeeds, driver: DriverName): Promise<SharedWithOthers> {
  return {
    records: sharedRecords(needs.db, driver),
    clock: await sharedClock(needs.db),
    keeper: await keeperMeeting(needs, driver),
  }
}

const tries = 20
/** A machine that is younger may not have been on a list that was asked for before. */
const youngMinutes = 10

export function sharedRecords(db: Db, driver: DriverName): MachineRecords {
  const rowOf = (ref: string) =>
    db
      .selectFrom('engine_machine')
      .select(['record', 'version'])
      .where('driver', '=', driver)
      .where('ref', '=', ref)
      .executeTakeFirst()

  return {
    read: async ref => (await rowOf(ref))?.record ?? newRecord,
    async update(ref, change) {
      for (let attempt = 0; attempt < tries; attempt++) {
        const row = await rowOf(ref)
        const record = row?.record ?? newRecord
        const changed = await change(record)
        if (changed === record) return record
        const text = JSON.stringify(changed)
        const { numAffectedRows } = await (
          row
            ? sql`update engine_machine set record = ${text}, version = version + 1, changed_at = now()
                where driver = ${driver} and ref = ${ref} and version = ${row.version}`
            : sql`insert into engine_machine (driver, ref, record) values (${driver}, ${ref}, ${text})
                on conflict do nothing`
        ).execute(db)
        if (numAffectedRows) return changed
      }
      throw new Error('other servers change this machine all the time')
    },
    async remove(ref) {
      await db.deleteFrom('engine_machine').where('driver', '=', driver).where('ref', '=', ref).execute()
    },
    async sweep(refs) {
      await sql`delete from engine_machine where driver = ${driver} and ref <> all(${[...refs]}::text[])
        and changed_at < now() - ${youngMinutes} * interval '1 minute'`.execute(db)
    },
  }
}

/** The time since this host booted, and what that was by the database's clock when the host was first seen. */
export async function sharedClock(db: Db): Promise<SteadyClock> {
  const offset = sql<{ offset_ms: bigint }>`select offset_ms from host_clock where boot_id = ${hostClock.id}`
  await sql`insert into host_clock (boot_id, offset_ms)
    select ${hostClock.id}, round(extract(epoch from clock_timestamp()) * 1000) - ${hostClock.now()}
    on conflict do nothing`.execute(db)
  const ms = Number((await offset.execute(db)).rows[0]!.offset_ms)
  return { id: 'shared', now: () => hostClock.now() + ms }
}

async function keeperMeeting(
  { config, db, vault, signals }: SharedNeeds,
  driver: DriverName,
): Promise<KeeperMeeting> {
  const find = async (at: Db) =>
    (await at
      .selectFrom('engine_keeper')
      .select(['host', 'port'])
      .where('driver', '=', driver)
      .executeTakeFirst()) ?? null
  return {
    secret: vault.derive(`keeper of terminals: ${driver}`).export(),
    host: config.role === 'http' ? null : (config.keeperHost ?? (await ownAddress(db))),
    find: () => find(db),
    ask: () => signals.send(`keeper:${driver}`),
    settle: look =>
      inTransaction(db, async tx => {
        // Servers that look at the same time take turns.
        await sql`select pg_advisory_xact_lock(hashtextextended(${`keeper:${driver}`}, 0))`.execute(tx)
        const noted = await find(tx)
        const found = await look(noted)
        if (found && (found.host !== noted?.host || found.port !== noted.port))
          await tx
            .insertInto('engine_keeper')
            .values({ driver, ...found })
            .onConflict(conflict =>
              conflict.column('driver').doUpdateSet({ ...found, noted_at: new Date().toISOString() }),
            )
            .execute()
        return found
      }),
  }
}

/** Where the database sees this server; on its own host that is the loopback. */
async function ownAddress(db: Db): Promise<string> {
  const { rows } = await sql<{ address: string | null }>`select host(inet_client_addr()) as address`.execute(
    db,
  )
  return rows[0]?.address ?? '127.0.0.1'
}
