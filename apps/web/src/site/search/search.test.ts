import MiniSearch from 'minisearch'
import { describe, expect, it } from 'vitest'
import { searchIndex } from '../../../search-index.ts'
import { paths, render, searchPaths } from '../render.tsx'
import { searchOptions } from './options.ts'
import { links, shown } from '../test-shown.ts'

const rendered = new Map<string, string>()
for (const path of searchPaths) rendered.set(path, (await render(path, shown, links)).html)
const engine = MiniSearch.loadJSON(searchIndex(searchPaths, rendered), searchOptions)
const urls = (query: string) => engine.search(query).map(hit => hit.url as string)

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
    for (const word of ['the', 'a', 'instance', 'gpu', 'and']) for (const url of urls(word)) all.add(url)
    expect(all.size).toBeGreaterThan(50)
    for (const url of all) {
      const [path, anchor] = url.split('#') as [string, string | undefined]
      expect(paths).toContain(path)
      if (anchor) expect(rendered.get(path)).toContain(`id="${anchor}"`)
    }
  })
})
