/**
 * A crawler over the public site: from the front page and the site map along every link. Each page on a desk and on a
 * phone, down to 320 px; read aloud by axe in one theme, or (`npm run test:long`) in both; without a script; and no link
 * or anchor leads nowhere.
 */
import type { Page } from '@playwright/test'
import { changing, faultsOf, type Look } from './axe.ts'
import { expect, test } from './product.ts'

const isLong = process.env['INGOT_LONG_TESTS'] === '1'
const phone = { width: 390, height: 844 }
const smallest = { width: 320, height: 640 }
const desk = { width: 1360, height: 900 }
/** The console's own pages are looked at by screens.spec.ts; calls are no pages. */
const isElsewhere = (path: string) =>
  /^\/(v1|console|dashboard|terminal|admin|signin|get-started|forgot-password|dev)(\/|$)/.test(path)

interface Seen {
  readonly title: string
  readonly description: string
  readonly canonical: string | null
  readonly ids: readonly string[]
  readonly links: readonly string[]
}

/** Read from the HTML alone, as programs do. */
async function readPage(page: Page, url: string): Promise<Seen> {
  const response = await page.request.get(url)
  const html = await response.text()
  expect(response.status(), url).toBe(200)
  return page.evaluate(text => {
    const document = new DOMParser().parseFromString(text, 'text/html')
    const all = (selector: string, name: string) =>
      [...document.querySelectorAll(selector)].map(each => each.getAttribute(name) ?? '')
    return {
      title: document.title,
      description: all('meta[name=description]', 'content')[0] ?? '',
      canonical: all('link[rel=canonical]', 'href')[0] ?? null,
      ids: all('[id]', 'id'),
      links: all('a[href]', 'href'),
    }
  }, html)
}

async function crawl(page: Page, origin: string): Promise<Map<string, Seen>> {
  await page.goto(origin)
  const siteMap = await (await page.request.get(`${origin}/sitemap.xml`)).text()
  const listed = [...siteMap.matchAll(/<loc>https?:\/\/[^/<]+(\/[^<]*)<\/loc>/g)].map(match => match[1]!)
  expect(listed.length).toBeGreaterThan(40)
  const seen = new Map<string, Seen>()
  const waiting = ['/', ...listed]
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (seen.has(path)) continue
    const found = await readPage(page, origin + path)
    seen.set(path, found)
    for (const link of found.links) {
      const to = new URL(link, origin + path)
      if (to.origin === origin && !isElsewhere(to.pathname) && !/\.\w+$/.test(to.pathname))
        waiting.push(to.pathname)
    }
  }
  return seen
}

let site: Map<string, Seen> | undefined

async function siteOf(page: Page, origin: string): Promise<Map<string, Seen>> {
  return (site ??= await crawl(page, origin))
}

async function visit(page: Page, path: string): Promise<void> {
  await page.goto(path)
  await expect(page.locator('h1'), `one h1 on ${path}`).toHaveCount(1)
}

async function fits(page: Page, viewport: { width: number; height: number }, where: string): Promise<void> {
  await page.setViewportSize(viewport)
  const width = await page.evaluate(() => document.documentElement.scrollWidth)
  expect(width, `${where} at ${viewport.width} px`).toBeLessThanOrEqual(viewport.width)
}

async function readsWell(page: Page, where: string, look?: Look): Promise<void> {
  expect(await faultsOf(page, look), where).toEqual([])
}

test('every link and every anchor leads somewhere, and every page says what it is', async ({
  page,
  product,
}) => {
  const seen = await siteOf(page, product.url)
  const files = new Set<string>()
  for (const [path, { links }] of seen)
    for (const link of links) {
      const to = new URL(link, product.url + path)
      if (to.origin !== product.url) continue
      const target = seen.get(to.pathname)
      if (!target) files.add(to.pathname)
      else if (to.hash)
        expect(target.ids, `${path} links to ${to.pathname}${to.hash}`).toContain(
          decodeURIComponent(to.hash.slice(1)),
        )
    }
  for (const file of files) expect((await page.request.get(product.url + file)).status(), file).toBe(200)

  const places = [...seen].filter(
    ([path, { canonical }]) => canonical && new URL(canonical).pathname === path,
  )
  for (const kind of ['title', 'description'] as const) {
    const texts = places.map(([, found]) => found[kind])
    expect(
      texts.filter((text, at) => texts.indexOf(text) !== at),
      `every ${kind} is its own`,
    ).toEqual([])
    expect(texts.every(text => text.length > 10)).toBe(true)
  }
  expect(new URL((await readPage(page, `${product.url}/documentation`)).canonical!).pathname).toBe('/docs')
})

