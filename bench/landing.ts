/**
 * The public site as the server sends it: bytes and script of the landing page over the wire, and Lighthouse on a phone
 * for it and for nine more of the main pages.
 */
import { once } from 'node:events'
import { get } from 'node:http'
import { launch } from 'chrome-launcher'
import lighthouse from 'lighthouse'
import type { Bench } from './product.ts'
import { median, type Result } from './report.ts'

const runs = 3
const flags = [
  '--headless=new',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]
const mainPages = [
  '/products',
  '/products/gpu-instances',
  '/use-cases',
  '/pricing',
  '/docs',
  '/docs/api/instances',
  '/tutorials/getting-started-with-gpu-instances',
  '/blog/scaling-ai-workloads',
  '/contact',
]
const categories = ['performance', 'accessibility', 'best-practices', 'seo'] as const

export async function benchLanding({ product }: Bench): Promise<Result[]> {
  const sizes = await pageSizes(product.url)
  const scores = await lighthouseScores(`${product.url}/`, runs)
  return [
    {
      what: 'landing: everything but fonts',
      figure: `${(sizes.all / 1024).toFixed(1)} KB`,
      floor: '',
      value: sizes.all / 1024,
      unit: 'KB',
      wanted: { atMost: 60 },
      note: 'brotli, over the wire',
    },
    {
      what: 'landing: script',
      figure: `${(sizes.script / 1024).toFixed(1)} KB`,
      floor: '',
      value: sizes.script / 1024,
      unit: 'KB',
      wanted: { atMost: 5 },
    },
    ...categories.map((category): Result => ({
      what: `landing: Lighthouse mobile, ${category}`,
      figure: scores[category].toFixed(0),
      floor: '',
      value: scores[category],
      unit: 'points',
      wanted: { atLeast: 98 },
      note: `median of ${runs}`,
    })),
  ]
}

/** The worst of its four scores for each page, and which that is. */
export async function benchSite({ product }: Bench): Promise<Result[]> {
  const results: Result[] = []
  for (const path of mainPages) {
    const scores = await lighthouseScores(product.url + path, 1)
    const worst = categories.toSorted((a, b) => scores[a] - scores[b])[0]!
    results.push({
      what: `${path}: Lighthouse mobile`,
      figure: categories.map(category => scores[category].toFixed(0)).join(' '),
      floor: '',
      value: scores[worst],
      unit: 'points',
      wanted: { atLeast: 98 },
      note: `worst: ${worst}`,
    })
  }
  return results
}

async function pageSizes(origin: string): Promise<{ all: number; script: number }> {
  const page = await fetchRaw(`${origin}/`)
  const files = [
    ...new Set([...page.text.matchAll(/(?:src|href)="(\/[^"]+\.(?:js|css|svg))"/g)].map(match => match[1]!)),
  ]
  const seen = new Set<string>()
  let all = page.bytes
  let script = 0
  const add = async (file: string) => {
    if (seen.has(file)) return
    seen.add(file)
    const { bytes, text } = await fetchRaw(origin + file)
    all += bytes
    if (!file.endsWith('.js')) return
    script += bytes
    for (const [, name] of text.matchAll(/(?:from|import)\s*["'`]\.\/([\w.-]+\.js)["'`]/g))
      await add(`/assets/${name}`)
    // Islands are loaded when the page has their place; the others never are.
    for (const [, name, island] of text.matchAll(/import\(["'`]\.\/(([\w-]+?)-[\w-]{8}\.js)["'`]\)/g))
      if (page.text.includes(`data-island="${island}"`)) await add(`/assets/${name}`)
  }
  for (const file of files) await add(file)
  return { all, script }
}

/** Bytes as they travel; text through fetch, which undoes the compression. */
async function fetchRaw(url: string): Promise<{ bytes: number; text: string }> {
  const request = get(url, { headers: { 'accept-encoding': 'br' } })
  const [response] = (await once(request, 'response')) as [import('node:http').IncomingMessage]
  let bytes = 0
  response.on('data', (chunk: Buffer) => (bytes += chunk.length))
  await once(response, 'end')
  return { bytes, text: await (await fetch(url)).text() }
}

type Scores = Record<(typeof categories)[number], number>

async function lighthouseScores(url: string, runs: number): Promise<Scores> {
  const chrome = await launch({
    chromePath: process.env['PLAYWRIGHT_CHROMIUM'] ?? '/usr/bin/chromium',
    chromeFlags: flags,
  })
  const all = Object.fromEntries(categories.map(category => [category, [] as number[]])) as Record<
    (typeof categories)[number],
    number[]
  >
  for (let n = 0; n < runs; n++) {
    const result = await lighthouse(url, {
      port: chrome.port,
      onlyCategories: [...categories],
      logLevel: 'silent',
    })
    for (const category of categories)
      all[category].push((result!.lhr.categories[category]!.score ?? 0) * 100)
  }
  chrome.kill()
  return Object.fromEntries(categories.map(category => [category, median(all[category])])) as Scores
}
