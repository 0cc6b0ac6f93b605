/** What is left to do before customers come, as the service sees it, and what of its public pages is still a sample. */
import * as z from 'zod/mini'
import { nothing, operation } from '../operation.ts'

/** In the order in which they are done. */
export const setupItems = [
  'domain',
  'tls',
  'mail',
  'chain',
  'driver',
  'prices',
  'legal',
  'content',
  'backup',
] as const
export type SetupItem = (typeof setupItems)[number]
export const setupStates = ['done', 'open', 'not_applicable'] as const
export type SetupState = (typeof setupStates)[number]

export const checklistItem = z.object({
  name: z.enum(setupItems),
  state: z.enum(setupStates),
  /** What was found, in a sentence or two. */
  seen: z.string(),
  /** What to do; empty unless it is open. */
  todo: z.string(),
  /** The page that says how. */
  guide: z.string(),
})
export type ChecklistItem = z.infer<typeof checklistItem>

/**
 * Where a part of the public pages comes from: the file, the sample that comes with the product, what is true of every
 * installation, or nowhere, because the file hides it or because nothing was given.
 */
export const contentSources = ['own', 'sample', 'standard', 'hidden', 'none'] as const
export type ContentSource = (typeof contentSources)[number]

export const sitePartState = z.object({
  name: z.string(),
  does: z.string(),
  source: z.enum(contentSources),
  pages: z.array(z.string()),
})
export type SitePartState = z.infer<typeof sitePartState>

export const setup = {
  checklist: operation({
    id: 'getChecklist',
    method: 'GET',
    path: '/v1/admin/checklist',
    who: 'admin',
    summary: 'What is left to do before customers come, as the service sees it',
    input: nothing,
    output: z.object({ items: z.array(checklistItem), open: z.int() }),
    status: 200,
    errors: [],
  }),
  siteContent: operation({
    id: 'getSiteContent',
    method: 'GET',
    path: '/v1/admin/site-content',
    who: 'admin',
    summary: 'Which parts of the public pages are the operator’s own, and which are still samples',
    input: nothing,
    output: z.object({
      /** Where the server looked for the file when it started. */
      file: z.string(),
      found: z.boolean(),
      parts: z.array(sitePartState),
    }),
    status: 200,
    errors: [],
  }),
}
