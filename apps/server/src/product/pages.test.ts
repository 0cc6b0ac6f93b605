/** The public pages as the server renders them, with the renderer that the build ships. `npm test` builds the web first. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, copyFile, cp, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { brotliDecompressSync } from 'node:zlib'
import type { Renderer, Shown } from '@ingot/contracts/pages'
import { specifiedGpus, specifiedRegions } from '@ingot/contracts/test-catalog'
import Fastify from 'fastify'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openPages, type Pages, readBuild, webDist } from './pages.ts'
import { startProduct } from './test-process.ts'
import { registerWeb } from './web.ts'

const slow = 120_000
const one = 'http://localhost:9123'
const other = 'http://gpu.example:8443'
const at = (origin: string): Shown => ({
  origin,
  gpus: specifiedGpus,
  formerGpus: [],
  modelHost: null,
  regions: specifiedRegions,
  told: { maintenance: null, items: [] },
  file: {},
})

type Files = Map<string, string>
let base: string
let folders = 0
const newFolder = () => join(base, String(++folders))
/** Rendered once each, for all tests. */
let first: { readonly dir: string; readonly files: Files }
let second: typeof first

beforeAll(async () => {
  if (!(await readBuild())) throw new Error('apps/web is not built. Run npm start or npm test once')
  base = await mkdtemp(join(tmpdir(), 'ingot-pages-'))
  await chmod(base, 0o711)
  first = await rendered(at(one))
  second = await rendered(at(other))
}, slow)
afterAll(() => rm(base, { recursive: true, force: true }))

/** Every file of a rendering by name; each compressed copy must say the same. */
async function filesOf(dir: string): Promise<Files> {
  const files = new Map<string, string>()
  for (const item of await readdir(dir, { recursive: true, withFileTypes: true })) {
    const path = join(item.parentPath, item.name)
    if (!item.isFile() || path.endsWith('.br')) continue
    const text = await readFile(path, 'utf8')
    expect(brotliDecompressSync(await readFile(`${path}.br`)).toString() === text, path).toBe(true)
    files.set(path.slice(dir.length + 1), text)
  }
  return new Map([...files].toSorted())
}

async function rendered(shown: Shown, dir = newFolder()) {
  const pages = openPages({ dir })
  await pages.show(shown)
  return { dir, files: await filesOf(pages.current()!.dir) }
}

describe('the origin', () => {
  /** Without the marks of code and the version of the search, which may differ between two origins. */
  const plain = (text: string) => text.replace(/<\/?span[^>]*>/g, '').replace(/search\.json\?v=\w+/g, '')

  test('is the one that the server is reached at, in every file and every command, and no other is', () => {
    expect([...first.files.keys()]).toEqual([...second.files.keys()])
    expect(first.files.size).toBeGreaterThan(70)
    for (const [name, text] of first.files) {
      expect(/__ORIGIN__|localhost:8080|gpu\.example/.exec(text)?.[0], name).toBeUndefined()
      // The index of words knows the parts of an origin as words of their own.
      if (name !== 'search.json')
        expect(plain(text).replaceAll(one, other) === plain(second.files.get(name)!), name).toBe(true)
      const canonical = /rel="canonical" href="([^"]+)"/.exec(text)?.[1]
      if (canonical) expect(new URL(canonical).origin, name).toBe(one)
    }
    for (const page of ['', 'docs/api/', 'docs/quick-start/', 'products/gpu-instances/'])
      expect(plain(first.files.get(`${page}index.html`)!), page).toMatch(
        /(curl |INGOT_URL=)http:\/\/localhost:9123/,
      )
    for (const name of ['sitemap.xml', 'robots.txt', 'blog/feed.xml', 'llms.txt'])
      expect(first.files.get(name), name).toContain(`${one}/`)
  })

  test(
    'is each server’s own, by PORT or INGOT_PUBLIC_URL; a start that changes nothing renders nothing',
    async () => {
      const dir = newFolder()
      const server = await startProduct({ dir })
      const { port } = new URL(server.url)
      const beside = await startProduct({
        dir: newFolder(),
        env: { INGOT_PUBLIC_URL: other, PORT: String(Number(port) + 1) },
      })
      const places = { [server.url]: server.url, [`http://localhost:${Number(port) + 1}`]: other }
      for (const [from, origin] of Object.entries(places)) {
        const map = await (await fetch(`${from}/sitemap.xml`)).text()
        const urls = [...map.matchAll(/<loc>([^<]+)/g)].map(match => match[1]!)
        expect(urls.length).toBeGreaterThan(40)
        for (const url of urls) {
          expect(new URL(url).origin).toBe(origin)
          const page = await (await fetch(from + new URL(url).pathname)).text()
          expect(page.includes(`<link rel="canonical" href="${url}"`), url).toBe(true)
        }
      }
      const age = async () => {
        const names = await readdir(join(dir, 'pages'))
        const { ino, mtimeMs } = await stat(join(dir, 'pages', names[0]!, 'files/index.html'))
        return { names, ino, mtimeMs }
      }
      const before = await age()
      await Promise.all([server.stop(), beside.stop()])
      const again = await startProduct({ dir, env: { PORT: port } })
      expect(await age()).toEqual(before)
      await again.stop()
      const moved = await startProduct({ dir, env: { PORT: port, INGOT_PUBLIC_URL: other } })
      const robots = await (await fetch(`http://localhost:${port}/robots.txt`)).text()
      expect(robots).toContain(`${other}/sitemap.xml`)
      expect((await age()).names).toHaveLength(1)
      await moved.stop()
    },
    slow,
  )
})

