/** The tutorials: two that can be followed, written in MDX, and two that are still to come. */
import * as z from 'zod/mini'
import { common, entries, type Entry, type MdxModule } from '../prose/content.ts'

export const levels = ['Beginner', 'Intermediate', 'Advanced'] as const

const meta = z.strictObject({
  title: common.title,
  description: common.description,
  /** In minutes: the sum of what its steps say. */
  duration: z.int(),
  level: z.enum(levels),
  category: z.string(),
  author: z.string(),
  checked: common.day,
  prerequisites: z.array(z.string()),
  whatYouWillLearn: z.array(z.string()),
})
export type TutorialMeta = z.infer<typeof meta>

/** Lower case, spaces turned into hyphens, other non-alphanumerics removed. */
export const tutorialSlug = (title: string): string =>
  title
    .toLowerCase()
    .replace(/\s+/g, '-')
    .replace(/[^a-z0-9-]/g, '')

export const tutorials: readonly Entry<TutorialMeta>[] = entries(
  import.meta.glob<MdxModule>('../../../content/tutorials/*.mdx', { eager: true }),
  meta,
).toSorted((a, b) => a.meta.duration - b.meta.duration)

type Card = Pick<TutorialMeta, 'title' | 'description' | 'duration' | 'level' | 'category'> & {
  /** Null: not written yet. */
  readonly path: string | null
}

export const cards: readonly Card[] = [
  ...tutorials.map(({ meta, slug }) => ({ ...meta, path: `/tutorials/${slug}` })),
  {
    title: 'Deploying Serverless Functions',
    description:
      'A model behind an address that costs nothing while nobody asks. Comes with the product itself.',
    duration: 30,
    level: 'Intermediate',
    category: 'Serverless',
    path: null,
  },
  {
    title: 'Distributed Training on Eight GPUs',
    description: 'From one card to eight: what to change in the code, and how to see whether it pays.',
    duration: 25,
    level: 'Advanced',
    category: 'Training',
    path: null,
  },
]
