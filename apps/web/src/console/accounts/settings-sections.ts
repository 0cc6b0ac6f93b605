/** The sections of the settings, in their order: `#id` in the address leads to each. */
export const settingsSections = [
  { id: 'profile', label: 'Profile Information', keywords: ['name', 'email', 'company'] },
  { id: 'notifications', label: 'Notifications', keywords: ['email', 'sms', 'alerts', 'marketing'] },
  { id: 'preferences', label: 'Instance Preferences', keywords: ['auto-shutdown', 'idle'] },
  { id: 'api', label: 'API Access', keywords: ['key', 'token', 'curl'] },
  { id: 'ssh-keys', label: 'SSH keys', keywords: ['ssh', 'public key', 'scp', 'sftp'] },
  { id: 'security', label: 'Security', keywords: ['password', 'sessions', 'devices'] },
  {
    id: 'two-factor',
    label: 'Two-factor authentication',
    keywords: ['2fa', 'mfa', 'totp', 'passkey', 'webauthn', 'recovery'],
  },
  { id: 'identities', label: 'Linked identities', keywords: ['github', 'google', 'oauth'] },
  { id: 'staff', label: 'What our staff did', keywords: ['support', 'administrator', 'audit', 'access'] },
  { id: 'browser', label: 'This browser', keywords: ['theme', 'shortcuts', 'keys'] },
  { id: 'danger', label: 'Danger Zone', keywords: ['delete account', 'close'] },
] as const
export type SettingsSection = (typeof settingsSections)[number]['id']
