import { IngotError } from '@ingot/contracts/errors'
import type { Parsed } from '@ingot/contracts/operation'
import type { TemplateDetails, templates } from '@ingot/contracts/templates'
import type { Tx } from '../db/database.ts'
import { appendEvent } from '../db/events.ts'
import type { Vault } from '../vault.ts'
import type { TemplateNeeds } from './create-template.ts'
import { getTemplate } from './queries.ts'
import { sealCredentials } from './registry-credentials.ts'
import { openSecrets, type Secrets, sealSecrets } from './secrets.ts'
import { assertApart, assertVariables, refused, templateValues } from './template-values.ts'

/** One that has been shared keeps its link until it is private again; then the old link opens nothing, ever. */
export async function updateTemplate(
  tx: Tx,
  { clock, vault }: TemplateNeeds,
  userId: string,
  { id, secrets, registry_credentials, ...wish }: Parsed<typeof templates.update>,
): Promise<TemplateDetails> {
  const row = await tx
    .selectFrom('gpu_templates')
    .select(['name', 'env', 'secrets', 'secret_names', 'link_key', 'is_public'])
    .where('id', '=', id)
    .where('owner', '=', userId)
    .forUpdate()
    .executeTakeFirst()
  if (!row) throw new IngotError('not_found')
  if (row.is_public) {
    const sealed = { secrets, registry_credentials, visibility: wish.visibility }
    const field = Object.entries(sealed).find(([, value]) => value)?.[0]
    if (field) throw refused(field, 'can’t be set while the template is public')
  }
  const values = templateValues(wish)
  const kept = secrets && changed(opened(vault, userId, row.secrets), secrets)
  if (kept) assertVariables('secrets', kept)
  const names = kept ? Object.keys(kept).toSorted() : row.secret_names
  assertApart(wish.env ?? row.env, names)
  await tx
    .updateTable('gpu_templates')
    .set({
      ...values,
      // Two owners' windows that both share it show one link.
      ...(values.link_key && row.link_key ? { link_key: row.link_key } : {}),
      secret_names: names,
      ...(kept && { secrets: sealSecrets(vault, userId, kept) }),
      ...(registry_credentials === undefined
        ? {}
        : {
            registry_credentials:
              registry_credentials && sealCredentials(vault, userId, registry_credentials),
          }),
    })
    .where('id', '=', id)
    .execute()
  const name = wish.name?.trim() ?? row.name
  await appendEvent(tx, {
    userId,
    type: 'template.updated',
    subjectId: id,
    at: clock.iso(),
    data: { name, message: name },
  })
  return getTemplate(tx, userId, id)
}

function opened(vault: Vault, owner: string, sealed: Buffer | null): Secrets {
  try {
    return openSecrets(vault, owner, sealed)
  } catch {
    // The server's key has changed: what nobody can read any more is entered again.
    throw refused('secrets', 'can’t be read any more. Delete this template and enter it again')
  }
}

function changed(present: Secrets, changes: Readonly<Record<string, string | null>>): Secrets {
  const removed = new Set(Object.keys(changes).filter(name => changes[name] === null))
  const all = Object.entries({ ...present, ...changes }) as [string, string][]
  return Object.fromEntries(all.filter(([name]) => !removed.has(name)))
}
