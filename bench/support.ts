/**
 * A message of staff until it stands in the customer's browser: the call, the commit, the fact on the stream, the page's
 * fetch and its paint; beside the least that could be, a write that a bare server sends to an open stream.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { chromium, type Page } from '@playwright/test'
import { signIn } from '../apps/server/src/product/test-process.ts'
import type { Bench } from './product.ts'
import { median, quantile, type Result } from './report.ts'

const messages = 60
/** So that no message waits for the one before. */
const pauseMs = 150

export async function benchSupport({ client, product }: Bench): Promise<Result[]> {
  const account = await newCustomer(product.url, client)
  const customer = await signIn(product.url, account)
  const { id } = await customer.support.create({ title: 'Is my data gone?', content: 'It was stopped.' })
  const browser = await chromium.launch({
    executablePath: process.env['PLAYWRIGHT_CHROMIUM'] ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-sync'],
  })
  try {
    const page = await browser.newPage({ baseURL: product.url })
    await openTicket(page, account, id)
    const ours: number[] = []
    // The first ones warm both up.
    for (let n = -5; n < messages; n++) {
      const content = `Message number ${n}.`
      const shown = shownAt(page, content)
      const sentAt = performance.timeOrigin + performance.now()
      await client.support.staffSend({ id, content, client_id: `bench-${n + 5}` })
      const ms = (await shown) - sentAt
      if (n >= 0) ours.push(ms)
      await sleep(pauseMs)
    }
    const floor = await bareStream()
    return [
      {
        what: 'support: message sent → shown in the other browser',
        figure: `${median(ours).toFixed(0)} ms (p95 ${quantile(ours, 0.95).toFixed(0)})`,
        floor: `${median(floor).toFixed(1)} ms (bare server-sent event)`,
        value: median(ours),
        unit: 'ms',
        wanted: { atMost: 100 },
        note: `median of ${messages}, one after the other`,
      },
    ]
  } finally {
    await browser.close()
  }
}

/** Signs up as anybody could; the mail is read where a test network keeps it. */
async function newCustomer(url: string, client: Bench['client']) {
  const account = { email: `bench.${Date.now()}@example.com`, password: 'correct horse battery' }
  await fetch(`${url}/auth/v1/signup`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(account),
  })
  for (;;) {
    const { items } = await client.dev.mail()
    const link = items
      .find(mail => mail.to === account.email)
      ?.links.find(each => each.includes('type=signup'))
    if (!link) {
      await sleep(50)
      continue
    }
    await fetch(link, { redirect: 'manual' })
    return account
  }
}

async function openTicket(
  page: Page,
  { email, password }: { email: string; password: string },
  id: string,
): Promise<void> {
  await page.goto('/signin')
  await page.getByLabel('Email', { exact: true }).fill(email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign In', exact: true }).click()
  await page.waitForURL(/\/dashboard/)
  await page.goto(`/console/support?ticket=${id}`)
  await page.getByRole('log', { name: 'Messages' }).getByText('It was stopped.').waitFor()
  // The stream is open.
  await sleep(1_000)
}

/** When the text has been painted, by the clock that both processes share. */
const shownAt = (page: Page, text: string): Promise<number> =>
  page.evaluate(
    wanted =>
      new Promise<number>(resolve => {
        const log = document.querySelector('[role="log"]')!
        const watch = new MutationObserver(() => {
          if (!log.textContent?.includes(wanted)) return
          watch.disconnect()
          requestAnimationFrame(() => resolve(performance.timeOrigin + performance.now()))
        })
        watch.observe(log, { childList: true, subtree: true, characterData: true })
      }),
    text,
  )

async function bareStream(): Promise<number[]> {
  const server = fork(new URL('floors/stream-server.ts', import.meta.url))
  const [port] = (await once(server, 'message')) as [number]
  const url = `http://127.0.0.1:${port}`
  const reader = (await fetch(url)).body!.getReader()
  const times: number[] = []
  for (let n = -5; n < messages; n++) {
    const began = performance.now()
    const arrived = reader.read()
    await fetch(url, { method: 'POST', body: `Message number ${n}.` })
    await arrived
    if (n >= 0) times.push(performance.now() - began)
  }
  await reader.cancel()
  server.kill()
  return times
}
