/**
 * Where a mailed link may lead: back to this site (any loopback port while the site itself is on loopback), or to what
 * the operator's list allows. Anything else falls back to the site and is never an error, so nobody can send a user's
 * tokens elsewhere and nobody learns what the list holds.
 */
import type { FastifyRequest } from 'fastify'
import type { AuthSettings } from './settings.ts'

const maxLength = 2048

export interface RedirectRule {
  readonly siteUrl: string
  readonly settings: Pick<AuthSettings, 'redirectAllowList'>
}

/** The header wins over the query; then the page the request came from; then the site. */
export function readRedirect(request: FastifyRequest, rule: RedirectRule): string {
  const { redirect_to: inQuery } = request.query as { redirect_to?: unknown }
  const asked = request.headers['redirect_to'] || inQuery
  const allowed = (url: unknown) => (typeof url === 'string' ? allowedRedirect(url, rule) : null)
  return allowed(asked) ?? allowed(request.headers.referer) ?? rule.siteUrl
}

/** The address as it is sent on, or null. Headers hold ASCII alone: other letters are written as browsers write them. */
export function allowedRedirect(text: string, rule: RedirectRule): string | null {
  // oxlint-disable-next-line no-control-regex
  const url = /^[\u0000-\u007f]*$/.test(text) || !URL.canParse(text) ? text : new URL(text).href
  return isAllowed(text, rule) && isAllowed(url, rule) ? url : null
}

function isAllowed(text: string, { siteUrl, settings }: RedirectRule): boolean {
  // Browsers drop tabs and line ends from an address and read a backslash as a slash: what was checked must be what is
  // followed.
  // oxlint-disable-next-line no-control-regex
  if (text.length > maxLength || /[\u0000-\u0020\u007f\\]/.test(text) || !URL.canParse(text)) return false
  const url = new URL(text)
  const site = new URL(siteUrl)
  if (url.username || url.password) return false
  if (url.origin === site.origin && url.protocol === site.protocol) return true
  if (isLoopback(site.hostname) && isLoopback(url.hostname) && url.protocol === site.protocol) return true
  if (isAddress(url.hostname) && !isLoopback(url.hostname)) return false
  // Patterns are held against the text: a query right behind the host, or a dot written as %2E, would pass for a part of
  // the host that a pattern leaves open.
  if (/[?%]/.test(text.split('/')[2] ?? '')) return false
  const [withoutFragment] = text.split('#')
  return settings.redirectAllowList.some(glob => globToRegExp(glob).test(withoutFragment!))
}

const isLoopback = (hostname: string): boolean =>
  hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d{1,3}){3}$/.test(hostname)

/** The URL parser has written every spelling of an IPv4 address as four decimals by now. */
const isAddress = (hostname: string): boolean => hostname.startsWith('[') || /^[\d.]+$/.test(hostname)

/** `*` and `?` stop at `.` and `/`, `**` does not. */
function globToRegExp(glob: string): RegExp {
  const pattern = glob.replace(/\*\*|[*?]|[.+^${}()|[\]\\/-]/g, part => {
    if (part === '**') return '.*'
    if (part === '*') return '[^./]*'
    return part === '?' ? '[^./]' : `\\${part}`
  })
  return new RegExp(`^${pattern}$`)
}

/** Adds to the fragment, where it reaches the page but no server. Keys in order, as clients know them. */
export function withFragment(url: string, values: Readonly<Record<string, string>>): string {
  return `${url.split('#')[0]}#${sorted(values)}`
}

/** Adds to the query and keeps what is there. */
export function withQuery(url: string, values: Readonly<Record<string, string>>): string {
  const parsed = new URL(url)
  for (const [name, value] of Object.entries(values)) parsed.searchParams.set(name, value)
  return parsed.href
}

function sorted(values: Readonly<Record<string, string>>): string {
  const params = new URLSearchParams(values)
  params.sort()
  return params.toString()
}
