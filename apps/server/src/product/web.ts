/**
 * The web. A public page comes from the rendering that is current (pages.ts), everything else from the build: files as
 * they are, compressed when the browser takes it, hashed assets for ever; an address of the console gets its one page.
 * Anything else gets the not-found page of its section, or the general one, with status 404, and the missing path is
 * logged.
 */
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import fastifyStatic from '@fastify/static'
import { IngotError } from '@ingot/contracts/errors'
import type { WebBuild } from '@ingot/contracts/pages'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import helmet from 'helmet'
import { sendError } from '../http/errors.ts'
import { type Pages, readBuild, type Release, webDist } from './pages.ts'

const yearSeconds = 31_536_000
const apiPrefixes = ['/v1', '/auth/v1', '/dev/api']

const startsWith = (path: string, prefixes: readonly string[]) =>
  prefixes.some(prefix => path === prefix || path.startsWith(`${prefix}/`))
const pathOf = (request: FastifyRequest): string => request.url.split('?', 1)[0]!

/** Without pages only the console is served: tests of calls render none. */
export async function registerWeb(app: FastifyInstance, pages: Pages | null, dist = webDist): Promise<void> {
  const build = await readBuild(dist)
  const client = join(dist, 'client')
  const release = () => pages?.current() ?? null

  // Made once a rendering: Fastify's plugin works the policy out anew for each request, a twentieth of what a refresh took.
  let securedFor = release()
  let secure = secureBy(build, securedFor)
  app.addHook('onRequest', (request, reply, done) => {
    if (release() !== securedFor) secure = secureBy(build, (securedFor = release()))
    secure(request.raw, reply.raw, () => done())
  })

  if (build) {
    await app.register(fastifyStatic, {
      root: client,
      serve: false,
      preCompressed: true,
      cacheControl: false,
    })
    app.get('/*', async (request, reply) => {
      const path = pathOf(request)
      const current = release()
      const page = current && pageAt(current, path)
      if (page) return reply.header('cache-control', 'no-cache').sendFile(page, current.dir)
      const name = (request.params as { '*': string })['*']
      const found = await stat(join(client, name)).catch(() => null)
      if (!found?.isFile()) return reply.callNotFound()
      const age = path.startsWith(build.immutable) ? `public, max-age=${yearSeconds}, immutable` : 'no-cache'
      return reply.header('cache-control', age).sendFile(name, client)
    })
  }

  app.setNotFoundHandler((request, reply) => {
    const path = pathOf(request)
    if (startsWith(path, apiPrefixes) || (request.method !== 'GET' && request.method !== 'HEAD')) {
      return sendError(new IngotError('not_found', { message: 'There is no such call' }), request, reply)
    }
    void reply.header('cache-control', 'no-cache')
    if (build && startsWith(path, build.app.prefixes)) return reply.sendFile(build.app.file, client)
    const current = release()
    if (!current) return notBuilt(reply)
    noteMissing(request, path)
    return reply.code(404).sendFile(notFoundFile(current, path), current.dir)
  })
}

function secureBy(build: WebBuild | null, release: Release | null) {
  const hashes = new Set([...(build?.scriptHashes ?? []), ...(release?.scriptHashes ?? [])])
  return helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'none'"],
        scriptSrc: ["'self'", ...[...hashes].map(hash => `'${hash}'`)],
        // Styles of positioned menus and the terminal are set as attributes.
        styleSrc: ["'self'", "'unsafe-inline'"],
        imgSrc: ["'self'", 'data:'],
        fontSrc: ["'self'"],
        connectSrc: ["'self'"],
        formAction: ["'self'"],
        baseUri: ["'none'"],
        frameAncestors: ["'none'"],
      },
    },
    crossOriginEmbedderPolicy: false,
    // Only a TLS front can promise this; it sets the header itself.
    strictTransportSecurity: false,
  })
}

/** The file of a page, with or without a slash behind its path, or of what only programs read. */
function pageAt({ routes, files }: Release, path: string): string | undefined {
  const normal = path === '/' ? path : path.replace(/\/$/, '')
  return routes.find(route => route.path === normal)?.file ?? files.find(file => `/${file}` === path)
}

const notFoundFile = ({ notFound }: Release, path: string): string =>
  notFound
    .filter(({ prefix }) => path.startsWith(prefix === '/' ? prefix : `${prefix}/`))
    .toSorted((a, b) => b.prefix.length - a.prefix.length)[0]?.file ?? '404.html'

const notBuilt = (reply: FastifyReply) =>
  reply
    .code(503)
    .type('text/plain')
    .send('The web is not built. Run npm start, or npm run build -w apps/web.')

/** Logged for the operator, cut to a length that no visitor chooses. */
function noteMissing(request: FastifyRequest, path: string): void {
  request.log.warn({ path: path.slice(0, 300) }, 'page not found')
}
