import { PageHeading } from '../../shell/PageHeading.tsx'
import { AdminOnly } from '../AdminOnly.tsx'
import { SetupChecklist } from './SetupChecklist.tsx'

export function SetupScreen() {
  return (
    <AdminOnly>
      <div className="flex flex-col gap-6">
        <PageHeading lead="What is left to do before customers come. The service looks for itself, now and every minute that this page is open.">
          Setup
        </PageHeading>
        <SetupChecklist />
      </div>
    </AdminOnly>
  )
}
