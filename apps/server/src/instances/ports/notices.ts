/** What the proxy says itself, as a page for people and a line for programs. Everything in it is made safe for both. */
import type { IncomingMessage, ServerResponse } from 'node:http'

export interface Notice {
  readonly status: number
  readonly title: string
  readonly text: string
  /** Asked again by itself, in seconds. */
  readonly again?: number
}

export const notices = {
  misdirected: {
    status: 421,
    title: 'Nothing is here',
    text: 'This address belongs to no port of an instance.',
  },
  bad: {
    status: 400,
    title: 'This request is not understood',
    text: 'Its address or its headers are not valid.',
  },
  private: {
    status: 401,
    title: 'This port is private',
    text: 'Open it from the console, on the tab Ports of its instance, or ask its owner for a link.',
  },
  elsewhere: {
    status: 403,
    title: 'Another page may not use this one',
    text: 'A page of another address asked for this. Follow a link to it instead.',
  },
  used: {
    status: 410,
    title: 'This link has ended',
    text: 'It was used already, is too old, or was withdrawn. Open the port from the console again, or ask its owner for another link.',
  },
  full: {
    status: 503,
    title: 'Too many connections',
    text: 'This instance has as many connections open as it may. Try again in a moment.',
    again: 5,
  },
  stopped: (name: string, status: string): Notice => ({
    status: 503,
    title: `The instance ${name} is ${status}`,
    text: 'Its ports can be reached while it runs.',
    again: 5,
  }),
  silent: (port: number): Notice => ({
    status: 502,
    title: `Nothing listens on port ${port} yet`,
    text: `The instance runs, but no program in it answers on port ${port}. This page asks again by itself.`,
    again: 3,
  }),
  broken: (port: number): Notice => ({
    status: 502,
    title: `Port ${port} gave no answer`,
    text: 'The program there closed the connection, or answered with something that is not HTTP.',
  }),
} as const

const escaped = (text: string): string => text.replace(/[&<>"']/g, letter => `&#${letter.charCodeAt(0)};`)

const style = `:root{color-scheme:light dark;--bg:#fafbfc;--text:#161d22;--muted:#4b545b;--line:#d8dcdf;--raised:#fff}
@media(prefers-color-scheme:dark){:root{--bg:#1e2327;--text:#f0f2f3;--muted:#b9bfc2;--line:#393f44;--raised:#262c30}}
body{margin:0;min-height:100vh;display:grid;place-items:center;background:var(--bg);color:var(--text);font:14px/20px system-ui,sans-serif}
main{box-sizing:border-box;max-width:480px;margin:16px;padding:24px;background:var(--raised);border:1px solid var(--line);border-radius:8px;overflow-wrap:anywhere}
h1{margin:0 0 8px;font-size:24px;line-height:32px}p{margin:0;color:var(--muted)}`

const page = ({ title, text, again }: Notice): string => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escaped(title)}</title>
${again ? `<meta http-equiv="refresh" content="${again}">` : ''}<style>${style}</style></head>
<body><main><h1>${escaped(title)}</h1><p>${escaped(text)}</p></main></body></html>
`

const policy =
  "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/** A program is not sent a page, and what asked with a method that changes something is not asked to do so again. */
export function say(request: IncomingMessage, response: ServerResponse, notice: Notice): void {
  const isPage = (request.headers.accept ?? '').includes('text/html')
  const isRead = request.method === 'GET' || request.method === 'HEAD'
  const body = isPage ? page(isRead ? notice : { ...notice, again: 0 }) : `${notice.title}. ${notice.text}\n`
  response.writeHead(notice.status, {
    'content-type': `text/${isPage ? 'html' : 'plain'}; charset=utf-8`,
    'content-length': Buffer.byteLength(body),
    'content-security-policy': policy,
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    ...(notice.again ? { 'retry-after': String(notice.again) } : {}),
    // What it was still sending is not read.
    ...(isRead ? {} : { connection: 'close' }),
  })
  response.end(request.method === 'HEAD' ? undefined : body)
}
