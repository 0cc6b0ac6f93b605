/** Why nothing can be fetched from there, as far as a look at the address tells; the service looks closer. */
export function whyNoImport(text: string): string | null {
  if (!text.trim()) return 'Enter an address'
  if (!URL.canParse(text.trim())) return 'This is no address'
  const { protocol, username, password } = new URL(text.trim())
  if (protocol !== 'https:') return 'Only addresses that begin with https:// can be fetched'
  return username || password ? 'An address may hold no name and no password' : null
}

/** The last part of its path, as a file is called; empty where that is none. */
export function nameInUrl(text: string): string {
  if (!URL.canParse(text.trim())) return ''
  const last = new URL(text.trim()).pathname.split('/').at(-1)!
  try {
    return decodeURIComponent(last).replace(/[/\p{Cc}]/gu, '_')
  } catch {
    return last
  }
}
