/**
 * Builds all environments: `client` is what browsers get, with share images and a .br beside everything that
 * compresses; `render/render.js` is the program that renders the public pages, `search/search.js` the one that searches them. The pages themselves are rendered by the
 * server, which alone knows its origin and its prices. `manifest.json` tells it what to serve where.
 */
import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { extname, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { brotliCompress, constants } from 'node:zlib'
import type { WebBuild } from '@ingot/contracts/pages'
import type { ViteBuilder } from 'vite'
import type * as Render from './render-pages.ts'
import { shareImages } from './share-images.ts'
import { sourceHash } from './source-hash.ts'

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
  '/cancel-withdrawal',
  '/email-change',
  '/dev',
  '/_kit',
]

type ClientManifest = Record<string, { readonly file: string; readonly assets?: readonly string[] }>

const compressible = new Set(['.html', '.css', '.js', '.svg'])
const brotli = promisify(brotliCompress)

export const isPreloadedFont = (file: string): boolean =>
  /mona-sans-latin-wght-normal[^/]*\.woff2$/.test(file)

export async function buildWeb(builder: ViteBuilder): Promise<void> {
  const { client, ssr, search } = builder.environments
  if (!client || !ssr || !search) throw new Error('The client, ssr and search environments are all needed')
  const root = builder.config.root
  const dist = resolve(root, 'dist')
  // What stands there is stale; the manifest comes last, so that half a build is not taken for one.
  await rm(dist, { recursive: true, force: true })
  const source = await sourceHash(root)
  await builder.build(client)
  await builder.build(ssr)
  await builder.build(search)

  const files = join(dist, 'client')
  const built = JSON.parse(await readFile(join(files, '.vite/manifest.json'), 'utf8')) as ClientManifest
  await rm(join(files, '.vite'), { recursive: true })
  const entry = (source: string) => {
    const found = built[source]
    if (!found) throw new Error(`${source} is not in the client manifest`)
    return found
  }
  const css = entry('src/site/site.css')
  const renderer = (await import(pathToFileURL(join(dist, 'render/render.js')).href)) as typeof Render
  await shareImages(files, renderer.shareCards)
  await compressAll(files)

  const manifest: WebBuild = {
    source,
    assets: {
      css: [`/${css.file}`],
      scripts: [`/${entry('src/site/islands/main.ts').file}`],
      fonts: (css.assets ?? []).filter(isPreloadedFont).map(file => `/${file}`),
    },
    scriptHashes: renderer.inlineScriptHashes([await readFile(join(files, 'app.html'), 'utf8')]),
    app: { file: 'app.html', prefixes: appPrefixes },
    immutable: '/assets/',
  }
  await writeFile(join(dist, 'manifest.json'), `${JSON.stringify(manifest, null, 2)}\n`)
}

async function compressAll(dir: string): Promise<void> {
  for (const item of await readdir(dir, { recursive: true, withFileTypes: true })) {
    if (!item.isFile() || !compressible.has(extname(item.name))) continue
    const file = join(item.parentPath, item.name)
    const content = await readFile(file)
    await writeFile(
      `${file}.br`,
      await brotli(content, { params: { [constants.BROTLI_PARAM_SIZE_HINT]: content.length } }),
    )
  }
}
