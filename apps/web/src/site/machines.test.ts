import { expect, it } from 'vitest'
import { filesForMachines, notFoundPaths, pathsOf, render } from './render.tsx'
import { links, shown } from './test-shown.ts'

const { origin } = shown
const files = filesForMachines(shown)
const paths = pathsOf(shown)

it('maps the site: canonical addresses only, whole, and once', () => {
  const urls = [...files['sitemap.xml']!.matchAll(/<loc>([^<]+)<\/loc>/g)].map(match => match[1]!)
  expect(urls).toEqual([...new Set(urls)])
  expect(urls).toContain(`${origin}/docs`)
  for (const path of ['/documentation', '/404', '/tutorials/404', '/blog/category/mlops'])
    expect(urls).not.toContain(origin + path)
  for (const url of urls) expect(paths).toContain(url.slice(origin.length))
  expect(files['robots.txt']).toContain(`Sitemap: ${origin}/sitemap.xml`)
})

it('feeds the posts, newest first, with dates that readers understand', () => {
  const feed = files['blog/feed.xml']!
  const links = [...feed.matchAll(/<item>.*?<link>([^<]+)</g)].map(match => match[1])
  expect(links[0]).toBe(`${origin}/blog/scaling-ai-workloads`)
  expect(links).toHaveLength(3)
  const dates = [...feed.matchAll(/<pubDate>([^<]+)</g)].map(match => Date.parse(match[1]!))
  expect(dates).toEqual(dates.toSorted((a, b) => b - a))
})

it('tells language models what is where', () => {
  expect(files['llms.txt']).toMatch(/^# Ingot\n\n> /)
  expect(files['llms.txt']).toContain(`(${origin}/docs/quick-start)`)
})

it('answers a missing page below a section in the words of that section', async () => {
  const titles = { tutorials: 'Tutorial Not Found', blog: 'Blog Post Not Found' }
  for (const [section, title] of Object.entries(titles)) {
    const { status, html } = await render(`/${section}/no-such-thing`, shown, links)
    expect(status).toBe(404)
    expect(html).toContain(`>${title}</h1>`)
    expect(html).toContain('name="robots" content="noindex"')
  }
  expect(notFoundPaths.at(-1)?.prefix).toBe('/')
})

it('shows an alias as the page it is, and names the first address', async () => {
  const { status, html } = await render('/documentation', shown, links)
  expect(status).toBe(200)
  expect(html).toContain(`<link rel="canonical" href="${origin}/docs"`)
})

it('states facts as JSON that no text can end early', async () => {
  const { html } = await render('/blog/scaling-ai-workloads', shown, links)
  const facts = JSON.parse(/<script type="application\/ld\+json">(.*?)<\/script>/.exec(html)![1]!) as {
    '@graph': { '@type': string }[]
  }
  expect(facts['@graph'].map(each => each['@type'])).toEqual([
    'Organization',
    'BreadcrumbList',
    'BlogPosting',
  ])
  expect((await render('/contact', shown, links)).html).toContain('"@type":"FAQPage"')
  expect(html).toContain(`<meta property="og:image" content="${origin}/share/blog-scaling-ai-workloads.png"`)
})
