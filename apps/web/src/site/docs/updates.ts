/** What changed for those who read the documentation, newest first. The front page of the docs shows these. */
export const updates = [
  { date: '2026-11-25', text: 'Network volumes, snapshots, and files without a card', href: '/docs/volumes' },
  { date: '2026-11-21', text: 'Tutorials: two that run as they stand', href: '/tutorials' },
  { date: '2026-11-21', text: 'API reference, generated from the contract', href: '/docs/api' },
  { date: '2026-11-20', text: 'API keys for programs', href: '/docs/api-keys' },
] as const
