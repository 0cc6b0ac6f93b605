/** Reads of ports. Each names the owner: another user's port does not exist. */
import { IngotError } from '@ingot/contracts/errors'
import type { InstancePort } from '@ingot/contracts/instance/ports'
import { sql } from 'kysely'
import type { Config } from '../../config.ts'
import type { Db } from '../../db/database.ts'
import { findInstance } from '../queries.ts'
import { originOfPort } from './address.ts'

type Row = Omit<InstancePort, 'url'>

export async function listPorts(config: Config, db: Db, userId: string, id: string): Promise<InstancePort[]> {
  const { ssh_user: user } = await findInstance(db, userId, id)
  // Says that there are none here.
  originOfPort(config, { user, port: 1 })
  const { rows } = await sql<Row>`
    select p.port, p.name, p.path, case when p.is_public then 'public' else 'private' end as visibility, p.created_at,
      coalesce((
        select json_agg(json_build_object('id', s.id,
          'created_at', to_char(s.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
          'expires_at', to_char(s.expires_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) order by s.id desc)
        from port_share s where s.instance_id = p.instance_id and s.port = p.port and s.expires_at > now()), '[]') as shares
    from instance_port p where p.instance_id = ${id} order by p.port`.execute(db)
  return rows.map(row => ({ ...row, url: `${originOfPort(config, { user, port: row.port })}/` }))
}

export async function getPort(
  config: Config,
  db: Db,
  userId: string,
  id: string,
  port: number,
): Promise<InstancePort> {
  const found = (await listPorts(config, db, userId, id)).find(each => each.port === port)
  if (!found) throw notThere(port)
  return found
}

export const notThere = (port: number): IngotError =>
  new IngotError('not_found', { message: `Port ${port} of this instance cannot be reached. Add it first.` })
