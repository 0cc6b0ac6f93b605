/**
 * Where a sign-in leads: the page that was asked for, if it is one of this site, else the dashboard. The text stands
 * in the address, so anybody can write it; a path that a browser would read as another host is not followed.
 */
const fallback = '/dashboard'
const ownPages = ['/dashboard', '/console', '/terminal', '/admin']

export function safeNextPath(text: string | undefined, origin: string): string {
  // Browsers drop tabs and line ends from an address and read a backslash as a slash.
  // oxlint-disable-next-line no-control-regex
  if (!text || !/^\/[^/\\]/.test(text) || /[\u0000-\u001f\\]/.test(text)) return fallback
  if (!URL.canParse(text, origin)) return fallback
  const url = new URL(text, origin)
  const isOwn = ownPages.some(page => url.pathname === page || url.pathname.startsWith(`${page}/`))
  // A section of the page is followed; a fragment that brings values belongs to whoever put it there.
  const section = /^#[\w-]+$/.test(url.hash) ? url.hash : ''
  return url.origin === origin && isOwn ? url.pathname + url.search + section : fallback
}

/** What the sign-in page is told about the page asked for; nothing when it is where sign-in leads anyway. */
export const nextSearch = (path: string): { next?: string } =>
  path === fallback || path === '/console' ? {} : { next: path }
