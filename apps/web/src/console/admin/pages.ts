/** The pages that the overview of the admin area leads to, in its order. */
export interface AdminPage {
  readonly to: string
  readonly label: string
  /** What is done there, in one line. */
  readonly purpose: string
}

export const adminPages: readonly AdminPage[] = [
  {
    to: '/admin/machines',
    label: 'Machines',
    purpose: 'Regions and hosts, who is on them; cordon and drain',
  },
  { to: '/admin/placements', label: 'Places', purpose: 'Which host each start got, or why it got none' },
  { to: '/admin/templates', label: 'Templates', purpose: 'What customers propose for everybody' },
  { to: '/admin/money', label: 'Money', purpose: 'What was earned, and what customers hold' },
  { to: '/admin/prices', label: 'Prices', purpose: 'What each GPU costs, from when on' },
  { to: '/admin/payouts', label: 'Payouts', purpose: 'Deposits to decide, and what is to be sent' },
  { to: '/admin/inquiries', label: 'Inquiries', purpose: 'What visitors of the public site send' },
  {
    to: '/admin/announcements',
    label: 'Announcements',
    purpose: 'What everybody reads in a band, and maintenance',
  },
  {
    to: '/admin/subscribers',
    label: 'Subscribers',
    purpose: 'Who wants new posts, and who waits for a product',
  },
  { to: '/admin/site', label: 'Site content', purpose: 'What of the public pages is still a sample' },
  { to: '/admin/setup', label: 'Setup', purpose: 'What is left to do before customers come' },
  { to: '/admin/audit-log', label: 'Audit log', purpose: 'What staff did, to whom and why' },
]
