import { specifiedGpus } from '@ingot/contracts/test-catalog'
import { instances } from '@ingot/contracts/instances'
import { describe, expect, it } from 'vitest'
import { plannedProducts, sampleJobs } from '@ingot/contracts/site'
import type { SiteFile } from '@ingot/contracts/site/content'
import { sampleParts } from './content/content.ts'
import { samples } from './content/sample.ts'
import { deployRequest } from './home/deploy-request.ts'
import { tryMachine } from './home/try-machine.ts'
import { pages } from './pages.ts'
import { notFoundPaths, pathsOf, render, searchPathsOf } from './render.tsx'
import { links, shown } from './test-shown.ts'
import { cases, slugOfCase } from './use-cases/use-cases.ts'
import { products, slugOf } from './products/products.ts'

const escaped = (text: string) => text.replaceAll('&', '&amp;')
const file: SiteFile = {
  legal_name: 'Acme <b> Ltd',
  postal_address: '1 Main Street',
  sales_email: 'sales@acme.example',
  support_center: 'https://help.acme.example',
  logos: ['Acme Robotics'],
  testimonials: null,
  team: [],
  offices: null,
  channels: [
    { name: 'Chat', description: 'Questions.', join: 'Join the chat', url: 'https://chat.acme.example' },
  ],
  jobs: [
    {
      id: 'site-engineer',
      title: 'Site Engineer',
      department: 'Sites',
      location: 'Oslo',
      type: 'Full-time',
      salary: '$100,000',
      experience: 'Two years',
      description: 'You keep machines honest.',
      requirements: ['Linux'],
      responsibilities: ['Hosts'],
      benefits: ['Leave'],
      team: 'Five people',
      reporting_to: 'Head of sites',
    },
  ],
}
const own = { ...shown, file }
const count = (html: string, pattern: RegExp): number => [...html.matchAll(pattern)].length

const paths = pathsOf(shown)
const indexed = new Set(
  pages.filter(page => page.indexed).flatMap(page => [page.path, ...(page.aliases ?? [])]),
)

