/**
 * `render(path, shown, links)` makes the whole HTML of a public page. It is an ordinary function: render-pages.ts calls
 * it once a path, development once a request. What else they must know about the pages stands beside it.
 */
import type { Shown } from '@ingot/contracts/pages'
import { prerender } from 'react-dom/static'
import { Document } from './Document.tsx'
import { type Links, type Page, shareImage, shareTitle } from './page.ts'
import { notFound, pages as all, pagesOf } from './pages.ts'
import { machineFiles } from './machines.ts'
import { ShownContext } from './shown.ts'

const found = (shown: Shown) => pagesOf(shown).filter(page => !page.notFoundFor)
const missing = all.filter(page => page.notFoundFor)

/** Every address that answers 200, aliases included. */
export const pathsOf = (shown: Shown): string[] =>
  found(shown).flatMap(page => [page.path, ...(page.aliases ?? [])])
/** What an unknown address gets: below a section its own page, else the general one. */
export const notFoundPaths: readonly { readonly prefix: string; readonly path: string }[] = [
  ...missing.map(page => ({ prefix: page.notFoundFor!, path: page.path })),
  { prefix: '/', path: notFound.path },
]

/** What the search finds. */
export const searchPathsOf = (shown: Shown): string[] =>
  found(shown)
    .filter(page => page.indexed)
    .map(page => page.path)

/** Drawn by the build, so of pages that are always there. */
export const shareCards = all
  .filter(page => page.indexed && !page.notFoundFor)
  .map(page => ({ file: shareImage(page.path).slice(1), title: shareTitle(page) }))

/** Feed, site map and the other files that only programs read, by name. */
export const filesForMachines = (shown: Shown): Readonly<Record<string, string>> =>
  machineFiles(found(shown), shown)

export async function render(
  path: string,
  shown: Shown,
  links: Links,
): Promise<{ status: number; html: string }> {
  const normal = path === '/' ? path : path.replace(/\/$/, '')
  const known = found(shown).find(page => page.path === normal || page.aliases?.includes(normal))
  const page = known ?? pageOfMissing(normal)
  const { prelude } = await prerender(
    <ShownContext value={shown}>
      <Document page={page} links={links} />
    </ShownContext>,
  )
  return { status: known ? 200 : 404, html: await new Response(prelude).text() }
}

const pageOfMissing = (path: string): Page =>
  missing.find(page => page.path === path) ??
  missing
    .filter(page => path.startsWith(`${page.notFoundFor}/`))
    .toSorted((a, b) => b.notFoundFor!.length - a.notFoundFor!.length)[0] ??
  notFound