test(
  'another catalogue gives other pages: prices, regions, the figures of the calculator, and a card off sale only where a text names it',
  async () => {
    const changed: Record<string, string> = { H100: '9.870000', T4: '0.120000' }
    const gpus = specifiedGpus.map(gpu => ({ ...gpu, hourly_price: changed[gpu.name] ?? gpu.hourly_price }))
    const { files } = await rendered({
      ...at(one),
      gpus: gpus.filter(gpu => gpu.name !== 'A100 80GB'),
      formerGpus: gpus.filter(gpu => gpu.name === 'A100 80GB'),
      regions: ['US-East', 'EU-West'],
    })
    for (const page of ['', 'pricing/', 'products/', 'use-cases/', 'docs/', 'docs/billing/']) {
      const name = `${page}index.html`
      expect(first.files.get(name)!.includes('9.87'), name).toBe(false)
      expect(files.get(name)!.includes('9.87'), name).toBe(true)
      expect(/\$4\.10|4\.100000|\$0\.35\b/.exec(files.get(name)!)?.[0], name).toBeUndefined()
    }
    expect(files.get('pricing/index.html')!.includes('hourly_price&quot;:&quot;9.870000&quot;')).toBe(true)
    expect(files.get('index.html')!).toMatch(
      /10<!-- --> hours of one <!-- -->A100 80GB<\/dt><dd[^>]*>\$30\.60</,
    )
    for (const page of ['', 'pricing/', 'docs/instances/'])
      expect(files.get(`${page}index.html`)!.includes('>A100 80GB</th>'), page).toBe(false)
    expect(files.get('products/gpu-instances/index.html')!.includes('>US-East, EU-West<')).toBe(true)
    expect(files.get('llms.txt')).toContain('from $0.12 an hour')
    expect(/name="description" content="([^"]*)"/.exec(files.get('index.html')!)?.[1]).toContain('from $0.12')
  },
  slow,
)

test(
  'the renderer needs no package',
  async () => {
    const dir = await mkdtemp(join(base, 'alone-'))
    await copyFile(join(webDist, 'render/render.js'), join(dir, 'render.mjs'))
    const renderer = (await import(pathToFileURL(join(dir, 'render.mjs')).href)) as Renderer
    const { assets } = (await readBuild())!
    const { files } = await renderer.renderPages(at(one), { assets, version: '0123456789' })
    expect(files['docs/index.html']!.includes('/search.json?v=01234567')).toBe(true)
  },
  slow,
)

