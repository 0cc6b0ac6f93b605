/**
 * Every test of the repository by its full title, read from the source: `describe > test`, templates as they are
 * written (`%s`, `${design}`). Public pages name tests for what they claim (`apps/web/src/site/trust/claim.ts`), and a
 * test that is switched off in the source holds no claim. One that a condition skips here runs where the condition
 * lets it.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path/posix'
import { fileURLToPath } from 'node:url'
import { parseSync } from 'oxc-parser'
import { isTest, readArrows } from './arrows.ts'

export interface WrittenTest {
  readonly title: string
  readonly path: string
  /** The word that switches it off; null when it runs. */
  readonly off: string | null
}

type Node = { readonly type: string; readonly start: number; readonly end: number } & Record<string, unknown>
interface Call {
  readonly isGroup: boolean
  readonly title: Node
  readonly off: string | null
  readonly isOnly: boolean
  readonly body: Node | undefined
}

const roots = new Set(['describe', 'suite', 'test', 'it'])
const curried = ['each', 'for', 'skipIf', 'runIf']
const ofGroups = ['describe', 'serial', 'parallel']
const offWords = ['skip', 'todo', 'fails', 'fixme', 'fail']
const known = new Set([...curried, ...ofGroups, ...offWords, 'only', 'concurrent', 'sequential'])

export function readTests(path: string, text: string): WrittenTest[] {
  const { program, errors } = parseSync(path, text)
  if (errors[0]) throw new Error(`${path}: ${errors[0].message}`)
  const found: WrittenTest[] = []
  let hasOnly = false

  function visit(node: Node, titles: readonly string[], off: string | null): void {
    const call = readCall(node)
    if (!call) {
      for (const child of childrenOf(node)) visit(child, titles, off ?? deadBranch(node, child))
      return
    }
    hasOnly ||= call.isOnly
    const here = [...titles, titleOf(call.title, text)]
    const switchedOff = off ?? call.off ?? (call.body ? skipsItself(call.body) : null)
    if (call.isGroup) visit(call.body ?? call.title, here, switchedOff)
    else found.push({ title: here.join(' > '), path, off: switchedOff })
  }
  visit(program as unknown as Node, [], skipsItself({ body: program } as unknown as Node))
  return hasOnly ? found.map(test => ({ ...test, off: test.off ?? 'only' })) : found
}

/** Files that vitest and Playwright run, and the rooms of tests that these import. */
export function readAllTests(root = fileURLToPath(new URL('..', import.meta.url))): WrittenTest[] {
  const isRun = /^((packages\/\w+|apps\/web|apps\/server)\/src|tools)\/.*\.test\.tsx?$|^e2e\/[^/]*\.spec\.ts$/
  const options = { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 26 } as const
  const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], options).split('\n')
  const paths = listed.filter(path => isRun.test(path) && existsSync(join(root, path)))
  const found: WrittenTest[] = []
  // The list grows while it is read.
  for (const path of paths) {
    const text = readFileSync(join(root, path), 'utf8')
    found.push(...readTests(path, text))
    for (const { to } of readArrows(path, text).arrows) if (isTest(to) && !paths.includes(to)) paths.push(to)
  }
  return found
}

/** What a call declares, if it declares a group or a test. */
function readCall(node: Node): Call | null {
  const chain = node.type === 'CallExpression' ? chainOf(node['callee'] as Node) : null
  const [title, ...rest] = (node['arguments'] ?? []) as Node[]
  if (!chain || !title) return null
  const last = chain.parts.at(-1)
  const body = rest.find(each => /FunctionExpression$|^Identifier$/.test(each.type))
  const isText = title.type === 'TemplateLiteral' || typeof title['value'] === 'string'
  const isFunction = body !== undefined && body.type !== 'Identifier'
  if (!(isText || isFunction) || chain.parts.some(({ name }) => !known.has(name))) return null
  if (last && curried.includes(last.name) && !last.given) return null
  const isGroup = /describe|suite/.test(chain.root) || chain.parts.some(({ name }) => ofGroups.includes(name))
  const words = [
    ...chain.parts.map(partOff),
    ...rest.flatMap(each => (each.type === 'ObjectExpression' ? [optionOff(each)] : [])),
    body ? null : 'no body',
  ]
  const off = words.find(word => word !== null) ?? null
  return { isGroup, title, off, isOnly: chain.parts.some(({ name }) => name === 'only'), body }
}

