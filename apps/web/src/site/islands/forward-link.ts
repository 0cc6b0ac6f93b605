/** The pages of the console that read what a mailed link brings. */
const pages: Readonly<Record<string, string>> = {
  recovery: '/reset-password',
  invite: '/invitation',
  email_change: '/email-change',
}

/** A mailed link that names no page leads to the front page: what it brings is passed on to the page that reads it. */
export function forwardLink(): void {
  const brought = new URLSearchParams(location.hash.slice(1))
  if (!['access_token', 'error_code', 'message'].some(key => brought.has(key))) return
  const type = brought.get('type') ?? (brought.has('message') ? 'email_change' : '')
  location.replace((pages[type] ?? '/signin') + location.search + location.hash)
}
