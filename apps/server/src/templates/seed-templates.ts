import { builtInTemplates } from '@ingot/contracts/templates'
import type { Db } from '../db/database.ts'

/**
 * Writes the built-in templates, as they are in this version. Their ids never change; running it again changes nothing.
 */
export async function seedTemplates(db: Db): Promise<void> {
  await db
    .insertInto('gpu_templates')
    .values(builtInTemplates.map(template => ({ ...template, features: [...template.features] })))
    .onConflict(conflict =>
      conflict.column('id').doUpdateSet(({ ref }) => ({
        name: ref('excluded.name'),
        description: ref('excluded.description'),
        category: ref('excluded.category'),
        docker_image: ref('excluded.docker_image'),
        features: ref('excluded.features'),
        popular: ref('excluded.popular'),
      })),
    )
    .execute()
}
