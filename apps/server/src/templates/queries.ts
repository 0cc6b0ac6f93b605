import type { Template, TemplateCategory } from '@ingot/contracts/templates'
import type { Db } from '../db/database.ts'

/** All that anybody may deploy from, newest first. */
export async function listTemplates(db: Db): Promise<Template[]> {
  const rows = await db
    .selectFrom('gpu_templates')
    .select([
      'id',
      'name',
      'description',
      'category',
      'docker_image',
      'features',
      'popular',
      'is_public',
      'created_at',
    ])
    .where('is_public', '=', true)
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .execute()
  return rows.map(row => ({ ...row, category: row.category as TemplateCategory }))
}
