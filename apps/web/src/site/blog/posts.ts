/** The blog's posts, newest first, and the categories that its list can be narrowed to. */
import * as z from 'zod/mini'
import { common, entries, type Entry, type MdxModule } from '../prose/content.ts'

export const categories = [
  'AI Infrastructure',
  'Performance',
  'Serverless',
  'Cost Optimization',
  'Computer Vision',
  'MLOps',
] as const
export type Category = (typeof categories)[number]

const meta = z.strictObject({
  title: common.title,
  /** The excerpt. */
  description: common.description,
  author: z.string(),
  role: z.string(),
  date: common.day,
  modified: z.optional(common.day),
  readMinutes: z.int(),
  category: z.enum(categories),
  featured: z.boolean(),
  tags: z.array(z.string()),
})
export type Post = Entry<z.infer<typeof meta>>

export const posts: readonly Post[] = entries(
  import.meta.glob<MdxModule>('../../../content/blog/*.mdx', { eager: true }),
  meta,
).toSorted((a, b) => b.meta.date.localeCompare(a.meta.date))

/** Lower case, each run of other characters one hyphen, none at the edges. */
export const postSlug = (title: string): string =>
  title
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')

export const categoryPath = (category: Category): string => `/blog/category/${postSlug(category)}`

/** Announced, not written: they stand in the list without a link. */
export const coming: readonly { readonly title: string; readonly category: Category }[] = [
  { title: 'What a second of GPU is worth', category: 'Cost Optimization' },
  { title: 'A model registry in one table', category: 'MLOps' },
  { title: 'Labelling a million images on eight cards', category: 'Computer Vision' },
]
