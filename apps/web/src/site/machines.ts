/** What programs read about the site: site map, robots, the blog's feed and llms.txt, all from the page table. */
import type { Shown } from '@ingot/contracts/pages'
import { type Page, shareTitle } from './page.ts'
import { wordsOf } from './shown.ts'

export function machineFiles(pages: readonly Page[], shown: Shown): Readonly<Record<string, string>> {
  const { origin } = shown
  const indexed = pages.filter(page => page.indexed)
  return {
    'sitemap.xml': siteMap(indexed, origin),
    'robots.txt': `User-agent: *\nAllow: /\nDisallow: /console\nDisallow: /admin\nSitemap: ${origin}/sitemap.xml\n`,
    'blog/feed.xml': feed(indexed, shown),
    'llms.txt': llms(indexed, shown),
  }
}

const escape = (text: string): string =>
  text.replace(/[&<>"]/g, char => `&${{ '&': 'amp', '<': 'lt', '>': 'gt', '"': 'quot' }[char]};`)

function siteMap(pages: readonly Page[], origin: string): string {
  const urls = pages.map(
    page =>
      `<url><loc>${origin}${page.path}</loc>${page.article ? `<lastmod>${page.article.modified}</lastmod>` : ''}</url>`,
  )
  return `<?xml version="1.0" encoding="UTF-8"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${urls.join('')}</urlset>\n`
}

function feed(pages: readonly Page[], shown: Shown): string {
  const { origin } = shown
  const posts = pages
    .filter(page => page.article)
    .toSorted((a, b) => b.article!.published.localeCompare(a.article!.published))
  const items = posts.map(page => {
    const link = origin + page.path
    const date = new Date(page.article!.published).toUTCString()
    return `<item><title>${escape(shareTitle(page))}</title><link>${link}</link><guid>${link}</guid><pubDate>${date}</pubDate><description>${escape(wordsOf(page.description, shown))}</description></item>`
  })
  return `<?xml version="1.0" encoding="UTF-8"?><rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom"><channel><title>Ingot blog</title><link>${origin}/blog</link><atom:link href="${origin}/blog/feed.xml" rel="self" type="application/rss+xml"/><description>How a GPU cloud is built, with measurements.</description><language>en</language>${items.join('')}</channel></rss>\n`
}

/** https://llmstxt.org: a table of contents for language models. */
function llms(pages: readonly Page[], shown: Shown): string {
  const { origin } = shown
  const line = (page: Page) =>
    `- [${shareTitle(page)}](${origin}${page.path}): ${wordsOf(page.description, shown)}`
  const below = (prefix: string) =>
    pages.filter(page => page.path === prefix || page.path.startsWith(`${prefix}/`))
  const sections = [
    ['Documentation', below('/docs')],
    ['Tutorials', below('/tutorials')],
    ['Blog', below('/blog')],
  ] as const
  const named = new Set(sections.flatMap(([, list]) => list))
  const rest = pages.filter(page => !named.has(page))
  return [
    '# Ingot',
    '',
    '> A GPU cloud: rent GPU instances by the second from a prepaid balance, through a console or an HTTP API.',
    '',
    `The API as OpenAPI 3.1: ${origin}/v1/openapi.json. Money is a decimal string of US dollars, times are RFC 3339 in UTC. Match error codes, never texts.`,
    ...[...sections, ['Other pages', rest] as const].flatMap(([title, list]) =>
      list.length ? ['', `## ${title}`, '', ...list.map(line)] : [],
    ),
    '',
  ].join('\n')
}
