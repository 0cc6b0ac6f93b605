import type { UserSettings } from '@ingot/contracts/accounts'
import { useQuery } from '@tanstack/react-query'
import { Checkbox } from '../../ui/Checkbox.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { errorText } from '../shell/error-text.ts'
import { QueryView } from '../shell/QueryView.tsx'
import { useDraft } from './draft.ts'
import { settingsQuery } from './queries.ts'
import { SaveRow, Section } from './Section.tsx'
import { useUnsaved } from './unsaved.ts'
import { useSaveSettings } from './use-save-settings.ts'

const choices = [
  ['email_notifications', 'Email notifications', 'About instances and volumes: started, stopped, failed.'],
  ['sms_notifications', 'SMS notifications', 'The urgent ones as a text to the phone of your account.'],
  ['security_alerts', 'Security alerts', 'When a device signs in that was not seen before.'],
  ['usage_alerts', 'Usage alerts', 'When the balance runs low, before anything stops.'],
  ['marketing_emails', 'Marketing emails', 'News about the product, a few times a year.'],
] as const

type Choice = (typeof choices)[number][0]

export function NotificationsSection() {
  const settings = useQuery(settingsQuery)
  return (
    <Section
      id="notifications"
      lead="Security alerts are sent now; the others are saved, and begin once their messages are released. A change of password, email or second factor is always mailed."
    >
      <QueryView
        query={settings}
        failed="The notifications could not be loaded"
        skeleton={<Skeleton className="h-24" />}
      >
        {data => <NotificationsForm settings={data} />}
      </QueryView>
    </Section>
  )
}

function NotificationsForm({ settings }: { readonly settings: UserSettings }) {
  const saved = Object.fromEntries(choices.map(([key]) => [key, settings[key]])) as Record<Choice, boolean>
  const draft = useDraft<Record<Choice, boolean>>(saved)
  useUnsaved('notifications', draft.isChanged)
  const save = useSaveSettings(draft.discard)
  return (
    <form
      noValidate
      onSubmit={event => {
        event.preventDefault()
        if (draft.isChanged && !save.isPending) save.mutate(draft.changes)
      }}
      className="flex flex-col gap-4"
    >
      {choices.map(([key, label, hint]) => (
        <Checkbox
          key={key}
          label={label}
          hint={hint}
          checked={draft.values[key]}
          onCheckedChange={checked => draft.edit({ [key]: checked })}
        />
      ))}
      <SaveRow
        isChanged={draft.isChanged}
        isBusy={save.isPending}
        problem={save.error && errorText(save.error)}
        onDiscard={() => {
          draft.discard()
          save.reset()
        }}
      />
    </form>
  )
}
