import { PageHeading } from '../../shell/PageHeading.tsx'
import { AdminOnly } from '../AdminOnly.tsx'
import { HeldDeposits } from './HeldDeposits.tsx'
import { PayoutQueue } from './PayoutQueue.tsx'

export function PayoutsScreen() {
  return (
    <AdminOnly>
      <div className="flex flex-col gap-6">
        <PageHeading lead="Deposits that wait for a decision, and what is to be sent to customers, each with its transfer on the chain.">
          Payouts
        </PageHeading>
        <HeldDeposits />
        <PayoutQueue />
      </div>
    </AdminOnly>
  )
}
