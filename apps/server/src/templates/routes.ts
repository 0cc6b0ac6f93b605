import type { templates } from '@ingot/contracts/templates'
import type { Handlers } from '../http/bind.ts'
import { listTemplates } from './queries.ts'

export const templateRoutes: Handlers<typeof templates> = {
  list: async (_, { db }) => ({ items: await listTemplates(db), next_cursor: null }),
}
