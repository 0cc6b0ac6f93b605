/** What deleting an account would mean now, and what proves that its owner asks. */
import { type AccountDeletion, type DeletionBlock, volumeGraceDays } from '@ingot/contracts/accounts'
import { IngotError } from '@ingot/contracts/errors'
import { sql } from 'kysely'
import type { Db } from '../db/database.ts'
import type { SessionCaller } from '../http/bind.ts'

export interface Proof {
  readonly kind: AccountDeletion['proof']
  readonly aal: 'aal1' | 'aal2'
  /** What they sign in with: wrong passwords are counted under it. */
  readonly address: string | null
  readonly password_hash: string | null
}

export async function readProof(db: Db, { userId, sessionId }: SessionCaller): Promise<Proof> {
  const { rows } = await sql<Proof>`
    select s.aal, coalesce(u.email, u.phone) as address, u.password_hash,
      case when exists (select from auth_factor where user_id = u.id and status = 'verified') then 'aal2' else 'password' end as kind
    from auth_session s join auth_user u on u.id = s.user_id
    where s.id = ${sessionId} and u.id = ${userId}`.execute(db)
  if (!rows[0]) throw new IngotError('not_authenticated')
  return rows[0]
}

export async function getDeletion(db: Db, caller: SessionCaller, at: string): Promise<AccountDeletion> {
  const { rows } = await sql<{
    balance_usd: string
    instances: number
    running: number
    blocked_by: DeletionBlock[]
  }>`
    select usd(balance_after_closing(${caller.userId}, ${at})) as balance_usd, open_holds(${caller.userId}) as blocked_by,
      count(*)::int as instances, (count(*) filter (where status in ('starting', 'running')))::int as running
    from gpu_instances where user_id = ${caller.userId} and status <> 'terminated' and desired <> 'deleted'`.execute(
    db,
  )
  const { kind } = await readProof(db, caller)
  return { ...rows[0]!, volumes: 0, volume_grace_days: volumeGraceDays, proof: kind }
}
