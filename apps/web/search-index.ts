/**
 * The search index of the public pages, made from their HTML as it is sent: one entry per heading, with the text up to
 * the next. So whatever a page says can be found, however it was written.
 */
import MiniSearch from 'minisearch'
import { searchOptions } from './src/site/search/options.ts'

interface Section {
  readonly id: number
  readonly url: string
  readonly page: string
  readonly heading: string
  readonly text: string
}

export function searchIndex(paths: readonly string[], pages: ReadonlyMap<string, string>): string {
  const index = new MiniSearch<Section>(searchOptions)
  let id = 0
  for (const path of paths)
    for (const section of sectionsOf(path, pages.get(path) ?? '')) index.add({ ...section, id: id++ })
  return JSON.stringify(index)
}

/** What the index leaves out: links to other pages, folded details, one example in four tools, and what asks for it. */
const unread =
  /<(nav|details|fieldset)[\s>][\s\S]*?<\/\1>|<(\w+)[^>]*\sdata-search="off"[^>]*>[\s\S]*?<\/\2>/g
const mostText = 380
const headed = /<h([123])(?=[\s>])[^>]*?(?:\sid="([^"]+)")?[^>]*>([\s\S]*?)<\/h\1>/g

function sectionsOf(path: string, html: string): Omit<Section, 'id'>[] {
  const main = /<main[^>]*>([\s\S]*?)<\/main>/.exec(html)?.[1] ?? ''
  const shown = main.replace(unread, ' ')
  const headings = [...shown.matchAll(headed)]
  const page = headings[0] ? plain(headings[0][3]!) : path
  return headings.map((match, n) => ({
    url: match[2] && match[1] !== '1' ? `${path}#${match[2]}` : path,
    page,
    heading: plain(match[3]!),
    text: shortened(plain(shown.slice(match.index + match[0].length, headings[n + 1]?.index))),
  }))
}

/** The beginning, and the names of variables in the rest: those are looked for by name. */
function shortened(text: string): string {
  const names = text.slice(mostText).match(/\bINGOT_\w+/g) ?? []
  return [text.slice(0, mostText), ...new Set(names)].join(' ')
}

const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#x27': "'" }

const plain = (html: string): string =>
  html
    .replace(/<!--.*?-->/g, '')
    .replace(/<[^>]+>/g, ' ')
    .replace(/&(#?\w+);/g, (all, name: string) => entities[name] ?? all)
    .replace(/\s+/g, ' ')
    .trim()
