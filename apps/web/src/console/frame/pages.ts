/** The pages of the console, in the order of the sidebar. The palette, the keys and the browser tests read the same table. */
interface PageRow {
  readonly to: string
  readonly label: string
  /** Pressed after G. */
  readonly key: string
  /** Other addresses that belong to it. */
  readonly also?: readonly string[]
}

export const consolePages = [
  { to: '/dashboard', label: 'Dashboard', key: 'd', also: ['/console'] },
  { to: '/console/instances', label: 'Instances', key: 'i', also: ['/console/deploy'] },
  { to: '/console/network-volumes', label: 'Network Volumes', key: 'v', also: ['/console/volumes'] },
  { to: '/console/templates', label: 'Templates', key: 't' },
  { to: '/console/billing', label: 'Billing', key: 'b' },
  { to: '/console/logs', label: 'Logs', key: 'l' },
  { to: '/console/support', label: 'Support', key: 'u' },
  { to: '/console/settings', label: 'Settings', key: 's' },
] as const satisfies readonly PageRow[]

export const adminPage = {
  to: '/admin',
  label: 'Admin Panel',
  key: 'a',
} as const satisfies PageRow

/** All that a moderator has of administration. */
export const ticketsPage = {
  to: '/admin/tickets',
  label: 'Support tickets',
  key: 'a',
} as const satisfies PageRow

/** A page whose address the router knows. */
export type ConsolePage = PageRow & {
  readonly to: (typeof consolePages)[number]['to'] | (typeof adminPage)['to'] | (typeof ticketsPage)['to']
}

/** `G D`, as it is shown. */
export const goKeys = (page: ConsolePage): string => `G ${page.key.toUpperCase()}`
