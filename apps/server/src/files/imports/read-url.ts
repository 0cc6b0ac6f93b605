import { isIP } from 'node:net'
import { isPublic } from './addresses.ts'

export const notPublic = 'This address does not lead to the public internet.'

/** An address that may be asked, or why not. */
export function readUrl(text: string, from?: URL): { readonly url: URL } | { readonly why: string } {
  const url = URL.canParse(text, from?.href) ? new URL(text, from) : null
  if (!url) return { why: 'This is no address.' }
  if (url.protocol !== 'https:') return { why: 'Only addresses that begin with https:// can be fetched.' }
  if (url.username !== '' || url.password !== '')
    return { why: 'An address may hold no name and no password.' }
  if (url.port !== '') return { why: 'Only the usual port of https, 443, can be asked.' }
  const host = hostOf(url)
  if (isIP(host) && !isPublic(host)) return { why: notPublic }
  return { url }
}

/** As sockets and resolvers take it: an IPv6 address without its brackets. */
export const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[(.*)\]$/, '$1')

/** What is shown and stored of an address: its query may hold a key. */
export const shownUrl = ({ origin, pathname }: URL): string => origin + pathname
