/**
 * What passes of the headers. Towards the machine: nothing of ours (our cookie, any `Authorization`), nothing that the
 * visitor claims of proxies, and `Host`, `Origin` and `Referer` as programs expect that listen on localhost and refuse
 * other names. Towards the visitor: no cookie for more than this origin. What belongs to one connection passes neither way.
 */
import type { IncomingMessage } from 'node:http'
import type { ProgramCookies } from './cookies.ts'

const hopByHop = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'proxy-authenticate',
  'proxy-authorization',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])
const notForMachines = new Set([
  'authorization',
  'cookie',
  'expect',
  'forwarded',
  'host',
  'http2-settings',
  'via',
  'x-real-ip',
  'x-client-ip',
  'true-client-ip',
  'cf-connecting-ip',
])
/** `Connection` may name what else belongs to it alone, but never what frames a message. */
const neverNamed = new Set(['content-length', 'host'])

const none: ReadonlySet<string> = new Set()

function namedByConnection({
  connection,
}: {
  readonly connection?: string | undefined
}): ReadonlySet<string> {
  if (connection === undefined || connection === 'keep-alive') return none
  const names = (connection ?? '').toLowerCase().split(',')
  return new Set(names.map(name => name.trim()).filter(name => !neverNamed.has(name)))
}

export interface Visitor {
  /** As the browser writes it: `http://8888-….apps.localhost:8080`. */
  readonly origin: string
  readonly address: string
  /** The cookies that are the page's own. */
  readonly cookie: string
}

/** Flat, as `http.request` takes them: in their order, with repetitions. */
export function towardsMachine(request: IncomingMessage, port: number, visitor: Visitor): string[] {
  const dropped = namedByConnection(request.headers)
  const host = `localhost:${port}`
  const out = ['Host', host]
  const { rawHeaders } = request
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]!.toLowerCase()
    if (hopByHop.has(name) || notForMachines.has(name) || dropped.has(name)) continue
    if (name.startsWith('x-forwarded-')) continue
    let value = rawHeaders[at + 1]!
    if (name === 'origin' || name === 'referer') value = asLocal(value, visitor.origin, host)
    out.push(rawHeaders[at]!, value)
  }
  if (visitor.cookie) out.push('Cookie', visitor.cookie)
  const [protocol, outside] = visitor.origin.split('://') as [string, string]
  out.push('X-Forwarded-For', visitor.address, 'X-Forwarded-Host', outside)
  out.push('X-Forwarded-Proto', protocol)
  return out
}

const asLocal = (value: string, origin: string, host: string): string =>
  value === origin || value.startsWith(`${origin}/`) ? `http://${host}${value.slice(origin.length)}` : value

interface Answered {
  readonly port: number
  readonly origin: string
  /** Nobody else's page may read, show or run what is here. */
  readonly isPublic: boolean
  readonly isOurs: (setCookie: string) => boolean
  readonly cookies: ProgramCookies
}

export function towardsVisitor(
  response: IncomingMessage,
  { port, origin, isPublic, isOurs, cookies }: Answered,
): string[] {
  const dropped = namedByConnection(response.headers)
  const out: string[] = []
  const { rawHeaders } = response
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]!.toLowerCase()
    let value = rawHeaders[at + 1]!
    if (hopByHop.has(name) || dropped.has(name)) continue
    if (name === 'set-cookie' && (/;\s*domain\s*(=|;|$)/i.test(value) || isOurs(value))) continue
    if (name === 'set-cookie') {
      for (const each of cookies.towardsVisitor(value)) out.push(rawHeaders[at]!, each)
      continue
    }
    // Names that others of this host, or all of it, would have to keep.
    if (name === 'strict-transport-security' || name === 'alt-svc') continue
    if (!isPublic && name === 'cross-origin-resource-policy') continue
    if (name === 'location')
      value = value.replace(
        new RegExp(`^http://(?:localhost|127\\.0\\.0\\.1|\\[::1\\]):${port}(?=[/?#]|$)`),
        origin,
      )
    out.push(rawHeaders[at]!, value)
  }
  if (!isPublic) {
    // Beside what the page says itself: policies add up.
    out.push('Content-Security-Policy', "frame-ancestors 'self'", 'X-Frame-Options', 'SAMEORIGIN')
    out.push('Cross-Origin-Resource-Policy', 'same-origin')
    if (!response.headers['cross-origin-opener-policy'])
      out.push('Cross-Origin-Opener-Policy', 'same-origin-allow-popups')
  }
  return out
}

/**
 * Whether a request may bring what its visitor may. Names below one host are one site for browsers, so `SameSite` keeps
 * nobody out: the page that asks must be of this very origin, or somebody followed a link.
 */
export function isFromHere({ method, headers }: IncomingMessage, origin: string): boolean {
  if (headers.origin !== undefined && headers.origin !== 'null' && headers.origin !== origin) return false
  const site = headers['sec-fetch-site']
  if (site === undefined) return headers.origin !== 'null' || method === 'GET' || method === 'HEAD'
  if (site === 'same-origin' || site === 'none') return true
  const isFollowed = headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document'
  return isFollowed && (method === 'GET' || method === 'HEAD')
}
