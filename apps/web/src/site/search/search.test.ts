import { describe, expect, it, test } from 'vitest'
import { searchIndex } from '../../../search-index.ts'
import { pathsOf, render, searchPathsOf } from '../render.tsx'
import { loadSearch } from './engine.ts'
import { questions } from './questions.ts'
import { links, shown } from '../test-shown.ts'

const paths = pathsOf(shown)
const searchPaths = searchPathsOf(shown)
const rendered = new Map<string, string>()
for (const path of searchPaths) rendered.set(path, (await render(path, shown, links)).html)
const search = loadSearch(searchIndex(searchPaths, rendered))
const urls = (query: string) => search.find(query, 1_000).map(hit => hit.url)

describe('the search', () => {
  it.each([
    ['idempotency', '/docs/api#safe-retries'],
    ['quick start', '/docs/quick-start'],
    ['nvidia-smi', '/tutorials/getting-started-with-gpu-instances#look-around'],
    ['USDT deposit', '/docs/wallet#depositing'],
    ['INGOT_TRON_XPUB', '/docs/self-hosting/configuration#money'],
    ['hot row', '/blog/scaling-ai-workloads#money-without-a-hot-row'],
    ['clone', '/docs/api/instances#clone'],
    ['privcy', '/privacy'],
  ])('finds %s', (query, url) => expect(urls(query).slice(0, 8)).toContain(url))
  it('finds nothing for what stands nowhere', () => expect(urls('xylophone quartz')).toEqual([]))
  it('leads only to pages and anchors that there are', () => {
    const all = new Set<string>()
    for (const word of ['instance', 'gpu', 'balance', 'price', 'key'])
      for (const url of urls(word)) all.add(url)
    expect(all.size).toBeGreaterThan(50)
    for (const url of all) {
      const [path, anchor] = url.split('#') as [string, string | undefined]
      expect(paths).toContain(path)
      if (anchor) expect(rendered.get(path)).toContain(`id="${anchor}"`)
    }
  })
})

test('guides come before the reference, and that before what advertises', () => {
  const of = (part: RegExp) => urls('network volume').findIndex(url => part.test(url))
  expect(of(/^\/docs\/volumes/)).toBe(0)
  expect(of(/^\/docs\/api\/volumes/)).toBeLessThan(of(/^\/products/))
})

test('of what customers ask, the first three have the right page for nine of ten', () => {
  const missed = questions.filter(
    ([question, ...pages]) =>
      !search.find(question, 3).some(({ url }) => pages.includes(url.replace(/#.*/, ''))),
  )
  expect(questions.length).toBeGreaterThanOrEqual(60)
  expect(
    missed.length / questions.length,
    missed.map(([question]) => `${question}: ${search.find(question, 3).map(({ url }) => url)}`).join('\n'),
  ).toBeLessThanOrEqual(0.1)
})
