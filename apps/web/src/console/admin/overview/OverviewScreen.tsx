import { useRole } from '../../accounts/role.ts'
import { StaffOnly } from '../AdminOnly.tsx'
import { AdminDialogs } from '../dialogs/AdminDialogs.tsx'
import { RevenueAndLiability } from '../money/RevenueAndLiability.tsx'
import { SetupReminder } from '../site/SetupChecklist.tsx'
import { AdminTabs } from '../tabs/AdminTabs.tsx'
import { SupportTab } from '../tabs/SupportTab.tsx'
import { Cards } from './Cards.tsx'
import { Decisions } from './Decisions.tsx'
import { FurtherPages } from './FurtherPages.tsx'

/** Administration on one page. Moderators have its tickets alone. */
export function OverviewScreen() {
  return (
    <StaffOnly>
      <Overview />
    </StaffOnly>
  )
}

function Overview() {
  const { isAdmin } = useRole()
  if (!isAdmin)
    return (
      <div className="flex flex-col gap-4">
        <h1 tabIndex={-1} className="text-title">
          Support tickets
        </h1>
        <SupportTab />
      </div>
    )
  return (
    <div className="flex flex-col gap-6">
      <h1 tabIndex={-1} className="sr-only">
        Admin overview
      </h1>
      <SetupReminder />
      <Cards />
      <div className="grid items-start gap-6 xl:grid-cols-[minmax(0,2fr)_minmax(0,1fr)]">
        <RevenueAndLiability />
        <Decisions />
      </div>
      {/* In here J and K move between the rows of the list. */}
      <div id="lists" data-lists>
        <AdminTabs />
      </div>
      <FurtherPages />
      <AdminDialogs />
    </div>
  )
}
