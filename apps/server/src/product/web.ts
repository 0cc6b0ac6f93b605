/**
 * The web's built files. An existing file is served as it is (compressed when the browser takes it, hashed assets for
 * ever); an address of the console gets its one page; anything else gets the not-found page of its section, or the
 * general one, with status 404, and the missing path is logged.
 */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import fastifyStatic from '@fastify/static'
import { IngotError } from '@ingot/contracts/errors'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import helmet from 'helmet'
import { sendError } from '../http/errors.ts'

export const webDist = fileURLToPath(new URL('../../../web/dist/', import.meta.url))

/**
 * Written by the web's build (`manifest.json`): hashes of its inline scripts, and the prefixes that the console's
 * router owns.
 */
interface Manifest {
  readonly scriptHashes: readonly string[]
  readonly app: { readonly prefixes: readonly string[] }
  /** The longest prefix of a missing path says which page answers. */
  readonly notFound: readonly { readonly prefix: string; readonly file: string }[]
  /** Files below never change: their names carry their hash. */
  readonly immutable: string
}
const noManifest: Manifest = { scriptHashes: [], app: { prefixes: [] }, notFound: [], immutable: '/assets/' }

const yearSeconds = 31_536_000
const apiPrefixes = ['/v1', '/auth/v1', '/dev/api']

const startsWith = (path: string, prefixes: readonly string[]) =>
  prefixes.some(prefix => path === prefix || path.startsWith(`${prefix}/`))

export async function registerWeb(app: FastifyInstance, dist = webDist): Promise<void> {
  const file = join(dist, 'manifest.json')
  const manifest = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Manifest) : noManifest

  // Made once: Fastify's plugin works the policy out anew for each request, a twentieth of what a refresh took.
  const secure = helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'none'"],
        scriptSrc: ["'self'", ...manifest.scriptHashes.map(hash => `'${hash}'`)],
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
  app.addHook('onRequest', (request, reply, done) => secure(request.raw, reply.raw, () => done()))
  if (existsSync(dist)) {
    await app.register(fastifyStatic, {
      root: dist,
      preCompressed: true,
      wildcard: true,
      redirect: false,
      setHeaders: (reply, path) => {
        void reply.header(
          'cache-control',
          path.includes(manifest.immutable) ? `public, max-age=${yearSeconds}, immutable` : 'no-cache',
        )
      },
    })
  }

  app.setNotFoundHandler((request, reply) => {
    const path = request.url.split('?', 1)[0]!
    if (startsWith(path, apiPrefixes) || (request.method !== 'GET' && request.method !== 'HEAD')) {
      return sendError(new IngotError('not_found', { message: 'There is no such call' }), request, reply)
    }
    if (!existsSync(dist))
      return reply
        .code(503)
        .type('text/plain')
        .send('The web is not built. Run npm start, or npm run build -w apps/web.')
    if (startsWith(path, manifest.app.prefixes)) return reply.sendFile('app.html')
    noteMissing(request, path)
    return reply.code(404).sendFile(notFoundFile(manifest, path))
  })
}

const notFoundFile = ({ notFound }: Manifest, path: string): string =>
  notFound
    .filter(({ prefix }) => path.startsWith(prefix === '/' ? prefix : `${prefix}/`))
    .toSorted((a, b) => b.prefix.length - a.prefix.length)[0]?.file ?? '404.html'

/** Logged for the operator, cut to a length that no visitor chooses. */
function noteMissing(request: FastifyRequest, path: string): void {
  request.log.warn({ path: path.slice(0, 300) }, 'page not found')
}
