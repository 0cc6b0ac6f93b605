/**
 * Builds both environments, then makes plain files of the public pages: <path>/index.html, 404.html, sitemap.xml, a
 * .br beside everything that compresses, and manifest.json, which tells the server what to serve where and which
 * inline scripts are ours.
 */
import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, extname, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { brotliCompress, constants } from 'node:zlib'
import type { ViteBuilder } from 'vite'
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
  readonly notFound: string
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
  const assets: Assets = {
    origin,
    css: [`/${css.file}`],
    scripts: [`/${entry('src/site/islands/main.ts').file}`],
    fonts: (css.assets ?? []).filter(isPreloadedFont).map(file => `/${file}`),
  }

  const bundle = pathToFileURL(join(dist, '.render/render.js')).href
  const { notFoundPath, paths, render } = (await import(bundle)) as typeof Render
  const routes = paths.map(path => ({ path, file: join(path, 'index.html').slice(1) }))
  for (const { path, file } of [...routes, { path: notFoundPath, file: '404.html' }]) {
    const { html } = await render(path, assets)
    await mkdir(dirname(join(dist, file)), { recursive: true })
    await writeFile(join(dist, file), html)
  }
  await rm(join(dist, '.render'), { recursive: true })
  await rm(join(dist, '.vite'), { recursive: true })

  const urls = paths.map(path => `<url><loc>${origin}${path}</loc></url>`).join('')
  await writeFile(
    join(dist, 'sitemap.xml'),
    `<?xml version="1.0" encoding="UTF-8"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${urls}</urlset>\n`,
  )
  await writeFile(join(dist, 'robots.txt'), `User-agent: *\nAllow: /\nSitemap: ${origin}/sitemap.xml\n`)

  const manifest: SiteManifest = {
    origin,
    source: await sourceHash(root),
    scriptHashes: await inlineScriptHashes(dist, [
      'app.html',
      '404.html',
      ...routes.map(route => route.file),
    ]),
    routes,
    notFound: '404.html',
    app: { file: 'app.html', prefixes: appPrefixes },
    immutable: '/assets/',
  }
  await writeFile(join(dist, 'manifest.json'), `${JSON.stringify(manifest, null, 2)}\n`)
  await compressAll(dist)
}

/** Taken from the files as written, so the policy cannot disagree with the pages. */
async function inlineScriptHashes(dist: string, files: readonly string[]): Promise<string[]> {
  const hashes = new Set<string>()
  for (const file of files) {
    const html = await readFile(join(dist, file), 'utf8')
    for (const [, attributes, code] of html.matchAll(/<script([^>]*)>([\s\S]*?)<\/script>/g))
      if (!/\ssrc=/.test(attributes!))
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