test('every page reads well in light and dark, on a desk and on a phone', async ({
  page,
  context,
  product,
}) => {
  test.setTimeout(900_000)
  const waiting = [...(await siteOf(page, product.url)).keys(), '/no-such-page', '/blog/no-such-post'].map(
    (path, at) => ({ path, isDark: at % 2 === 1 }),
  )
  const heard: string[] = []
  // Two tabs take turns: one is judged while another loads.
  const walk = async (tab: Page) => {
    let where = ''
    tab.on('pageerror', error => heard.push(`${where}: ${error.message}`))
    tab.on('console', message => {
      if (message.type() === 'error' && !/status of 404/.test(message.text()))
        heard.push(`${where}: ${message.text()}`)
    })
    for (let next = waiting.pop(); next; next = waiting.pop()) {
      where = next.path
      // Pages of one kind share their parts, so both themes see each part: one page in one, the next in the other.
      const first = next.isDark ? 'dark' : 'light'
      await tab.emulateMedia({ colorScheme: first, reducedMotion: 'reduce' })
      await tab.setViewportSize(desk)
      await visit(tab, where)
      await fits(tab, desk, where)
      await readsWell(tab, `${where}, desk, ${first}`)
      await fits(tab, phone, where)
      if (isLong) {
        const other = next.isDark ? 'light' : 'dark'
        await tab.emulateMedia({ colorScheme: other })
        // Code is thousands of pieces in few colours, and the first look has seen them.
        await readsWell(tab, `${where}, phone, ${other}`, { rules: changing, without: 'pre' })
      }
      await fits(tab, smallest, where)
    }
  }
  await Promise.all([page, await context.newPage()].map(walk))
  expect(heard).toEqual([])
})

test('without a script everything can still be read and followed', async ({ browser, page, product }) => {
  test.setTimeout(120_000)
  const paths = [...(await siteOf(page, product.url)).keys()]
  const plain = await browser.newContext({ baseURL: product.url, viewport: phone, javaScriptEnabled: false })
  const tab = await plain.newPage()
  for (const path of paths) {
    await visit(tab, path)
    await expect(tab.locator('main'), path).toContainText(/\w{3}/)
    const idle = await tab
      .locator('.needs-script')
      .evaluateAll(all => all.filter(each => each.checkVisibility()))
    expect(idle, `${path}: controls that can do nothing`).toEqual([])
  }
  await tab.goto('/docs/api-keys')
  await expect(tab.getByText('requests.get(')).toBeHidden()
  await tab.getByText('Python', { exact: true }).first().click()
  await expect(tab.getByText('requests.get(')).toBeVisible()
  await tab.goto('/blog')
  await tab.getByRole('link', { name: 'Performance' }).first().click()
  await expect(tab).toHaveURL(/\/blog\/category\/performance$/)
  await expect(tab.getByRole('heading', { name: 'GPU Optimization Guide' })).toBeVisible()
  await expect(tab.getByRole('heading', { name: 'Scaling AI Workloads' })).toHaveCount(0)
  await plain.close()
})

test('unknown addresses answer 404 in the words of their section', async ({ page }) => {
  const titles = {
    '/tutorials/none': 'Tutorial Not Found',
    '/blog/none': 'Blog Post Not Found',
    '/careers/none': 'Job Not Found',
    '/products/none': 'Product Not Found',
    '/use-cases/none': 'Use Case Not Found',
    '/docs/none/at/all': 'Documentation page not found',
    '/none': 'Oops! Page not found',
  }
  for (const [path, title] of Object.entries(titles)) {
    const response = await page.goto(path)
    expect(response?.status(), path).toBe(404)
    await expect(page.getByRole('heading', { level: 1, name: title })).toBeVisible()
  }
})

test('the search opens with a key, finds while offline, and goes there', async ({ page, context }) => {
  await page.goto('/docs')
  const dialog = page.getByRole('dialog', { name: 'Search' })
  // The key is heard as soon as the button's script is there.
  await expect(async () => {
    await page.keyboard.press('/')
    await expect(dialog.getByRole('status')).toContainText('Type a word')
  }).toPass()
  await dialog.getByRole('combobox').fill('')
  await context.setOffline(true)
  await page.keyboard.type('idempot')
  await expect(dialog.getByRole('option').first()).toContainText(/retries/i)
  await page.keyboard.press('Escape')
  await expect(dialog).toBeHidden()
  await page.keyboard.press('Control+k')
  await expect(dialog.getByRole('combobox')).toBeFocused()
  await page.keyboard.type('billing to the second')
  await expect(dialog.getByRole('option').first()).toContainText('Billing to the second')
  await context.setOffline(false)
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/\/docs\/billing$/)
})

test('a code block copies what it shows, a tool once chosen stays chosen, and a post can be shared', async ({
  page,
  context,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  const copied = () => page.evaluate(() => navigator.clipboard.readText())
  await page.goto('/docs/templates')
  const done = page.getByRole('button', { name: 'Copied' })
  await page.getByRole('button', { name: 'Copy' }).first().click()
  await expect(done).toBeVisible()
  expect(await copied()).toBe('curl -s "$INGOT_URL/v1/templates"')
  await expect(done).toHaveCount(0)

  await page.goto('/docs/api/wallet')
  await page.getByText('Python', { exact: true }).first().click()
  await expect(page.getByRole('radio', { name: 'Python', checked: true })).not.toHaveCount(1)
  await page.goto('/docs/api/billing')
  await expect(page.getByRole('radio', { name: 'Python' }).first()).toBeChecked()

  await page.goto('/blog/scaling-ai-workloads')
  await page.evaluate(() => Reflect.deleteProperty(Navigator.prototype, 'share'))
  await page.getByRole('button', { name: 'Share' }).click()
  await expect(page.getByRole('button', { name: 'Link copied' })).toBeVisible()
  expect(await copied()).toMatch(/\/blog\/scaling-ai-workloads$/)
})
