import type { TemplateCategory, templates } from '@ingot/contracts/templates'
import type { Handlers } from '../http/bind.ts'

export const templateRoutes: Handlers<typeof templates> = {
  list: async (_, { db }) => {
    const rows = await db
      .selectFrom('gpu_templates')
      .selectAll()
      .where('is_public', '=', true)
      .orderBy('created_at', 'desc')
      .orderBy('id')
      .execute()
    return {
      items: rows.map(row => ({ ...row, category: row.category as TemplateCategory })),
      next_cursor: null,
    }
  },
}
