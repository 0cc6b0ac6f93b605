/**
 * How an instance starts, kept as its customer chose it at the deploy. What is sealed goes with the owner's own deploys
 * alone: whoever deploys what somebody else shares gives values of their own, and a clone has none.
 */
import { sql } from 'kysely'
import type { RegistryCredentials } from '@ingot/compute/driver'
import type { Tx } from '../db/database.ts'
import { visibleTemplate } from '../templates/queries.ts'
import { sealCredentials } from '../templates/registry-credentials.ts'
import { openSecrets, type Secrets, sealSecrets } from '../templates/secrets.ts'
import { assertApart, assertVariables, refused } from '../templates/template-values.ts'
import type { Vault } from '../vault.ts'

export interface Given {
  readonly template_id: string | null
  readonly template_key?: string
  readonly env?: Secrets
  readonly secrets?: Secrets
  readonly registry_credentials?: RegistryCredentials
}

/** Locked, so that it is there until the instance names it. */
export async function findChosen(tx: Tx, userId: string, { template_id, template_key }: Given) {
  const template = await visibleTemplate(tx, userId, template_id ?? '', template_key)
    .selectAll()
    .forKeyShare()
    .executeTakeFirst()
  if (!template) throw refused('template_id', 'there is no such template')
  return template
}
export type Chosen = Awaited<ReturnType<typeof findChosen>>

/** What the call gives goes before what the template says. */
export async function keepTemplate(
  tx: Tx,
  vault: Vault,
  userId: string,
  instanceId: string,
  template: Chosen,
  given: Given,
): Promise<void> {
  const isMine = template.owner === userId
  const secrets = { ...(isMine ? opened(vault, userId, template.secrets) : {}), ...given.secrets }
  // What is a secret now is not shown, and what is shown is what the call says of it.
  for (const name of Object.keys(given.env ?? {}))
    if (!Object.hasOwn(given.secrets ?? {}, name)) delete secrets[name]
  const env = { ...template.env, ...given.env }
  for (const name of Object.keys(given.secrets ?? {}))
    if (!Object.hasOwn(given.env ?? {}, name)) delete env[name]
  assertVariables('env', env)
  assertVariables('secrets', secrets)
  assertApart(env, Object.keys(secrets))
  const credentials = given.registry_credentials
    ? sealCredentials(vault, userId, given.registry_credentials)
    : isMine
      ? template.registry_credentials
      : null
  await tx
    .insertInto('instance_template')
    .values({
      instance_id: instanceId,
      docker_image: template.docker_image,
      command: template.command,
      env: JSON.stringify(env),
      ports: template.ports,
      registry_credentials: credentials,
      secrets: sealSecrets(vault, userId, secrets),
      network: template.network,
    })
    .execute()
}

function opened(vault: Vault, owner: string, sealed: Buffer | null): Record<string, string> {
  try {
    return { ...openSecrets(vault, owner, sealed) }
  } catch {
    // The server's key has changed.
    throw refused('template_id', 'the secrets of this template can’t be read any more: enter them again')
  }
}

/** As another one starts, whatever became of its template. Whoever clones gives what is sealed again. */
export const copyStart = (tx: Tx, sourceId: string, instanceId: string) =>
  sql`insert into instance_template (instance_id, docker_image, command, env, ports, network)
    select ${instanceId}, docker_image, command, env, ports, network
    from instance_template where instance_id = ${sourceId}`.execute(tx)

/** Whoever starts it begins the count of quick ends anew. */
export const forgetEnds = (tx: Tx, instanceId: string) =>
  tx.updateTable('instance_template').set({ quick_ends: 0 }).where('instance_id', '=', instanceId).execute()
