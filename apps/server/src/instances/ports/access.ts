/**
 * Who may come in. One query answers for a name and whoever stands behind the pass, all of it anew: the instance, its
 * owner, the port, and the session, key or link. Answers are kept for a second, and what is open is asked after once a
 * second, so whatever ends ends within two.
 */
import type { InstanceStatus } from '@ingot/contracts/instances'
import type { Logger } from 'pino'
import type { Database } from '../../db/database.ts'
import { createWatched, type Watched } from '../../http/watched.ts'
import type { PortName } from './address.ts'
import type { Pass } from './pass.ts'

/** Somebody at a port. */
export interface Visit extends PortName {
  /** Null: nobody that is known. */
  readonly pass: Pass | null
}

export interface Standing {
  readonly instanceId: string
  readonly userId: string
  readonly name: string
  readonly status: InstanceStatus
  readonly driver: string
  readonly driverRef: string | null
  readonly isPublic: boolean
  /** It is public, or what is behind the pass stands. */
  readonly mayEnter: boolean
}

export interface Access {
  /** Null: there is no such port. */
  of(visit: Visit): Promise<Standing | null>
  readonly watched: Watched<Visit>
}

const standing = `
  select o.at::int as at, i.id as "instanceId", i.user_id as "userId", i.name, i.status, i.driver,
    i.driver_ref as "driverRef", p.is_public as "isPublic",
    p.is_public or (o.instance_id = i.id and case o.kind
      when 'share' then exists (select from port_share s
        where s.id = o.id and s.instance_id = i.id and s.port = p.port and s.expires_at > now())
      when 'session' then exists (select from auth_session s
        where s.id = o.id and s.user_id = i.user_id and s.superseded_at is null)
      when 'key' then exists (select from api_keys k where k.id = o.id and k.user_id = i.user_id and k.is_active)
      else false end) as "mayEnter"
  from unnest($1::text[], $2::int[], $3::uuid[], $4::text[], $5::uuid[]) with ordinality
    o(ssh_user, port, instance_id, kind, id, at)
  join gpu_instances i on i.ssh_user = o.ssh_user and i.desired <> 'deleted' and i.status <> 'terminated'
  join auth_user u on u.id = i.user_id and u.deleted_at is null and not coalesce(u.banned_until > now(), false)
  join instance_port p on p.instance_id = i.id and p.port = o.port`

const keptMs = 1_000
const mostKept = 10_000

export function createAccess({ pool }: Database, log: Logger): Access {
  const kept = new Map<string, { readonly until: number; readonly answer: Promise<Standing | null> }>()

  async function ask(visits: readonly Visit[]): Promise<Map<Visit, Standing>> {
    const { rows } = await pool.query<Standing & { at: number }>({
      name: 'instances.port-standing',
      text: standing,
      values: [
        visits.map(({ user }) => user),
        visits.map(({ port }) => port),
        visits.map(({ pass }) => pass?.instanceId ?? null),
        visits.map(({ pass }) => pass?.kind ?? null),
        visits.map(({ pass }) => pass?.id ?? null),
      ],
    })
    return new Map(rows.map(row => [visits[row.at - 1]!, row]))
  }

  return {
    of(visit) {
      const { user, port, pass } = visit
      const key = `${user} ${port} ${pass ? `${pass.kind} ${pass.instanceId} ${pass.id}` : ''}`
      const known = kept.get(key)
      if (known && known.until > Date.now()) return known.answer
      if (kept.size >= mostKept) kept.clear()
      const answer = ask([visit]).then(found => found.get(visit) ?? null)
      kept.set(key, { until: Date.now() + keptMs, answer })
      answer.catch(() => kept.delete(key))
      return answer
    },
    watched: createWatched<Visit>(async visits => {
      const found = await ask(visits)
      return visit => {
        const now = found.get(visit)
        return now?.mayEnter && now.status === 'running' ? null : 'over'
      }
    }, log),
  }
}
