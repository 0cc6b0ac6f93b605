import type { UserSettings } from '@ingot/contracts/accounts'
import { balanceThresholds } from '@ingot/contracts/wallet'
import { useQuery } from '@tanstack/react-query'
import { Checkbox } from '../../ui/Checkbox.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { settingsQuery } from '../shell/api.ts'
import { errorText } from '../shell/error-text.ts'
import { QueryView } from '../shell/QueryView.tsx'
import { useDraft } from './draft.ts'
import { SaveRow, Section } from './Section.tsx'
import { useUnsaved } from './unsaved.ts'
import { useSaveSettings } from './use-save-settings.ts'
import { CopyCall } from '../shell/CopyCall.tsx'

const choices = [
  [
    'email_notifications',
    'Email notifications',
    'When an instance fails, or stops without your asking. Auto-shutdown is your own setting and not told.',
  ],
  [
    'sms_notifications',
    'SMS notifications',
    'When the balance is used up, or will be within 24 hours: a text to the confirmed phone of your account, where this service can send texts.',
  ],
  ['security_alerts', 'Security alerts', 'When a device signs in that was not seen before.'],
  [
    'usage_alerts',
    'Usage alerts',
    `When the balance falls below $${balanceThresholds.good}, will be used up within 24 hours, or has stopped instances.`,
  ],
  ['marketing_emails', 'Marketing emails', 'News about the product. None has been sent yet.'],
] as const

type Choice = (typeof choices)[number][0]

export function NotificationsSection() {
  const settings = useQuery(settingsQuery)
  return (
    <Section
      id="notifications"
      lead="What you are told about, by mail unless it says otherwise. Warnings that the balance runs low come at most once a day. A change of password, email or second factor is always mailed."
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
        command={<CopyCall call="accounts.updateSettings" values={draft.changes} />}
        problem={save.error && errorText(save.error)}
        onDiscard={() => {
          draft.discard()
          save.reset()
        }}
      />
    </form>
  )
}
