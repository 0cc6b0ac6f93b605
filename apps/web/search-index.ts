/**
 * The search index of the public pages, made from their HTML as it is sent: one entry per heading, with the text up to
 * the next. So whatever a page says can be found, however it was written. Beside it the same parts as they are read, for
 * whoever answers from them.
 */
import type { Passage } from '@ingot/contracts/pages'
import MiniSearch from 'minisearch'
import { searchOptions } from './src/site/search/options.ts'

interface Section {
  readonly url: string
  readonly page: string
  readonly heading: string
  /** What is looked in. */
  readonly words: string
  /** What is shown of it. */
  readonly text: string
}

export function searchIndex(paths: readonly string[], pages: ReadonlyMap<string, string>): string {
  const index = new MiniSearch<Section & { readonly id: number }>(searchOptions)
  let id = 0
  for (const { path, url, page, heading, html } of partsOf(paths, pages)) {
    const all = plain(html)
    const most = mostOf(path)
    index.add({
      id: id++,
      url,
      page,
      heading,
      words: shortened(all, most.words),
      text: all.slice(0, most.shown),
    })
  }
  return JSON.stringify(index)
}

/** A line for each paragraph, point or row. Code is left out, and what only leads to it: an answer says where it stands. */
export function passages(paths: readonly string[], pages: ReadonlyMap<string, string>): Passage[] {
  return partsOf(paths, pages).map(({ url, page, heading, html }) => ({
    url,
    page,
    heading,
    lines: html
      .replace(unsaid, ' ')
      .replace(/<\/t[dh]>\s*<t[dh][^>]*>/g, ': ')
      .split(/<\/(?:p|li|tr|dt|dd|div|section|h\d)>/)
      .map(part =>
        plain(part)
          .replace(/\s+([.,;:?!)])/g, '$1')
          .replace(/\(\s+/g, '(')
          .replace(/(?<=^|[.!?]\s)[^.!?]*:$/, '')
          .trim(),
      )
      .filter(line => line.length > 12),
  }))
}

const unsaid = /<(pre|figcaption|thead|button|dl|svg)[\s>][\s\S]*?<\/\1>/g

/** What the index leaves out: links to other pages, folded details, one example in four tools, and what asks for it. */
const unread =
  /<(nav|details|fieldset)[\s>][\s\S]*?<\/\1>|<(\w+)[^>]*\sdata-search="off"[^>]*>[\s\S]*?<\/\2>/g
/** Characters of a part. Of the reference, whose parts are many and alike, the beginning does. */
const mostOf = (path: string) =>
  path.startsWith('/docs/api')
    ? { words: 90, shown: 70 }
    : /^\/(docs|tutorials|privacy|terms)(\/|$)/.test(path)
      ? { words: 1_500, shown: 250 }
      : { words: 300, shown: 160 }
const headed = /<h([123])(?=[\s>])[^>]*?(?:\sid="([^"]+)")?[^>]*>([\s\S]*?)<\/h\1>/g

interface Part {
  readonly path: string
  readonly url: string
  readonly page: string
  readonly heading: string
  readonly html: string
}

const partsOf = (paths: readonly string[], pages: ReadonlyMap<string, string>): Part[] =>
  paths.flatMap(path => {
    const main = /<main[^>]*>([\s\S]*?)<\/main>/.exec(pages.get(path) ?? '')?.[1] ?? ''
    const read = main.replace(unread, ' ')
    const headings = [...read.matchAll(headed)]
    const page = headings[0] ? plain(headings[0][3]!) : path
    return headings.map((match, n) => ({
      path,
      url: match[2] && match[1] !== '1' ? `${path}#${match[2]}` : path,
      page,
      heading: plain(match[3]!),
      html: read.slice(match.index + match[0].length, headings[n + 1]?.index),
    }))
  })

/** The beginning, and the names of variables in the rest: those are looked for by name. */
function shortened(text: string, most: number): string {
  const names = text.slice(most).match(/\bINGOT_\w+/g) ?? []
  return [text.slice(0, most), ...new Set(names)].join(' ')
}

const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#x27': "'" }

const plain = (html: string): string =>
  html
    .replace(/<!--.*?-->/g, '')
    .replace(/<[^>]+>/g, ' ')
    .replace(/&(#?\w+);/g, (all, name: string) => entities[name] ?? all)
    .replace(/\s+/g, ' ')
    .trim()
