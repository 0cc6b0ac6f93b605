import { useQuery } from '@tanstack/react-query'
import { formatCount } from '../../../ui/format.ts'
import { type Tab, TabPanel, Tabs } from '../../../ui/Tabs.tsx'
import { useSearchState } from '../../list/search-state.ts'
import { countsQuery, overviewQuery } from '../all-queries.ts'
import { readSearchText } from '../../list/read-search.ts'
import { AiSettings } from '../replies/AiSettings.tsx'
import { BillingTab } from './BillingTab.tsx'
import { hitsText } from './count-text.ts'
import { InstancesTab } from './InstancesTab.tsx'
import { PaymentsTab } from './PaymentsTab.tsx'
import { SupportTab } from './SupportTab.tsx'
import { type AdminTab, readTab, toTab } from './tab-search.ts'
import { UsersTab } from './UsersTab.tsx'
import { VolumesTab } from './VolumesTab.tsx'

/** All lists of the service. A search narrows the open one down and counts what it finds in the others. */
export function AdminTabs() {
  const [address, change] = useSearchState()
  const tab = readTab(address)
  const search = readSearchText(address).trim() || undefined
  const counts = useQuery(countsQuery(search)).data
  const overview = useQuery(overviewQuery).data
  const all = (
    [
      ['users', 'Users', counts && hitsText(counts.users)],
      ['instances', 'Instances', counts && hitsText(counts.instances)],
      ['volumes', 'Volumes', counts && hitsText(counts.volumes)],
      ['billing', 'Billing', search && counts && hitsText(counts.billing)],
      // Without a search what matters of these two is what is open.
      [
        'payments',
        'Payments',
        search ? counts && hitsText(counts.payments) : overview && formatCount(overview.payments.pending),
      ],
      [
        'support',
        'Support',
        search ? counts && hitsText(counts.tickets) : overview && formatCount(overview.tickets.open),
      ],
      ['ai-settings', 'AI settings', undefined],
    ] as const
  ).map(([value, label, note]): Tab<AdminTab> => ({ value, label, note: note || undefined }))
  return (
    <Tabs
      label="Everything of all customers"
      tabs={all}
      value={tab}
      onValueChange={next => change(toTab(next), { step: true })}
    >
      <TabPanel value="users">
        <UsersTab hits={counts?.users} />
      </TabPanel>
      <TabPanel value="instances">
        <InstancesTab hits={counts?.instances} />
      </TabPanel>
      <TabPanel value="volumes">
        <VolumesTab hits={counts?.volumes} />
      </TabPanel>
      <TabPanel value="billing">
        <BillingTab hits={counts?.billing} />
      </TabPanel>
      <TabPanel value="payments">
        <PaymentsTab hits={counts?.payments} />
      </TabPanel>
      <TabPanel value="support">
        <SupportTab />
      </TabPanel>
      <TabPanel value="ai-settings">
        <AiSettings />
      </TabPanel>
    </Tabs>
  )
}
