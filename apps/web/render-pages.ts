/**
 * All public pages at once, as files by name: <path>/index.html, a not-found page for each section that has one and
 * 404.html, the search index, and the files for machines. The build makes one program of this with all that it needs;
 * the server runs it when what the pages show has changed.
 */
import { createHash } from 'node:crypto'
import type { Assets, RenderedPages, Shown } from '@ingot/contracts/pages'
import { passages, searchIndex } from './search-index.ts'
import { filesForMachines, notFoundPaths, pathsOf, render, searchPathsOf } from './src/site/render.tsx'

/** What the build draws, once for all origins. */
export { shareCards } from './src/site/render.tsx'

const fileOf = (path: string) => `${path}/index.html`.replace(/^\/+/, '')

export async function renderPages(
  shown: Shown,
  { assets, version }: { readonly assets: Assets; readonly version: string },
): Promise<RenderedPages> {
  const links = { ...assets, search: `/search.json?v=${version.slice(0, 8)}` }
  const routes = pathsOf(shown).map(path => ({ path, file: fileOf(path) }))
  const notFound = notFoundPaths.map(({ prefix, path }) => ({
    prefix,
    path,
    file: prefix === '/' ? '404.html' : `${prefix.slice(1)}/404.html`,
  }))
  const rendered = new Map<string, string>()
  const files: Record<string, string> = {}
  for (const { path, file } of [...routes, ...notFound]) {
    const { html } = await render(path, shown, links)
    rendered.set(path, html)
    files[file] = html
  }
  return {
    routes,
    notFound: notFound.map(({ prefix, file }) => ({ prefix, file })),
    scriptHashes: inlineScriptHashes(rendered.values()),
    files: {
      ...files,
      ...filesForMachines(shown),
      'search.json': searchIndex(searchPathsOf(shown), rendered),
      'passages.json': JSON.stringify(passages(searchPathsOf(shown), rendered)),
    },
  }
}

/** Taken from the pages as written, so the policy cannot disagree with them. Data for machines is no script. */
export function inlineScriptHashes(pages: Iterable<string>): string[] {
  const hashes = new Set<string>()
  for (const html of pages)
    for (const [, attributes, code] of html.matchAll(/<script([^>]*)>([\s\S]*?)<\/script>/g))
      if (!/\ssrc=|ld\+json/.test(attributes!))
        hashes.add(`sha256-${createHash('sha256').update(code!).digest('base64')}`)
  return [...hashes]
}
