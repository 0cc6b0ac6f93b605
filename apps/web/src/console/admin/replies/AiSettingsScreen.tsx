import { PageHeading } from '../../shell/PageHeading.tsx'
import { AdminOnly } from '../AdminOnly.tsx'
import { AiSettings } from './AiSettings.tsx'

export function AiSettingsScreen() {
  return (
    <AdminOnly>
      <div className="flex flex-col gap-6">
        <PageHeading lead="Whether tickets get automated replies, and when.">AI settings</PageHeading>
        <AiSettings />
      </div>
    </AdminOnly>
  )
}
