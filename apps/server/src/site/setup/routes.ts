import { join } from 'node:path'
import { siteFileName } from '@ingot/contracts/site/content'
import type { setup } from '@ingot/contracts/site/setup'
import type { Handlers } from '../../http/bind.ts'
import { type ChecklistNeeds, readChecklist } from './checklist.ts'
import { partsOf } from './site-content.ts'

export const setupRoutes = (needs: ChecklistNeeds): Handlers<typeof setup> => ({
  checklist: (_, { db, request }) => readChecklist(db, needs, request),
  siteContent: async () => ({
    file: join(needs.config.dataDir, siteFileName),
    found: Object.keys(needs.siteFile).length > 0,
    parts: partsOf(needs.siteFile),
  }),
})
