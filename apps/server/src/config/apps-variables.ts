/** Where HTTP ports of instances are reached. */
import { isIP } from 'node:net'
import { getDomain, getPublicSuffix } from 'tldts'
import { ConfigError } from './config-error.ts'
import { matching, type Variables } from './variable.ts'

export const appsVariables = {
  INGOT_APPS_HOST: matching(
    value =>
      /^(?=.{1,180}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9-]{2,63}$/.test(value) && !isIP(value),
    {
      advice: 'Write a host name in small letters such as apps.example.net',
      absent: null,
      shown: '`apps.localhost` on this machine alone; otherwise ports are off',
      does: 'The host below which each port of an instance has a name of its own, `8888-<user>.apps.example.net`; its wildcard leads to this server, and it belongs to another registrable domain than `INGOT_PUBLIC_URL`.',
    },
  ),
} satisfies Variables

/** Browsers share cookies within a site; one host below each decides which site it is. */
const siteOf = (host: string): string => getDomain(host, { allowPrivateDomains: true }) ?? host

/** Whether browsers know that names below it belong to different people. */
export const isPublicSuffix = (host: string): boolean =>
  getPublicSuffix(`x.${host}`, { allowPrivateDomains: true }) === host

/** Null: ports are off, because everybody's pages would have to live beside the console's. */
export function readAppsHost(
  given: string | null,
  { publicUrl, loopback }: { readonly publicUrl: string; readonly loopback: boolean },
): string | null {
  const host = given ?? (loopback ? 'apps.localhost' : null)
  if (!host) return null
  const console = new URL(publicUrl).hostname.replace(/\.$/, '')
  if (console === host || console.endsWith(`.${host}`) || siteOf(`x.${host}`) === siteOf(console))
    throw new ConfigError(
      `INGOT_APPS_HOST is ${host}, which is the same site as the console at ${console}: pages of customers could set cookies there. Use a host of another domain, such as apps.example.net where the console is at cloud.example.com`,
    )
  return host
}