test(
  'killed while it renders, it leaves the former pages or the new ones, whole, and the next start goes on',
  async () => {
    const text = (files: Files) => JSON.stringify([...files])
    const whole = [text(first.files), text(second.files)]
    const dir = newFolder()
    const program = join(base, 'render.mjs')
    await writeFile(
      program,
      `import { openPages } from ${JSON.stringify(new URL('pages.ts', import.meta.url).href)}
      await openPages({ dir: ${JSON.stringify(dir)} }).show(${JSON.stringify(at(other))})`,
    )
    const written = async () => (await readdir(join(dir, 'new'), { recursive: true }).catch(() => [])).length
    for (const reached of [0, 1, 40, 120, 160]) {
      await rm(dir, { recursive: true, force: true })
      await cp(first.dir, dir, { recursive: true })
      const child = spawn(process.execPath, [program], { stdio: 'inherit' })
      const ended = once(child, 'exit')
      while ((await written()) < reached && child.exitCode === null) await sleep(1)
      child.kill('SIGKILL')
      await ended
      const names = (await readdir(dir)).filter(name => name !== 'new')
      expect(names).not.toEqual([])
      for (const name of names)
        expect(whole.includes(text(await filesOf(join(dir, name, 'files'))))).toBe(true)
    }
    expect(text((await rendered(at(other), dir)).files) === whole[1]).toBe(true)
    expect(await readdir(dir)).toHaveLength(1)
  },
  slow,
)

describe('while pages are exchanged', () => {
  let pages: Pages
  let url: string
  const logged: string[] = []
  const app = Fastify({ logger: { stream: { write: (line: string) => void logged.push(line) } } })
  beforeAll(async () => {
    const dir = newFolder()
    await cp(first.dir, dir, { recursive: true })
    pages = openPages({ dir })
    await pages.show(at(one))
    await registerWeb(app, pages)
    url = await app.listen({ port: 0, host: '127.0.0.1' })
  })
  afterAll(() => app.close())

  test(
    'every request is answered from one rendering',
    async () => {
      const page = 'docs/quick-start/index.html'
      const whole = new Set([first.files.get(page)])
      const seen = new Set<string>()
      let exchanged = false
      const read = async (encoding: string) => {
        while (!exchanged) {
          const answer = await fetch(`${url}/docs/quick-start`, { headers: { 'accept-encoding': encoding } })
          expect(answer.status).toBe(200)
          seen.add(await answer.text())
          await sleep(1)
        }
      }
      const readers = ['br', 'identity', 'br'].map(read)
      await sleep(20)
      for (const origin of [other, 'http://localhost:3000']) {
        await pages.show(at(origin))
        whole.add((await filesOf(pages.current()!.dir)).get(page))
      }
      await sleep(20)
      exchanged = true
      await Promise.all(readers)
      expect([...seen].every(text => whole.has(text))).toBe(true)
      expect(seen.size).toBeGreaterThan(1)
    },
    slow,
  )

  const get = (path: string) => fetch(url + path, { headers: { 'accept-encoding': 'br' } })

  test('a browser asks again and is told that nothing changed; assets it keeps for ever', async () => {
    const page = await get('/docs')
    expect(page.headers.get('cache-control')).toBe('no-cache')
    expect(page.headers.get('content-encoding')).toBe('br')
    // Not by fetch: it asks for a fresh answer by itself.
    const headers = { 'accept-encoding': 'br', 'if-none-match': page.headers.get('etag')! }
    expect((await app.inject({ url: '/docs', headers })).statusCode).toBe(304)
    const asset = /href="(\/assets\/[^"]+\.css)"/.exec(await page.text())![1]!
    expect((await get(asset)).headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    expect((await get('/assets/none.css')).headers.get('cache-control')).toBe('no-cache')
  })

  test('a page that is not there is logged by its path, without what stands behind it', async () => {
    expect((await get('/docs/no-such-page?token=abc')).status).toBe(404)
    const line = logged.findLast(each => each.includes('page not found'))!
    expect(JSON.parse(line)).toMatchObject({ path: '/docs/no-such-page' })
    expect(line).not.toContain('abc')
  })

  test('the policy for scripts knows every inline script, and no other file of the build is served', async () => {
    const policy = (await get('/')).headers.get('content-security-policy')!
    for (const hash of [...pages.current()!.scriptHashes, ...(await readBuild())!.scriptHashes])
      expect(policy).toContain(`'${hash}'`)
    for (const path of [
      '/manifest.json',
      '/pages.json',
      '/render/render.js',
      '/%2e%2e/manifest.json',
      '/docs/none',
    ])
      expect((await get(path)).status, path).toBeGreaterThanOrEqual(400)
    for (const path of [
      '/docs',
      '/docs/',
      '/documentation',
      '/',
      '/favicon.svg',
      '/share/home.png',
      '/console/x',
    ])
      expect((await get(path)).status, path).toBe(200)
    expect((await fetch(`${url}/`, { method: 'HEAD' })).status).toBe(200)
  })
})
