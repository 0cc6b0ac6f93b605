/** The pages of the console, in the order of the sidebar. The palette and the list of keys read the same table. */
export interface ConsolePage {
  readonly to:
    | '/dashboard'
    | '/console/instances'
    | '/console/network-volumes'
    | '/console/templates'
    | '/console/billing'
    | '/console/logs'
    | '/console/support'
    | '/console/settings'
    | '/admin'
  readonly label: string
  /** Pressed after G. */
  readonly key: string
  /** Other addresses that belong to it. */
  readonly also?: readonly string[]
}

export const consolePages: readonly ConsolePage[] = [
  { to: '/dashboard', label: 'Dashboard', key: 'd', also: ['/console'] },
  { to: '/console/instances', label: 'Instances', key: 'i', also: ['/console/deploy'] },
  { to: '/console/network-volumes', label: 'Network Volumes', key: 'v', also: ['/console/volumes'] },
  { to: '/console/templates', label: 'Templates', key: 't' },
  { to: '/console/billing', label: 'Billing', key: 'b' },
  { to: '/console/logs', label: 'Logs', key: 'l' },
  { to: '/console/support', label: 'Support', key: 'u' },
  { to: '/console/settings', label: 'Settings', key: 's' },
]

export const adminPage: ConsolePage = { to: '/admin', label: 'Admin Panel', key: 'a' }

/** `G D`, as it is shown. */
export const goKeys = (page: ConsolePage): string => `G ${page.key.toUpperCase()}`
