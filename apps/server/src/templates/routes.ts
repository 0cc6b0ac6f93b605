import type { templateReviews } from '@ingot/contracts/admin/template-reviews'
import type { templates } from '@ingot/contracts/templates'
import type { Tx } from '../db/database.ts'
import type { Handlers } from '../http/bind.ts'
import type { Signals } from '../worker/signals.ts'
import { createTemplate, type TemplateNeeds } from './create-template.ts'
import { decideTemplate } from './decide-template.ts'
import { deleteTemplate } from './delete-template.ts'
import { getTemplate, listOwnTemplates, listTemplates } from './queries.ts'
import { proposeTemplate, withdrawTemplate } from './propose-template.ts'
import { listReviews } from './reviews.ts'
import { updateTemplate } from './update-template.ts'

export function templateRoutes(
  needs: TemplateNeeds & { signals: Signals },
): Handlers<typeof templates & typeof templateReviews> {
  const wake = (userId: string) => () => needs.signals.send(`user:${userId}`)
  const decide = async (
    db: Tx,
    by: string,
    decision: Parameters<typeof decideTemplate>[2],
    afterCommit: (work: () => void) => void,
  ) => {
    const review = await decideTemplate(db, needs, decision, by)
    afterCommit(() => {
      wake(review.user_id)()
      needs.signals.send('notice')
    })
    return review
  }
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
    propose: async ({ id }, { db, caller, afterCommit }) => {
      afterCommit(wake(caller.userId))
      return proposeTemplate(db, needs, caller.userId, id)
    },
    withdraw: async ({ id }, { db, caller, afterCommit }) => {
      afterCommit(wake(caller.userId))
      return withdrawTemplate(db, needs, caller.userId, id)
    },
    reviews: (input, { db }) => listReviews(db, input),
    approve: ({ id }, { db, caller, afterCommit }) =>
      decide(db, caller.userId, { id, reason: null }, afterCommit),
    reject: (decision, { db, caller, afterCommit }) => decide(db, caller.userId, decision, afterCommit),
  }
}
