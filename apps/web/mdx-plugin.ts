/**
 * Turns a .mdx file into a module: the page's component, its front matter and its headings. Fenced code becomes `Code`
 * with what stands behind the fence as properties; neighbours with a `tab` become one `CodeTabs`. `__ORIGIN__` is where
 * this site is served, so commands can be pasted as they stand: `Code` puts it into code, `Origin` into text.
 */
import { compile } from '@mdx-js/mdx'
import remarkGfm from 'remark-gfm'
import type { Plugin } from 'vite'
import { parse } from 'yaml'

interface Node {
  type: string
  name?: string
  tagName?: string
  value?: string
  properties?: Record<string, unknown>
  data?: { meta?: string | null }
  attributes?: { type: 'mdxJsxAttribute'; name: string; value: unknown }[]
  children?: Node[]
}

export interface Heading {
  readonly depth: 2 | 3
  readonly id: string
  readonly text: string
}

export function mdx(): Plugin {
  return {
    name: 'ingot-mdx',
    enforce: 'pre',
    async transform(source, id) {
      if (!id.endsWith('.mdx')) return
      const [, yaml, body] = /^---\n([\s\S]*?)\n---\n([\s\S]*)$/.exec(source) ?? []
      if (body === undefined) throw new Error(`${id} has no front matter`)
      const headings: Heading[] = []
      const lines = '\n'.repeat(yaml!.split('\n').length + 2)
      const compiled = await compile(
        { value: lines + body, path: id },
        {
          remarkPlugins: [remarkGfm],
          rehypePlugins: [() => (tree: Node) => shape(tree, headings)],
        },
      )
      const facts = `export const frontMatter = ${JSON.stringify(parse(yaml!))}\nexport const headings = ${JSON.stringify(headings)}`
      return { code: `${String(compiled)}\n${facts}\n`, map: null }
    },
  }
}

function shape(node: Node, headings: Heading[]): void {
  if (!node.children || node.name === 'CodeTabs') return
  // Markdown has no table without a head; one without words is left out.
  const told = node.children.filter(child => child.tagName !== 'thead' || textOf(child).trim())
  node.children = joinTabs(told.map(toCode)).flatMap(withOrigin)
  for (const child of node.children) {
    nameHeading(child, headings)
    shape(child, headings)
  }
}

const textOf = (node: Node): string => node.value ?? (node.children ?? []).map(textOf).join('')

const slug = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')

/**
 * A heading's id is its words, or what stands behind it as `[#id]`; a `Step` of a tutorial is a heading too. Two of one
 * name would share an anchor.
 */
function nameHeading(node: Node, headings: Heading[]): void {
  const depth = node.tagName === 'h2' || node.name === 'Step' ? 2 : node.tagName === 'h3' ? 3 : null
  if (depth === null) return
  const given = node.attributes?.find(({ name }) => name === 'title')?.value
  const named = / \[#([\w-]+)\]$/.exec(textOf(node))
  const last = node.children?.at(-1)
  if (named && last?.value) last.value = last.value.replace(named[0], '')
  const text = typeof given === 'string' ? given : textOf(node)
  const id = named?.[1] ?? slug(text)
  if (headings.some(heading => heading.id === id)) throw new Error(`Two headings are called "${text}"`)
  headings.push({ depth, id, text })
  if (node.attributes) node.attributes.push(attribute('id', id), attribute('number', String(headings.length)))
  else node.properties = { ...node.properties, id }
}

function toCode(node: Node): Node {
  const code = node.tagName === 'pre' ? node.children?.[0] : undefined
  if (code?.tagName !== 'code') return node
  const [className] = (code.properties?.['className'] as string[] | undefined) ?? []
  const attributes = [
    attribute('code', textOf(code).replace(/\n$/, '')),
    attribute('language', className?.replace('language-', '') ?? 'text'),
  ]
  for (const [, name, value] of (code.data?.meta ?? '').matchAll(/([\w-]+)(?:="([^"]*)")?/g))
    attributes.push(attribute(name!, value ?? name!))
  return { type: 'mdxJsxFlowElement', name: 'Code', attributes, children: [] }
}

const attribute = (name: string, value: unknown) => ({ type: 'mdxJsxAttribute' as const, name, value })
const isTab = (node: Node | undefined): boolean =>
  node?.name === 'Code' && node.attributes!.some(({ name }) => name === 'tab')

function joinTabs(nodes: Node[]): Node[] {
  const solid = nodes.filter((node, n) => !(isBlank(node) && isTab(nodes[n - 1]) && isTab(nodes[n + 1])))
  const joined: Node[] = []
  for (const node of solid) {
    const last = joined.at(-1)
    if (!isTab(node)) joined.push(node)
    else if (last?.name === 'CodeTabs') last.children!.push(node)
    else joined.push({ type: 'mdxJsxFlowElement', name: 'CodeTabs', attributes: [], children: [node] })
  }
  return joined
}

/** Text around the origin, and the element that stands for it. */
function withOrigin(node: Node): Node[] {
  if (node.type !== 'text' || !node.value!.includes('__ORIGIN__')) return [node]
  const origin: Node = { type: 'mdxJsxTextElement', name: 'Origin', attributes: [], children: [] }
  return node
    .value!.split('__ORIGIN__')
    .flatMap((value, n) => [...(n > 0 ? [origin] : []), { type: 'text', value }])
}

const isBlank = (node: Node): boolean => node.type === 'text' && !node.value!.trim()
