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

export const adminPage: ConsolePage = {
  to: '/admin',
  also: ['/admin/inquiries'],
  label: 'Admin Panel',
  key: 'a',
}

/** `G D`, as it is shown. */
export const goKeys = (page: ConsolePage): string => `G ${page.key.toUpperCase()}`

/** The sections of the settings, in their order: `#id` in the address leads to each. */
export const settingsSections = [
  { id: 'profile', label: 'Profile Information', keywords: ['name', 'email', 'company'] },
  { id: 'notifications', label: 'Notifications', keywords: ['email', 'sms', 'alerts', 'marketing'] },
  { id: 'preferences', label: 'Instance Preferences', keywords: ['auto-shutdown', 'idle'] },
  { id: 'api', label: 'API Access', keywords: ['key', 'token', 'curl'] },
  { id: 'security', label: 'Security', keywords: ['password', 'sessions', 'devices'] },
  { id: 'two-factor', label: 'Two-factor authentication', keywords: ['2fa', 'mfa', 'totp', 'recovery'] },
  { id: 'identities', label: 'Linked identities', keywords: ['github', 'google', 'oauth'] },
  { id: 'browser', label: 'This browser', keywords: ['theme', 'shortcuts', 'keys'] },
  { id: 'danger', label: 'Danger Zone', keywords: ['delete account', 'close'] },
] as const
export type SettingsSection = (typeof settingsSections)[number]['id']
