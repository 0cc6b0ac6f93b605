/** The documentation's pages in reading order: the tree at the left, and what comes before and after each. */
import * as z from 'zod/mini'
import { common, entries, type Entry, type MdxModule } from '../prose/content.ts'
import { apiNouns } from './reference/reference.ts'

export const sections = ['Start', 'Instances', 'Build with it', 'Run your own cloud'] as const

const docMeta = z.strictObject({
  title: common.title,
  description: common.description,
  /** In the tree, where the title would be too long. */
  short: z.optional(z.string().check(z.maxLength(28))),
  section: z.enum(sections),
  order: z.int(),
  /** When somebody last followed it from top to bottom. */
  checked: common.day,
  minutes: z.int(),
  /** What following it costs; absent: nothing. */
  cost: z.optional(z.string()),
})
export type DocMeta = z.infer<typeof docMeta>

export const docs: readonly Entry<DocMeta>[] = entries(
  import.meta.glob<MdxModule>('../../../content/docs/**/*.mdx', { eager: true }),
  docMeta,
).toSorted((a, b) => a.meta.order - b.meta.order)

export interface TreeItem {
  readonly path: string
  readonly title: string
  readonly nested?: boolean
}

/** The front page of the documentation stands before all sections. */
export const docsHome: TreeItem = { path: '/docs', title: 'Documentation' }
const reference: readonly TreeItem[] = [
  { path: '/docs/api', title: 'API reference' },
  ...apiNouns.map(({ noun, title }) => ({ path: `/docs/api/${noun}`, title, nested: true })),
]

export const tree: readonly { readonly title: string; readonly items: readonly TreeItem[] }[] = sections.map(
  title => ({
    title,
    items: [
      ...docs
        .filter(doc => doc.meta.section === title)
        .map(doc => ({ path: `/docs/${doc.slug}`, title: doc.meta.short ?? doc.meta.title })),
      ...(title === 'Build with it' ? reference : []),
    ],
  }),
)

const inOrder = [docsHome, ...tree.flatMap(section => section.items)]

export function neighbours(path: string): { readonly before?: TreeItem; readonly after?: TreeItem } {
  const at = inOrder.findIndex(item => item.path === path)
  return { before: inOrder[at - 1], after: inOrder[at + 1] }
}

export const docsTrail = (...more: { readonly name: string; readonly path: string }[]) => [
  { name: 'Home', path: '/' },
  { name: 'Documentation', path: '/docs' },
  ...more,
]
