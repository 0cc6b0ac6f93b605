import { useQuery } from '@tanstack/react-query'
import { formatUsd } from '@ingot/contracts/money'
import { Button } from '../../ui/Button.tsx'
import { formatDate, formatMoney } from '../../ui/format.ts'
import { Money } from '../../ui/Money.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { StatList } from '../../ui/StatList.tsx'
import { BudgetsPanel } from '../budgets/BudgetsPanel.tsx'
import { spendingQuery } from './queries.ts'
import { actingAs } from '../shell/acting.ts'
import { PageHeading } from '../shell/PageHeading.tsx'
import { QueryView } from '../shell/QueryView.tsx'
import { useRunway, useWallet } from '../wallet/wallet.tsx'
import { WithdrawalsPanel } from '../withdrawals/WithdrawalsPanel.tsx'
import { useSearchState } from '../list/search-state.ts'
import { BillingHistory } from './BillingHistory.tsx'
import { Invoices } from './Invoices.tsx'
import { UsagePerDay } from './UsagePerDay.tsx'
import { UsdtPanel } from './UsdtPanel.tsx'

export function BillingScreen() {
  const { addFunds, isUnknown } = useWallet()
  const { balanceUsd, credit } = useRunway()
  const spending = useQuery(spendingQuery)
  const [, change] = useSearchState()
  return (
    <div className="flex flex-col gap-6">
      <PageHeading
        actions={
          <>
            <Button onClick={() => change({ show: 'invoices' }, { step: true })}>Download Invoice</Button>
            <Button variant="primary" onClick={() => addFunds()}>
              Add Funds
            </Button>
          </>
        }
      >
        Usage and Billing
      </PageHeading>
      <QueryView
        query={spending}
        failed="The totals could not be loaded"
        consequence="The history below and your instances are not affected."
        skeleton={<Skeleton className="h-24" />}
      >
        {({ month_start, spent, total_spent, pending, arriving }) => (
          <StatList
            label="Totals"
            stats={[
              {
                label: 'Current Balance',
                value: <Money value={balanceUsd} />,
                hint: isUnknown
                  ? 'Could not be loaded'
                  : credit > 0n
                    ? `And ${formatMoney(formatUsd(credit))} of credit`
                    : 'Less what runs now',
              },
              {
                label: 'This Month',
                value: <Money value={spent} />,
                hint: `Since ${formatDate(new Date(month_start), 'UTC')}, UTC`,
              },
              {
                label: 'Total Spent',
                value: <Money value={total_spent} />,
                hint: 'Since the account was made',
              },
              {
                label: 'Pending Charges',
                value: <Money value={pending} />,
                hint: Number(arriving) > 0 ? `${formatMoney(arriving)} arriving` : 'No deposit on its way',
              },
            ]}
          />
        )}
      </QueryView>
      <UsagePerDay />
      <BudgetsPanel />
      <UsdtPanel />
      {/* With the addresses in them: nobody who acts as a customer reads those. */}
      {!actingAs() && <WithdrawalsPanel />}
      <BillingHistory />
      {!actingAs() && <Invoices />}
    </div>
  )
}
