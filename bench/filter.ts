/**
 * A key in the filter of the list of instances, 100 rows, until the browser has painted the service's answer: alone, and
 * the last of a word typed at the pace of a person. Beside it the same key over a plain table of the same rows that the
 * page filters by itself, which is what the browser takes whatever we do.
 */
import { type Browser, chromium, type Page } from '@playwright/test'
import { a40, type Bench } from './product.ts'
import { median, quantile, type Result } from './report.ts'

const rows = 100
const rounds = 8
/** Names have it in their number alone: 19 of them. */
const key = '7'
const matching = 19
const word = 'row-07'
/** 60 words a minute. */
const keyMs = 200

export async function benchFilter({ product, client }: Bench): Promise<Result[]> {
  const nameOf = (n: number) => `row-${String(n).padStart(2, '0')}`
  for (let n = 0; n < rows; n++) await client.instances.create({ ...a40, name: nameOf(n), start: false })
  const browser = await chromium.launch({
    executablePath: process.env['PLAYWRIGHT_CHROMIUM'] ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu'],
  })
  try {
    const ours = await openList(browser, product.url, product.admin!)
    const [narrow, all] = await keyTimes(ours)
    const typed = await wordTimes(ours)
    const plain = await keyTimes(
      await openPlain(
        browser,
        Array.from({ length: rows }, (_, n) => nameOf(n)),
      ),
    )
    const result = (what: string, times: readonly number[], floor: readonly number[]): Result => ({
      what: `list of ${rows} rows: ${what} → painted`,
      figure: `p50 ${median(times).toFixed(0)} ms, p90 ${quantile(times, 0.9).toFixed(0)} ms`,
      floor: `p50 ${median(floor).toFixed(0)} ms`,
      value: median(times),
      unit: 'ms',
      wanted: null,
    })
    return [
      {
        ...result(`a key in the filter, ${matching} rows`, narrow, plain[0]),
        note: 'floor: the page filters by itself',
      },
      result('the key taken away, all rows', all, plain[1]),
      result('the last key of a word, 1 row', typed, plain[0]),
    ]
  } finally {
    await browser.close()
    for (const { id } of (await client.instances.list({ limit: 100 })).items)
      await client.instances.delete({ id })
  }
}

async function openList(
  browser: Browser,
  url: string,
  admin: { email: string; password: string },
): Promise<Page> {
  const page = await (
    await browser.newContext({ baseURL: url, viewport: { width: 1360, height: 800 } })
  ).newPage()
  await page.goto('/signin')
  await page.getByLabel('Email', { exact: true }).fill(admin.email)
  await page.getByLabel('Password', { exact: true }).fill(admin.password)
  await page.getByRole('button', { name: 'Sign In', exact: true }).click()
  await page.waitForURL(/dashboard|admin/)
  await page.goto('/console/instances')
  await page.waitForFunction(count => document.querySelectorAll('tbody tr').length === count, rows)
  return page
}

async function openPlain(browser: Browser, names: readonly string[]): Promise<Page> {
  const page = await browser.newPage({ viewport: { width: 1360, height: 800 } })
  await page.setContent(
    `<input type="search"><table><tbody>${names.map(name => `<tr><td>${name}<td>Stopped<td>1× A40<td>US-East<td>$0.75`).join('')}</table>`,
  )
  await page.evaluate(() => {
    const all = [...document.querySelectorAll('tbody tr')]
    document.querySelector('input')!.addEventListener('input', event => {
      const text = (event.target as HTMLInputElement).value
      document
        .querySelector('tbody')!
        .replaceChildren(...all.filter(row => row.firstElementChild!.textContent.includes(text)))
    })
  })
  return page
}

/**
 * From the next key to the frame after the rows are as many as are waited for. It listens before it answers: a key may
 * overtake what is asked of the page. The promise is in an array, or awaiting the one would await the other.
 */
async function paintedAfter(page: Page, count: number): Promise<[painted: Promise<number>]> {
  await page.evaluate(wanted => {
    const painted = new Promise<number>(resolve => {
      let began = 0
      const look = () => {
        if (began === 0 || document.querySelectorAll('tbody tr').length !== wanted) return
        watch.disconnect()
        // The frame that shows it is painted when the next task runs.
        requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - began)))
      }
      const watch = new MutationObserver(look)
      watch.observe(document.body, { subtree: true, childList: true })
      document.addEventListener('keydown', event => (began = event.timeStamp), { capture: true, once: true })
    })
    Object.assign(window, { painted })
  }, count)
  return [page.evaluate(() => (window as unknown as { painted: Promise<number> }).painted)]
}

const settle = (page: Page) => page.waitForTimeout(400)

/** Of the key that narrows the list, and of the one that brings all of it back. */
async function keyTimes(page: Page): Promise<readonly [narrow: number[], all: number[]]> {
  const times: [number[], number[]] = [[], []]
  await page.locator('input[type=search]').focus()
  for (let n = 0; n < rounds; n++)
    for (const [press, count] of [
      [key, matching],
      ['Backspace', rows],
    ] as const) {
      await settle(page)
      const [painted] = await paintedAfter(page, count)
      await page.keyboard.press(press)
      times[count === rows ? 1 : 0].push(await painted)
    }
  return times
}

async function wordTimes(page: Page): Promise<number[]> {
  const times: number[] = []
  for (let n = 0; n < rounds; n++) {
    await page.keyboard.type(word.slice(0, -1), { delay: keyMs })
    const [painted] = await paintedAfter(page, 1)
    await page.keyboard.press(word.at(-1)!)
    times.push(await painted)
    await page.locator('input[type=search]').fill('')
    await page.waitForFunction(count => document.querySelectorAll('tbody tr').length === count, rows)
    await settle(page)
  }
  return times
}
