/**
 * One build, two outputs. The client environment makes app.html (the shell of the signed-in application), the site's
 * stylesheet and its islands; the ssr environment makes the program that renders the public pages (build-web.ts).
 *
 * In development pages are rendered in Vite's module runner on every request, so a page is never stale. It shows the
 * catalogue and the announcements of the server that runs beside, and samples of what its operator vouches for.
 */
import { readFile } from 'node:fs/promises'
import type { ServerResponse } from 'node:http'
import { resolve } from 'node:path'
import { isRunnableDevEnvironment, type Plugin, type ViteDevServer } from 'vite'
import type { GpuEntry, RegionEntry } from '@ingot/contracts/catalog-calls'
import type { Shown } from '@ingot/contracts/pages'
import { appPrefixes, buildWeb, isPreloadedFont } from './build-web.ts'
import { searchIndex } from './search-index.ts'
import type { Links } from './src/site/page.ts'
import type * as Render from './src/site/render.tsx'
import { themeScript } from './src/ui/theme.ts'

const renderEntry = '/src/site/render.tsx'

const isApp = (path: string): boolean =>
  appPrefixes.some(prefix => path === prefix || path.startsWith(`${prefix}/`))

interface PagesOptions {
  readonly origin: string
  /** The server that answers calls in development. */
  readonly api: string
}

export function pages({ origin, api }: PagesOptions): Plugin {
  return {
    name: 'ingot-pages',

    transformIndexHtml: {
      order: 'post',
      handler: (_html, { bundle }) => [
        { tag: 'script', children: themeScript, injectTo: 'head-prepend' },
        ...Object.keys(bundle ?? {})
          .filter(isPreloadedFont)
          .map(font => ({
            tag: 'link',
            attrs: { rel: 'preload', as: 'font', type: 'font/woff2', crossorigin: '', href: `/${font}` },
            injectTo: 'head-prepend' as const,
          })),
      ],
    },

    configureServer: server => () => {
      server.middlewares.use((request, response, next) => {
        if (request.method !== 'GET' && request.method !== 'HEAD') return next()
        const path = new URL(request.originalUrl ?? '/', origin).pathname
        const fail = (error: unknown) => next(error)
        answerInDevelopment(server, path, { origin, api }, response).catch(fail)
      })
    },

    hotUpdate({ server, modules }) {
      if (this.environment.name === 'ssr' && modules.length > 0)
        server.environments.client.hot.send({ type: 'full-reload' })
    },

    buildApp: buildWeb,
  }
}

async function answerInDevelopment(
  server: ViteDevServer,
  path: string,
  { origin, api }: PagesOptions,
  response: ServerResponse,
): Promise<void> {
  const send = (status: number, type: string, body: string) => {
    response.writeHead(status, { 'content-type': `${type}; charset=utf-8` })
    response.end(body)
  }
  if (isApp(path)) {
    const shell = await readFile(resolve(server.config.root, 'app.html'), 'utf8')
    return send(200, 'text/html', await server.transformIndexHtml(path, shell))
  }
  const { ssr } = server.environments
  if (!ssr || !isRunnableDevEnvironment(ssr)) throw new Error('The ssr environment cannot run modules')
  const site = await ssr.runner.import<typeof Render>(renderEntry)
  const shown = await shownBy(api, origin)
  const links: Links = {
    css: ['/src/site/site.css'],
    scripts: ['/@vite/client', '/src/site/islands/main.ts'],
    fonts: [],
    search: '/search.json',
  }
  const file = site.filesForMachines(shown)[path.slice(1)]
  if (file) return send(200, 'text/plain', file)
  if (path === links.search) {
    const rendered = new Map<string, string>()
    const searchPaths = site.searchPathsOf(shown)
    for (const each of searchPaths) rendered.set(each, (await site.render(each, shown, links)).html)
    return send(200, 'application/json', searchIndex(searchPaths, rendered))
  }
  const { status, html } = await site.render(path, shown, links)
  send(status, 'text/html', html)
}

async function shownBy(api: string, origin: string): Promise<Shown> {
  const list = async <T>(path: string): Promise<T[]> =>
    ((await (await fetch(api + path)).json()) as { items: T[] }).items
  const [gpus, regions, told] = await Promise.all([
    list<GpuEntry>('/v1/gpus'),
    list<RegionEntry>('/v1/regions'),
    (await fetch(`${api}/v1/announcements?place=site`)).json() as Promise<Shown['told']>,
  ])
  const available = regions.filter(region => region.available).map(({ id }) => id)
  return { origin, gpus, formerGpus: [], regions: available, modelHost: null, told, file: {} }
}
