import type { templates } from '@ingot/contracts/templates'
import type { Handlers } from '../http/bind.ts'
import type { Signals } from '../worker/signals.ts'
import { createTemplate, type TemplateNeeds } from './create-template.ts'
import { deleteTemplate } from './delete-template.ts'
import { getTemplate, listOwnTemplates, listTemplates } from './queries.ts'
import { updateTemplate } from './update-template.ts'

export function templateRoutes(needs: TemplateNeeds & { signals: Signals }): Handlers<typeof templates> {
  const wake = (userId: string) => () => needs.signals.send(`user:${userId}`)
  return {
    list: async (_, { db }) => ({ items: await listTemplates(db), next_cursor: null }),
    mine: async (_, { db, caller }) => ({
      items: await listOwnTemplates(db, caller.userId),
      next_cursor: null,
    }),
    get: ({ id, key }, { db, caller }) => getTemplate(db, caller.userId, id, key),
    create: async (wish, { db, caller, afterCommit }) => {
      const template = await createTemplate(db, needs, caller.userId, wish)
      afterCommit(wake(caller.userId))
      return template
    },
    update: async (wish, { db, caller, afterCommit }) => {
      const template = await updateTemplate(db, needs, caller.userId, wish)
      afterCommit(wake(caller.userId))
      return template
    },
    delete: async ({ id }, { db, caller, afterCommit }) => {
      await deleteTemplate(db, needs, caller.userId, id)
      afterCommit(wake(caller.userId))
      return {}
    },
  }
}
