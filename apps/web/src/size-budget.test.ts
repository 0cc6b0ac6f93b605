/**
 * What a visitor downloads, measured on the files as they are sent (brotli): those of the build, and the pages as the
 * server renders them. It needs a build of the present source: without one it is skipped, unless CI_BUILD is set, which
 * makes a missing or stale build a failure.
 */
import { existsSync } from 'node:fs'
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { openPages, readBuild } from '../../server/src/product/pages.ts'
import { sourceHash } from '../source-hash.ts'
import { shown } from './site/test-shown.ts'

const root = resolve(import.meta.dirname, '..')
const dist = join(root, 'dist')
const client = join(dist, 'client')
const kb = 1000

const build = await readBuild(dist)
const isFresh = build?.source === (await sourceHash(root))
const dir = await mkdtemp(join(tmpdir(), 'ingot-pages-'))
const pages = openPages({ dir, dist })
if (isFresh) await pages.show(shown)
const rendering = pages.current()
afterAll(() => rm(dir, { recursive: true }))

const whole = (file: string): string =>
  join(rendering && existsSync(join(rendering.dir, file)) ? rendering.dir : client, file)
const text = (file: string): Promise<string> => readFile(whole(file), 'utf8')
const sent = async (file: string): Promise<number> => (await stat(whole(`${file}.br`))).size
const total = async (files: Iterable<string>): Promise<number> =>
  (await Promise.all([...files].map(sent))).reduce((sum, size) => sum + size, 0)

/** Files named in a page: styles, scripts, and what Vite lists for preload, which is all an entry imports. */
const named = (html: string): string[] =>
  [...html.matchAll(/(?:src|href)="\/(assets\/[^"]+\.(?:js|css)|favicon\.svg)"/g)].map(match => match[1]!)

/** A script with all that it needs before it runs. */
async function withImports(script: string, seen = new Set<string>()): Promise<Set<string>> {
  if (seen.has(script)) return seen
  seen.add(script)
  for (const [, name] of (await text(script)).matchAll(/(?:from|import)\s*["'`]\.\/([\w.-]+\.js)["'`]/g))
    await withImports(`assets/${name}`, seen)
  return seen
}

/** What a page loads by itself: its scripts, and each island that its HTML names. A click may load more. */
async function scriptsOf(html: string): Promise<Set<string>> {
  const scripts = new Set<string>()
  for (const entry of named(html).filter(file => file.endsWith('.js'))) {
    await withImports(entry, scripts)
    const lazy = [...(await text(entry)).matchAll(/import\([`'"]\.\/(([\w-]+?)-[\w-]{8}\.js)[`'"]\)/g)]
    for (const [, file, island] of lazy)
      if (html.includes(`data-island="${island}"`)) await withImports(`assets/${file}`, scripts)
  }
  return scripts
}

it('measures a build of the present source', { skip: !process.env.CI_BUILD }, () => {
  expect(build, 'apps/web is not built').not.toBeNull()
  expect(isFresh, 'apps/web/dist is older than its source').toBe(true)
})

describe.skipIf(!isFresh)('what is downloaded', () => {
  it('is at most 60 KB for the front page, of which 5 KB script', async () => {
    const html = await text('index.html')
    const files = named(html)
    const scripts = await scriptsOf(html)
    const islands = new Set([...html.matchAll(/data-island="([\w-]+)"/g)].map(match => match[1]!))
    for (const island of islands)
      expect(
        [...scripts].some(file => file.startsWith(`assets/${island}-`)),
        island,
      ).toBe(true)
    expect(await total(scripts)).toBeLessThanOrEqual(5 * kb)
    expect(await total(new Set(['index.html', ...files, ...scripts]))).toBeLessThanOrEqual(60 * kb)
  })

  it('is at most 180 KB before the signed-in application starts', async () => {
    const files = named(await text('app.html'))
    expect(files.some(file => file.endsWith('.js'))).toBe(true)
    expect(await total(new Set(['app.html', ...files]))).toBeLessThanOrEqual(180 * kb)
  })

  it('is at most 60 KB for any public page, of which 5 KB script', async () => {
    // The calculator computes with the contract's own catalogue and arithmetic.
    const scriptBudgets: Readonly<Record<string, number>> = { '/pricing': 7 * kb }
    for (const { path, file } of rendering!.routes) {
      const html = await text(file)
      const scripts = await scriptsOf(html)
      expect(await total(scripts), path).toBeLessThanOrEqual(scriptBudgets[path] ?? 5 * kb)
      expect(await total(new Set([file, ...named(html), ...scripts])), path).toBeLessThanOrEqual(60 * kb)
    }
  })

  it('is at most 100 KB for the search, and nothing of it before somebody searches', async () => {
    const html = await text('docs/index.html')
    expect(named(html).some(file => file.includes('dialog'))).toBe(false)
    const [engine] = (await readdir(join(client, 'assets'))).filter(file => /^dialog-.*\.js$/.test(file))
    expect(
      (await sent('search.json')) + (await total(await withImports(`assets/${engine}`))),
    ).toBeLessThanOrEqual(100 * kb)
  })

  it('has a share image for every page that is found, each at most 60 KB', async () => {
    for (const { file } of rendering!.routes) {
      const image = /og:image" content="[^"]*\/(share\/[^"]+\.png)"/.exec(await text(file))?.[1]
      if (image) expect((await stat(whole(image))).size, image).toBeLessThanOrEqual(60 * kb)
      else expect(await text(file), file).toContain('noindex')
    }
  })

  it('has a compressed copy of everything that compresses', async () => {
    for (const file of ['index.html', '404.html', 'app.html', ...named(await text('index.html'))])
      expect(await sent(file), file).toBeLessThan((await stat(whole(file))).size)
  })
})