describe.each([...paths, ...notFoundPaths.map(({ path }) => path)])('the page %s', path => {
  const html = render(path, shown, links).then(page => page.html)

  it('has a language, a title, a description, a skip link and one h1', async () => {
    const page = await html
    expect(page).toMatch(/^<!DOCTYPE html><html lang="en">/)
    expect(count(page, /<h1[ >]/g)).toBe(1)
    expect(/<title>([^<]+)<\/title>/.exec(page)?.[1]?.length).toBeLessThanOrEqual(65)
    expect(/name="description" content="([^"]+)"/.exec(page)?.[1]?.length).toBeLessThanOrEqual(165)
    expect(page).toContain('href="#content"')
    expect(count(page, /id="content"/g)).toBe(1)
  })
  it('has a canonical address, unless it is no place of its own', async () => {
    const expected = indexed.has(path) ? 1 : 0
    expect(count(await html, /<link rel="canonical" href="https:\/\/gpu\.example\//g)).toBe(expected)
  })
  it('uses no inline style and no handler, which the content security policy would refuse', async () => {
    expect(await html).not.toMatch(/<[^>]+\s(?:style|on[a-z]+)=/)
  })
  it('loads nothing from elsewhere', async () => {
    const page = await html
    const loaded = [
      ...page.matchAll(/<(?!a\b|link\b)[a-z]+\s[^>]*?\b(?:src|srcset|href|data|poster)="([^"]+)"/g),
      ...page.matchAll(/<link (?![^>]*rel="(?:canonical|alternate)")[^>]*?href="([^"]+)"/g),
    ].map(match => match[1]!)
    expect(loaded.length).toBeGreaterThan(2)
    expect(loaded.filter(address => !/^(\/(?!\/)|#|data:)/.test(address))).toEqual([])
  })
  it('uses every id once', async () => {
    const ids = [...(await html).matchAll(/\sid="([^"]+)"/g)].map(match => match[1])
    expect(ids).toEqual([...new Set(ids)])
  })
})

it('answers an unknown path with the not-found page and its status', async () => {
  const { status, html } = await render('/no/such/page', shown, links)
  expect(status).toBe(404)
  expect(html).toContain('Oops! Page not found')
  expect(html).toMatch(/<a href="\/"[^>]*>Return to Home<\/a>/)
})

describe('the front page', () => {
  it('shows a request that the API accepts', () =>
    expect(instances.create.input.safeParse(deployRequest).success).toBe(true))
  it('says what the specification says of deployment and of the edge network, and what of it is there', async () => {
    const { html } = await render('/', shown, links)
    expect(html).toContain('Instant one-click deployment')
    expect(html).toContain('global edge network across 20+ regions')
    expect(html).toContain(`Today: ${shown.regions.length} regions`)
  })
  it('claims no stock without a script', async () => {
    const { html } = await render('/', shown, links)
    expect(count(html, /data-gpu="[^"]+"[^>]*>–<\/td>/g)).toBe(specifiedGpus.length)
  })
})

describe('the prices page', () => {
  it('lists every GPU, and each saving with the figure the catalogue computes', async () => {
    const { html } = await render('/pricing', shown, links)
    const text = html.replace(/<!-- -->/g, '')
    for (const gpu of specifiedGpus) {
      expect(text).toContain(`>${gpu.name}</th>`)
      expect(text).toContain(`Save ${gpu.upfront['3month'].savings_percent}%`)
      expect(text).toContain(`Save ${gpu.upfront['1year'].savings_percent}%`)
    }
    expect(count(text, /Save 18%/g)).toBe(
      specifiedGpus.filter(gpu => gpu.upfront['3month'].savings_percent === 18).length,
    )
  })
})

it.each([
  ['/products/no-such', 'Product Not Found', '/products'],
  ['/use-cases/no-such', 'Use Case Not Found', '/use-cases'],
  ['/careers/no-such', 'Job Not Found', '/careers'],
])('answers %s with "%s", the way back, and status 404', async (path, title, list) => {
  const { status, html } = await render(path, shown, links)
  expect(status).toBe(404)
  expect(html).toMatch(new RegExp(`<h1[^>]*>${title}</h1>`))
  expect(html).toMatch(new RegExp(`<a href="${list}"[^>]*>Back to`))
})

describe('what is not vouched for', () => {
  it('says so wherever it is shown', async () => {
    expect(sampleParts.toSorted()).toEqual(Object.keys(samples).toSorted())
    const first = (part: keyof typeof samples): string => {
      const content: unknown = samples[part]
      const entry: unknown = Array.isArray(content) ? content[0] : content
      return typeof entry === 'string' ? entry : String(Object.values(entry as object)[0])
    }
    const pagesOfBlocks = [
      ['/', ['statistics', 'claims', 'logos', 'testimonials']],
      ['/about', ['about_figures', 'team', 'timeline']],
      ['/contact', ['reply_promise', 'offices']],
      ['/community', ['channels', 'events', 'community_figures']],
      ['/careers', ['career_figures', 'career_values', 'career_benefits', 'jobs']],
    ] as const
    expect(pagesOfBlocks.flatMap(([, parts]) => parts).toSorted()).toEqual(sampleParts.toSorted())
    for (const [path, parts] of pagesOfBlocks) {
      const { html } = await render(path, shown, links)
      for (const part of parts) {
        const text = escaped(part === 'jobs' ? samples.jobs[0]!.title : first(part))
        const label = html.lastIndexOf('Sample content', html.indexOf(text))
        expect(label, `${path}: ${text}`).toBeGreaterThan(0)
        // Inside the same block: every block that opened after the label would have closed before the text.
        const between = html.slice(html.lastIndexOf('<div', label), html.indexOf(text))
        expect(count(between, /<div[ >]/g), `${path}: ${text}`).toBeGreaterThan(count(between, /<\/div>/g))
      }
    }
  })
  it('offers no form for a job that is sample content, and one for a real job', async () => {
    for (const id of Object.keys(sampleJobs)) {
      expect(paths).toContain(`/careers/${id}`)
      const { html } = await render(`/careers/${id}`, shown, links)
      expect(html).not.toContain('<form')
      expect(html).toContain('Applications are not collected while this job is sample content')
    }
    const { html } = await render('/careers/site-engineer', own, links)
    expect(html).toContain('data-call="/v1/applications"')
    expect(html).not.toContain('Sample content')
    expect(html).toContain('og:image" content="https://gpu.example/share/careers.png"')
    expect(searchPathsOf(own)).toContain('/careers/site-engineer')
    expect((await render('/careers/devops-engineer', own, links)).status).toBe(404)
  })
  it('is replaced by what the operator says, and hidden where the operator says nothing', async () => {
    const text = async (path: string) => (await render(path, own, links)).html
    expect(await text('/')).toContain('Acme Robotics')
    expect(await text('/')).not.toContain('Halden Vision')
    expect(await text('/')).not.toContain('What customers say')
    expect(await text('/about')).not.toContain('id="team"')
    const contact = await text('/contact')
    expect(contact).toContain('href="mailto:sales@acme.example"')
    expect(contact).toContain('href="https://help.acme.example"')
    expect(contact).not.toContain('San Francisco')
    expect(await text('/community')).toContain('href="https://chat.acme.example"')
    expect(await text('/docs')).toContain('Join the chat')
    expect(await text('/terms')).toContain('between you and <!-- -->Acme &lt;b&gt; Ltd')
    expect(await text('/privacy')).toContain('1 Main Street')
    expect(await text('/careers')).toContain('/careers/site-engineer')
  })
  it('leads to the tickets of this service unless the operator names another support center', async () => {
    const { html } = await render('/contact', shown, links)
    expect(html).toMatch(/href="\/console\/support"[^>]*>Visit the support center/)
  })
  it('sells nothing that is planned: each has a waiting list', () => {
    for (const product of products.filter(product => product.state === 'planned')) {
      expect(product.charged).toBeNull()
      expect(product.waitlist && plannedProducts[product.waitlist]).toBe(product.name)
    }
  })
})

describe('lists and their pages', () => {
  it('have a page for every product and use case that links to one, and no other', () => {
    const linked = [
      ...products.filter(product => product.hasPage).map(product => `/products/${slugOf(product.name)}`),
      ...cases.filter(useCase => useCase.hasPage).map(useCase => `/use-cases/${slugOfCase(useCase.title)}`),
    ]
    expect(paths.filter(path => /^\/(products|use-cases)\/./.test(path)).toSorted()).toEqual(
      linked.toSorted(),
    )
  })
  it('give AI model training its shorter address', () => {
    expect(slugOfCase('AI Model Training')).toBe('ai-training')
    expect(slugOfCase('Computer Vision')).toBe('computer-vision')
    expect(slugOf('GPU Instances')).toBe('gpu-instances')
  })
})

it('lets visitors try a machine that is on sale', () => {
  const { gpuType, gpuMemoryGb, cpuCores, memoryGb } = tryMachine(0)
  const sold = specifiedGpus.find(gpu => gpu.name === gpuType)!
  expect([gpuMemoryGb, cpuCores, memoryGb]).toEqual([sold.memory_gb, sold.vcpus, sold.ram_gb])
})

describe('what the operator announces', () => {
  const told = {
    maintenance: { text: 'Back at 10:00 <b>', since: '2026-11-26T08:00:00.000Z', planned_end: null },
    items: [
      { key: 'a.1', tone: 'info', text: 'New cards in "EU"', link: { label: 'Read', href: '/blog' } },
      { key: 'b.2', tone: 'warn', text: 'Prices change', link: null },
    ],
  } as const
  it('stands on every page as plain text, with a way to put it away, and nothing when there is nothing', async () => {
    for (const path of ['/', '/docs', '/no/such']) {
      const { html } = await render(path, { ...shown, told }, links)
      expect(html).toContain('Back at 10:00 &lt;b&gt;')
      expect(html).toContain('New cards in &quot;EU&quot;')
      expect(count(html, /data-announcement="/g)).toBe(2)
      expect(html).toMatch(/<a href="\/blog"[^>]*>Read<\/a>/)
      expect(count(html, /Dismiss</g)).toBe(2)
      // Taken out before it is painted: the script stands right behind them.
      expect(html.indexOf("'[data-announcement]'")).toBeGreaterThan(html.indexOf('b.2'))
      expect((await render(path, shown, links)).html).not.toContain('data-announcement')
    }
  })
})
