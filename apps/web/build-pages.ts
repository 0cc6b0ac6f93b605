/**
 * Builds both environments, then makes plain files of the public pages: <path>/index.html, a not-found page for each
 * section that has one and 404.html, the search index, share images, files for machines, a .br beside everything that
 * compresses, and manifest.json, which tells the server what to serve where and which inline scripts are ours.
 */
import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, extname, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { brotliCompress, constants } from 'node:zlib'
import type { ViteBuilder } from 'vite'
import { searchIndex } from './search-index.ts'
import { shareImages } from './share-images.ts'
import { sourceHash } from './source-hash.ts'
import type { Assets } from './src/site/page.ts'
import type * as Render from './src/site/render.tsx'

/** Answered with app.html; the router inside decides, and says not-found where it must. */
export const appPrefixes = [
  '/console',
  '/dashboard',
  '/terminal',
  '/admin',
  '/signin',
  '/get-started',
  '/forgot-password',
  '/reset-password',
  '/invitation',
  '/email-change',
  '/dev',
  '/_kit',
]

/** dist/manifest.json. */
export interface SiteManifest {
  /** The origin in canonical links and the sitemap. A server reached under another one should say so in its log. */
  readonly origin: string
  /** Hash of everything the build was made from: a build that does not match its source is stale. */
  readonly source: string
  /** For `script-src`, without the quotes: every inline script in any page. */
  readonly scriptHashes: readonly string[]
  readonly routes: readonly { readonly path: string; readonly file: string }[]
  /** The longest prefix of a missing path says which file answers; `/` is always there. */
  readonly notFound: readonly { readonly prefix: string; readonly file: string }[]
  readonly app: { readonly file: string; readonly prefixes: readonly string[] }
  /** Files below carry their hash in their name and never change. */
  readonly immutable: string
}

type ClientManifest = Record<string, { readonly file: string; readonly assets?: readonly string[] }>

const compressible = new Set(['.html', '.css', '.js', '.svg', '.json', '.txt', '.xml'])
const brotli = promisify(brotliCompress)

export const isPreloadedFont = (file: string): boolean =>
  /mona-sans-latin-wght-normal[^/]*\.woff2$/.test(file)

export async function buildPages(builder: ViteBuilder, origin: string): Promise<void> {
  const { client, ssr } = builder.environments
  if (!client || !ssr) throw new Error('The client and ssr environments are both needed')
  await builder.build(client)
  await builder.build(ssr)

  const root = builder.config.root
  const dist = resolve(root, client.config.build.outDir)
  const built = JSON.parse(await readFile(join(dist, '.vite/manifest.json'), 'utf8')) as ClientManifest
  const entry = (source: string) => {
    const found = built[source]
    if (!found) throw new Error(`${source} is not in the client manifest`)
    return found
  }
  const css = entry('src/site/site.css')
  const source = await sourceHash(root)
  const assets: Assets = {
    origin,
    css: [`/${css.file}`],
    scripts: [`/${entry('src/site/islands/main.ts').file}`],
    fonts: (css.assets ?? []).filter(isPreloadedFont).map(file => `/${file}`),
    search: `/search.json?v=${source.slice(0, 8)}`,
  }

  const bundle = pathToFileURL(join(dist, '.render/render.js')).href
  const site = (await import(bundle)) as typeof Render
  const fileOf = (path: string) => join(path, 'index.html').slice(1)
  const routes = site.paths.map(path => ({ path, file: fileOf(path) }))
  const notFound = site.notFoundPaths.map(({ prefix, path }) => ({
    prefix,
    path,
    file: prefix === '/' ? '404.html' : `${prefix.slice(1)}/404.html`,
  }))
  const rendered = new Map<string, string>()
  for (const { path, file } of [...routes, ...notFound]) {
    const { html } = await site.render(path, assets)
    rendered.set(path, html)
    await put(dist, file, html)
  }
  for (const [file, text] of Object.entries(site.filesForMachines(origin))) await put(dist, file, text)
  await put(dist, 'search.json', searchIndex(site.searchPaths, rendered))
  await shareImages(dist, site.shareCards)
  await rm(join(dist, '.render'), { recursive: true })
  await rm(join(dist, '.vite'), { recursive: true })

  const manifest: SiteManifest = {
    origin,
    source,
    scriptHashes: await inlineScriptHashes(dist, [
      'app.html',
      ...[...routes, ...notFound].map(route => route.file),
    ]),
    routes,
    notFound: notFound.map(({ prefix, file }) => ({ prefix, file })),
    app: { file: 'app.html', prefixes: appPrefixes },
    immutable: '/assets/',
  }
  await writeFile(join(dist, 'manifest.json'), `${JSON.stringify(manifest, null, 2)}\n`)
  await compressAll(dist)
}

async function put(dist: string, file: string, content: string): Promise<void> {
  await mkdir(dirname(join(dist, file)), { recursive: true })
  await writeFile(join(dist, file), content)
}

/** Taken from the files as written, so the policy cannot disagree with the pages. Data for machines is no script. */
async function inlineScriptHashes(dist: string, files: readonly string[]): Promise<string[]> {
  const hashes = new Set<string>()
  for (const file of files) {
    const html = await readFile(join(dist, file), 'utf8')
    for (const [, attributes, code] of html.matchAll(/<script([^>]*)>([\s\S]*?)<\/script>/g))
      if (!/\ssrc=|ld\+json/.test(attributes!))
        hashes.add(`sha256-${createHash('sha256').update(code!).digest('base64')}`)
  }
  return [...hashes]
}

async function compressAll(dist: string): Promise<void> {
  for (const item of await readdir(dist, { recursive: true, withFileTypes: true })) {
    if (!item.isFile() || !compressible.has(extname(item.name))) continue
    const file = join(item.parentPath, item.name)
    const content = await readFile(file)
    await writeFile(
      `${file}.br`,
      await brotli(content, { params: { [constants.BROTLI_PARAM_SIZE_HINT]: content.length } }),
    )
  }
}
