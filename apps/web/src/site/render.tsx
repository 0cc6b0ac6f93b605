/**
 * `render(path, assets)` makes the whole HTML of a public page. It is an ordinary function: the build calls it once a
 * path, development once a request, and a server may call it for a page that needs fresh data. What else the build
 * must know about the pages stands beside it.
 */
import { prerender } from 'react-dom/static'
import { Document } from './Document.tsx'
import { type Assets, type Page, shareImage, shareTitle } from './page.ts'
import { notFound, pages as all } from './pages.ts'
import { machineFiles } from './machines.ts'

const pages = all.filter(page => !page.notFoundFor)
const missing = all.filter(page => page.notFoundFor)

/** Every address that answers 200, aliases included. */
export const paths = pages.flatMap(page => [page.path, ...(page.aliases ?? [])])
/** What an unknown address gets: below a section its own page, else the general one. */
export const notFoundPaths: readonly { readonly prefix: string; readonly path: string }[] = [
  ...missing.map(page => ({ prefix: page.notFoundFor!, path: page.path })),
  { prefix: '/', path: notFound.path },
]

/** What the search finds. */
export const searchPaths = pages.filter(page => page.indexed).map(page => page.path)

export const shareCards = pages
  .filter(page => page.indexed)
  .map(page => ({ file: shareImage(page.path).slice(1), title: shareTitle(page) }))

/** Feed, site map and the other files that only programs read, by name. */
export const filesForMachines = (origin: string): Readonly<Record<string, string>> =>
  machineFiles(pages, origin)

export async function render(path: string, assets: Assets): Promise<{ status: number; html: string }> {
  const normal = path === '/' ? path : path.replace(/\/$/, '')
  const found = pages.find(page => page.path === normal || page.aliases?.includes(normal))
  const page = found ?? pageOfMissing(normal)
  const { prelude } = await prerender(<Document page={page} assets={assets} />)
  return { status: found ? 200 : 404, html: await new Response(prelude).text() }
}

const pageOfMissing = (path: string): Page =>
  missing.find(page => page.path === path) ??
  missing
    .filter(page => path.startsWith(`${page.notFoundFor}/`))
    .toSorted((a, b) => b.notFoundFor!.length - a.notFoundFor!.length)[0] ??
  notFound
