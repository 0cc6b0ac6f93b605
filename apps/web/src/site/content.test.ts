/** The rules that the words of docs, tutorials and blog follow. */
import { describe, expect, it } from 'vitest'
import { categories, posts, postSlug } from './blog/posts.ts'
import { docs, neighbours, sections, tree } from './docs/tree.ts'
import { entries } from './prose/content.ts'
import { highlight } from './prose/highlight.ts'
import { cards, tutorials, tutorialSlug } from './tutorials/tutorials.ts'
import * as z from 'zod/mini'

describe('tutorials', () => {
  it('stand at the address that their title makes', () => {
    expect(tutorialSlug('Getting Started: with GPU, Instances!')).toBe('getting-started-with-gpu-instances')
    for (const { slug, meta } of tutorials) expect(slug).toBe(tutorialSlug(meta.title))
  })
  it('are four cards of 15, 45, 30 and 25 minutes, two of them to be followed', () => {
    expect(cards.map(card => card.duration)).toEqual([15, 45, 30, 25])
    expect(cards.filter(card => card.path).map(card => card.path)).toEqual([
      '/tutorials/getting-started-with-gpu-instances',
      '/tutorials/training-your-first-llm',
    ])
  })
})

describe('posts', () => {
  it('stand at the address that their title makes', () => {
    expect(postSlug('  What’s next -- for GPUs?')).toBe('what-s-next-for-gpus')
    expect(posts.map(post => post.slug).toSorted()).toEqual([
      'future-of-cloud-computing',
      'gpu-optimization-guide',
      'scaling-ai-workloads',
    ])
    for (const { slug, meta } of posts) expect(slug).toBe(postSlug(meta.title))
  })
  it('have one in front and six categories', () => {
    expect(posts.filter(post => post.meta.featured)).toHaveLength(1)
    expect(categories).toHaveLength(6)
  })
})

describe('docs', () => {
  it('stand in the tree once each, in their section', () => {
    const paths = tree.flatMap(section => section.items.map(item => item.path))
    expect(paths).toEqual([...new Set(paths)])
    expect(tree.map(section => section.title)).toEqual(sections)
    for (const { slug } of docs) expect(paths).toContain(`/docs/${slug}`)
  })
  it('lead from one to the next and back', () => {
    const first = neighbours('/docs')
    expect(first.before).toBeUndefined()
    expect(neighbours(first.after!.path).before?.path).toBe('/docs')
    expect(neighbours('/docs/self-hosting/operations').after).toBeUndefined()
  })
})

describe('a page of words', () => {
  const Body = () => null
  const file = '../../content/docs/a.mdx'
  const read = (frontMatter: unknown) =>
    entries({ [file]: { default: Body, frontMatter, headings: [] } }, z.strictObject({ title: z.string() }))
  it('does not build with a field that is missing or misspelt', () => {
    expect(read({ title: 'A' })[0]!.slug).toBe('a')
    expect(() => read({})).toThrow(/content\/docs\/a\.mdx: title/)
    expect(() => read({ title: 'A', titel: 'B' })).toThrow(/titel/)
  })
  it('has its code coloured without losing a letter of it', () => {
    const code = 'id=$(curl -s "$A/b" | sed \'s/x/y/\') # why\n\necho "$id"'
    const lines = highlight(code, 'bash')
    expect(lines.map(line => line.map(piece => piece.text).join('')).join('\n')).toBe(code)
    expect(lines.flat().some(piece => piece.role === 'text-ok')).toBe(true)
    const file = "cd /w\ncat > a.py <<'END'\nimport os\nEND\npython3 a.py"
    const inside = highlight(file, 'bash')
    expect(inside.map(line => line.map(piece => piece.text).join('')).join('\n')).toBe(file)
    expect(inside[2]![0]).toEqual({ text: 'import', role: 'text-link' })
    expect(highlight('plain', 'klingon')).toEqual([[{ text: 'plain', role: undefined }]])
  })
})
