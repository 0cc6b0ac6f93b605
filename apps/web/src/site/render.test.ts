import { gpuListing, savingsPercent } from '@ingot/contracts/catalog'
import { instances } from '@ingot/contracts/instances'
import { describe, expect, it } from 'vitest'
import { deployRequest } from './home/deploy-request.ts'
import { notFoundPath, paths, render } from './render.tsx'

const assets = {
  origin: 'https://gpu.example',
  css: ['/site.css'],
  scripts: ['/main.js'],
  fonts: ['/sans.woff2'],
}
const count = (html: string, pattern: RegExp): number => [...html.matchAll(pattern)].length

describe.each([...paths, notFoundPath])('the page %s', path => {
  const html = render(path, assets).then(page => page.html)

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
    const expected = path === notFoundPath ? 0 : 1
    expect(count(await html, /<link rel="canonical" href="https:\/\/gpu\.example\//g)).toBe(expected)
  })
  it('uses no inline style and no handler, which the content security policy would refuse', async () => {
    expect(await html).not.toMatch(/<[^>]+\s(?:style|on[a-z]+)=/)
  })
  it('uses every id once', async () => {
    const ids = [...(await html).matchAll(/\sid="([^"]+)"/g)].map(match => match[1])
    expect(ids).toEqual([...new Set(ids)])
  })
})

it('answers an unknown path with the not-found page and its status', async () => {
  const { status, html } = await render('/no/such/page', assets)
  expect(status).toBe(404)
  expect(html).toContain('Oops! Page not found')
  expect(html).toMatch(/<a href="\/"[^>]*>Return to Home<\/a>/)
})

describe('the front page', () => {
  it('shows a request that the API accepts', () =>
    expect(instances.create.input.safeParse(deployRequest).success).toBe(true))
  it('lists every GPU, and each saving with the figure the catalogue computes', async () => {
    const { html } = await render('/', assets)
    const text = html.replace(/<!-- -->/g, '')
    for (const gpu of gpuListing()) {
      expect(text).toContain(`>${gpu.name}</th>`)
      expect(text).toContain(`Save ${savingsPercent(gpu.name, '3month')}%`)
      expect(text).toContain(`Save ${savingsPercent(gpu.name, '1year')}%`)
    }
    expect(count(text, /Save 18%/g)).toBe(
      gpuListing().filter(gpu => savingsPercent(gpu.name, '3month') === 18).length,
    )
  })
  it('claims no stock without a script', async () => {
    const { html } = await render('/', assets)
    expect(count(html, /data-gpu="[^"]+"[^>]*>–<\/td>/g)).toBe(gpuListing().length)
  })
})
