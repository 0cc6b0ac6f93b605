/**
 * The promises of tokens.css: every pair of colours that carries text or shape is readable in both themes, and no
 * screen uses a value that is not a token.
 */
import { readdir, readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join, resolve } from 'node:path'
import { compile } from 'tailwindcss'
import { describe, expect, it } from 'vitest'

const src = resolve(import.meta.dirname, '..')
const css = await readFile(join(import.meta.dirname, 'tokens.css'), 'utf8')

type Rgb = readonly [number, number, number]

function toLinear(l: number, c: number, h: number): Rgb {
  const a = c * Math.cos((h * Math.PI) / 180)
  const b = c * Math.sin((h * Math.PI) / 180)
  const L = (l + 0.3963377774 * a + 0.2158037573 * b) ** 3
  const M = (l - 0.1055613458 * a - 0.0638541728 * b) ** 3
  const S = (l - 0.0894841775 * a - 1.291485548 * b) ** 3
  return [
    4.0767416621 * L - 3.3077115913 * M + 0.2309699292 * S,
    -1.2684380046 * L + 2.6097574011 * M - 0.3413193965 * S,
    -0.0041960863 * L - 0.7034186147 * M + 1.707614701 * S,
  ]
}

const luminance = (color: Rgb): number => {
  const [r, g, b] = color.map(x => Math.min(1, Math.max(0, x))) as [number, number, number]
  return 0.2126 * r + 0.7152 * g + 0.0722 * b
}

const colors = new Map<string, readonly [light: Rgb, dark: Rgb]>()
for (const [, name, value] of css.matchAll(/^\s+--([\w-]+): ((?:light-dark|oklch)\(.*\));$/gm)) {
  const found = [...value!.matchAll(/oklch\(([\d.]+) ([\d.]+) ([\d.]+)\)/g)].map(([, l, c, h]) =>
    toLinear(Number(l), Number(c), Number(h)),
  )
  if (found[0]) colors.set(name!, [found[0], found[1] ?? found[0]])
}

function contrast(one: string, other: string, theme: 0 | 1): number {
  const of = (name: string) => {
    const color = colors.get(name)
    if (!color) throw new Error(`no token --${name}`)
    return luminance(color[theme])
  }
  const [high, low] = [of(one), of(other)].toSorted((a, b) => b - a) as [number, number]
  return (high + 0.05) / (low + 0.05)
}

const still = ['bg', 'bg-sunken', 'bg-raised']
const grounds = [...still, 'bg-hover', 'bg-selected']
const roles = ['text-muted', 'link', 'ok', 'warn', 'danger', 'info', 'idle']
const pairs = (fronts: string[], backs: string[], least: number) =>
  fronts.flatMap(front => backs.map(back => [front, back, least] as const))

describe.each([
  ['light', 0],
  ['dark', 1],
] as const)('in the %s theme', (_, theme) => {
  it.each([
    ...pairs(['text'], grounds, 7),
    ...pairs(roles, grounds, 4.5),
    ...pairs(['text-subtle'], still, 4.5),
    ...['ok', 'warn', 'danger', 'info', 'idle'].flatMap(role => pairs([role], [`${role}-soft`], 4.5)),
    ...pairs(['ansi-blue'], ['bg-sunken'], 4.5),
    ...pairs(['on-action'], ['action', 'action-hover', 'tape'], 4.5),
    ...pairs(['on-danger'], ['danger-fill'], 4.5),
    ...pairs(['line-strong', 'focus', 'accent', 'action-line', 'danger-line'], ['bg', 'bg-raised'], 3),
    ...pairs(['chart-1', 'chart-2', 'chart-3', 'chart-4', 'chart-5', 'chart-6'], ['bg', 'bg-raised'], 3),
  ])('%s on %s is at least %d:1', (front, back, least) =>
    expect(contrast(front, back, theme)).toBeGreaterThanOrEqual(least),
  )
})

const files = (await readdir(src, { recursive: true }))
  .filter(file => /\.tsx?$/.test(file) && !/\.test\.tsx?$/.test(file))
  .map(file => join(src, file))
const sources = await Promise.all(
  files.map(async file => ({ file: file.slice(src.length + 1), text: await readFile(file, 'utf8') })),
)

/** Class lists as they are written: in `className="…"` and as texts inside `cx(…)`. */
function classesIn(text: string): string[] {
  const lists = [...text.matchAll(/className="([^"]*)"/g)].map(match => match[1]!)
  for (const { index } of text.matchAll(/\bcx\(/g)) {
    let depth = 1
    let end = index + 3
    while (depth > 0 && end < text.length) depth += { '(': 1, ')': -1 }[text[end++]!] ?? 0
    // A word without - or : may as well be a value that is compared.
    const texts = [...text.slice(index, end).matchAll(/'([^'\n]*)'/g)].map(match => match[1]!)
    lists.push(...texts.filter(text => /[-:]/.test(text)))
  }
  return lists.flatMap(list => list.split(/\s+/)).filter(Boolean)
}

async function loadStylesheet(id: string, base: string) {
  const path = id.startsWith('.') ? resolve(base, id) : createRequire(import.meta.url).resolve(id)
  return { path, base: dirname(path), content: await readFile(path, 'utf8') }
}

describe('every screen', () => {
  it('takes its colours and sizes from the tokens', () => {
    const byHand = sources.flatMap(({ file, text }) =>
      [...text.matchAll(/["'`\s][\w:-]+-\[[^\]]*(?:#[\da-f]{3}|\d(?:px|r?em|ms)\b|oklch|rgb)[^\]]*\]/gi)].map(
        match => `${file}: ${match[0].trim()}`,
      ),
    )
    expect(byHand).toEqual([])
  })

  it('names only classes that exist', async () => {
    const sheets = await Promise.all(
      ['site/site.css', 'console/app.css'].map(async sheet => {
        const path = join(src, sheet)
        const compiler = await compile(await readFile(path, 'utf8'), { base: dirname(path), loadStylesheet })
        return compiler.build([...new Set(sources.flatMap(({ text }) => classesIn(text)))])
      }),
    )
    const made = sheets.join('\n').replace(/\\(.)/g, '$1')
    const unknown = sources.flatMap(({ file, text }) =>
      classesIn(text)
        .filter(name => !made.includes(`.${name}`))
        .map(name => `${file}: ${name}`),
    )
    expect(unknown).toEqual([])
  })
})
