/**
 * `render(path, assets)` makes the whole HTML of a public page. It is an ordinary function: the build calls it once a
 * path, development once a request, and a server may call it for a page that needs fresh data.
 */
import { prerender } from 'react-dom/static'
import { Document } from './Document.tsx'
import type { Assets } from './page.ts'
import { notFound, pages } from './pages.ts'

export const paths = pages.map(page => page.path)
export const notFoundPath = notFound.path

export async function render(path: string, assets: Assets): Promise<{ status: number; html: string }> {
  const normal = path === '/' ? path : path.replace(/\/$/, '')
  const page = pages.find(page => page.path === normal)
  const { prelude } = await prerender(<Document page={page ?? notFound} assets={assets} />)
  return { status: page ? 200 : 404, html: await new Response(prelude).text() }
}
