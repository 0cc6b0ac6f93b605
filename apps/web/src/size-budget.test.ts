/**
 * What a visitor downloads, measured on the built files as they are sent (brotli). It needs a build of the present
 * source: without one it is skipped, unless CI_BUILD is set, which makes a missing or stale build a failure.
 */
import { readFile, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { SiteManifest } from '../build-pages.ts'
import { sourceHash } from '../source-hash.ts'

const root = resolve(import.meta.dirname, '..')
const dist = join(root, 'dist')
const kb = 1000

const manifest = await readFile(join(dist, 'manifest.json'), 'utf8').then(
  text => JSON.parse(text) as SiteManifest,
  () => null,
)
const isFresh = manifest?.source === (await sourceHash(root))

const text = (file: string): Promise<string> => readFile(join(dist, file), 'utf8')
const sent = async (file: string): Promise<number> => (await stat(join(dist, `${file}.br`))).size
const total = async (files: Iterable<string>): Promise<number> =>
  (await Promise.all([...files].map(sent))).reduce((sum, size) => sum + size, 0)

/** Files named in a page: styles, scripts, and what Vite lists for preload, which is all an entry imports. */
const named = (html: string): string[] =>
  [...html.matchAll(/(?:src|href)="\/(assets\/[^"]+\.(?:js|css)|favicon\.svg)"/g)].map(match => match[1]!)

/** A script with everything it can ever import. */
async function withImports(script: string, seen = new Set<string>()): Promise<Set<string>> {
  if (seen.has(script)) return seen
  seen.add(script)
  for (const [, name] of (await text(script)).matchAll(/["'`](?:\.\/|assets\/)([\w.-]+\.js)["'`]/g))
    await withImports(`assets/${name}`, seen)
  return seen
}

it('measures a build of the present source', { skip: !process.env.CI_BUILD }, () => {
  expect(manifest, 'apps/web is not built').not.toBeNull()
  expect(isFresh, 'apps/web/dist is older than its source').toBe(true)
})

describe.skipIf(!isFresh)('what is downloaded', () => {
  it('is at most 60 KB for the front page, of which 5 KB script', async () => {
    const files = named(await text('index.html'))
    const scripts = new Set<string>()
    for (const file of files.filter(file => file.endsWith('.js'))) await withImports(file, scripts)
    expect(scripts.size).toBeGreaterThan(1)
    expect(await total(scripts)).toBeLessThanOrEqual(5 * kb)
    expect(await total(new Set(['index.html', ...files, ...scripts]))).toBeLessThanOrEqual(60 * kb)
  })

  it('is at most 180 KB before the signed-in application starts', async () => {
    const files = named(await text('app.html'))
    expect(files.some(file => file.endsWith('.js'))).toBe(true)
    expect(await total(new Set(['app.html', ...files]))).toBeLessThanOrEqual(180 * kb)
  })

  it('has a compressed copy of everything that compresses', async () => {
    for (const file of ['index.html', '404.html', 'app.html', ...named(await text('index.html'))])
      expect(await sent(file), file).toBeLessThan((await stat(join(dist, file))).size)
  })
})
