import { IngotError } from '@ingot/contracts/errors'
import type { Parsed } from '@ingot/contracts/operation'
import { maxTemplates, type TemplateDetails, type templates } from '@ingot/contracts/templates'
import type { Clock } from '../db/clock.ts'
import type { Tx } from '../db/database.ts'
import { appendEvent } from '../db/events.ts'
import { newId } from '../db/ids.ts'
import type { Vault } from '../vault.ts'
import { getTemplate } from './queries.ts'
import { sealCredentials } from './registry-credentials.ts'
import { sealSecrets } from './secrets.ts'
import { assertApart, assertVariables, refused, templateValues } from './template-values.ts'

export interface TemplateNeeds {
  readonly clock: Clock
  readonly vault: Vault
}

export async function createTemplate(
  tx: Tx,
  { clock, vault }: TemplateNeeds,
  userId: string,
  { secrets, registry_credentials, ...wish }: Parsed<typeof templates.create>,
): Promise<TemplateDetails> {
  assertVariables('secrets', secrets)
  assertApart(wish.env, Object.keys(secrets))
  const values = templateValues(wish)
  // One at a time: they are counted. And none for an account that is being deleted.
  const user = await tx
    .selectFrom('auth_user')
    .select('id')
    .where('id', '=', userId)
    .where('deleted_at', 'is', null)
    .forNoKeyUpdate()
    .executeTakeFirst()
  if (!user) throw new IngotError('not_found')
  const { count } = await tx
    .selectFrom('gpu_templates')
    .select(({ fn }) => fn.countAll<bigint>().as('count'))
    .where('owner', '=', userId)
    .executeTakeFirstOrThrow()
  if (count >= maxTemplates)
    throw refused(
      'name',
      `is one too many: an account has at most ${maxTemplates} templates. Delete one first`,
    )
  const id = newId()
  await tx
    .insertInto('gpu_templates')
    .values({
      ...values,
      id,
      name: wish.name.trim(),
      description: wish.description.trim(),
      category: wish.category,
      docker_image: wish.docker_image,
      owner: userId,
      is_public: false,
      secrets: sealSecrets(vault, userId, secrets),
      secret_names: Object.keys(secrets).toSorted(),
      registry_credentials: registry_credentials && sealCredentials(vault, userId, registry_credentials),
    })
    .execute()
  await appendEvent(tx, {
    userId,
    type: 'template.created',
    subjectId: id,
    at: clock.iso(),
    data: { name: wish.name.trim(), message: wish.name.trim() },
  })
  return getTemplate(tx, userId, id)
}