interface Part {
  readonly name: string
  readonly given: Node[] | null
}

/** `test.skipIf(x).each(y)`, `test.describe.skip`, `it.each` with a template: the root, and what is said of it. */
function chainOf(node: Node): { root: string; parts: Part[] } | null {
  if (node.type === 'Identifier') {
    const root = String(node['name'])
    return roots.has(root) ? { root, parts: [] } : null
  }
  const isCall = node.type === 'CallExpression' || node.type === 'TaggedTemplateExpression'
  const inner = node[isCall ? (node.type === 'CallExpression' ? 'callee' : 'tag') : 'object'] as
    | Node
    | undefined
  const chain = inner?.type ? chainOf(inner) : null
  if (!chain) return null
  if (!isCall) {
    const name = String((node['property'] as Node)['name'])
    return { ...chain, parts: [...chain.parts, { name, given: null }] }
  }
  const last = chain.parts.at(-1)
  const given = (node['arguments'] ?? []) as Node[]
  return last ? { ...chain, parts: [...chain.parts.slice(0, -1), { ...last, given }] } : null
}

function partOff({ name, given }: Part): string | null {
  if (offWords.includes(name)) return name
  const value = given?.[0] && constantOf(given[0])
  if (!value) return null
  return (name === 'skipIf' && value.is) || (name === 'runIf' && !value.is) ? name : null
}

/** `{ skip: true }` among the options of a test. */
function optionOff(options: Node): string | null {
  for (const property of options['properties'] as Node[]) {
    const name = String((property['key'] as Node | undefined)?.['name'])
    if (offWords.includes(name) && constantOf(property['value'] as Node)?.is) return name
  }
  return null
}

/** A statement right in the body, `context.skip('why')`: nothing decides whether it is reached. */
function skipsItself(body: Node): string | null {
  const block = body['body'] as Node | undefined
  const statements = Array.isArray(block?.['body']) ? (block['body'] as Node[]) : []
  for (const { expression } of statements as (Node & { expression?: Node })[]) {
    if (expression?.type !== 'CallExpression' || readCall(expression)) continue
    const callee = expression['callee'] as Node
    const word = String(callee['name'] ?? (callee['property'] as Node | undefined)?.['name'])
    const [first] = expression['arguments'] as Node[]
    if (['skip', 'fixme'].includes(word) && (!first || constantOf(first)?.is)) return word
  }
  return null
}

/** Whether a value that stands in the source counts as true; null for one that is known only when it runs. */
function constantOf(node: Node): { is: boolean } | null {
  if (node.type === 'Literal') return { is: Boolean(node['value']) }
  const inner = node['operator'] === '!' ? constantOf(node['argument'] as Node) : null
  return inner && { is: !inner.is }
}

const deadBranch = (node: Node, child: Node): string | null =>
  node.type === 'IfStatement' &&
  child === node['consequent'] &&
  constantOf(node['test'] as Node)?.is === false
    ? 'if'
    : null

/** A title as it is written: the text of a literal or template, else the expression in `${}`. */
function titleOf(node: Node, text: string): string {
  if (typeof node['value'] === 'string') return node['value']
  const written = text.slice(node.start, node.end)
  return node.type === 'TemplateLiteral' ? written.slice(1, -1) : `\${${written}}`
}

function childrenOf(node: Node): Node[] {
  return Object.values(node)
    .flat()
    .filter((each): each is Node => typeof each === 'object' && each !== null && 'type' in each)
}
