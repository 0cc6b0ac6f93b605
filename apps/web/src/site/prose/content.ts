/** What a .mdx file becomes, and its front matter checked: a page with a missing or misspelt field does not build. */
import type { ComponentType } from 'react'
import * as z from 'zod/mini'

export interface Heading {
  readonly depth: 2 | 3
  readonly id: string
  readonly text: string
}

export interface MdxModule {
  readonly default: ComponentType<{ readonly components: object }>
  readonly frontMatter: unknown
  readonly headings: readonly Heading[]
}

export interface Entry<T> extends Pick<MdxModule, 'headings'> {
  /** The file's path below its folder, without the ending. */
  readonly slug: string
  readonly meta: T
  readonly Body: MdxModule['default']
}

const day = z.string().check(z.regex(/^20\d\d-\d\d-\d\d$/))
/** Search results cut longer ones. */
const title = z.string().check(z.minLength(3), z.maxLength(55))
const description = z.string().check(z.minLength(40), z.maxLength(165))
export const common = { title, description, day }

export function entries<T extends z.ZodMiniObject>(
  modules: Readonly<Record<string, MdxModule>>,
  schema: T,
): Entry<z.output<T>>[] {
  return Object.entries(modules).map(([file, module]) => {
    const slug = /content\/\w+\/(.+)\.mdx$/.exec(file)![1]!
    const meta = schema.safeParse(module.frontMatter)
    if (!meta.success)
      throw new Error(
        `Front matter of ${file}: ${meta.error.issues.map(issue => `${[...issue.path, ...('keys' in issue ? issue.keys : [])].join('.')}: ${issue.message}`).join('; ')}`,
      )
    return { slug, meta: meta.data, headings: module.headings, Body: module.default }
  })
}
