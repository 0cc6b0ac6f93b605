import { type AiSettings as Settings, staffQuietMinutes } from '@ingot/contracts/support/ai-replies'
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { Button } from '../../../ui/Button.tsx'
import { Lines } from '../../../ui/Card.tsx'
import { Skeleton } from '../../../ui/Skeleton.tsx'
import { StatList } from '../../../ui/StatList.tsx'
import { Switch } from '../../../ui/Switch.tsx'
import { Time } from '../../../ui/Time.tsx'
import { toast } from '../../../ui/toast.ts'
import { api } from '../../shell/api.ts'
import { errorText } from '../../shell/error-text.ts'
import { useOfflineReason } from '../../shell/online.ts'
import { QueryView } from '../../shell/QueryView.tsx'
import { sentence } from '../../shell/sentence.ts'

const settingsQuery = queryOptions({
  queryKey: ['admin', 'ai-settings'],
  queryFn: ({ signal }) => api.support.getAiSettings({}, { signal }),
})

/** Whether tickets get automated replies, and when: a tab of the administration, complete in itself. */
export function AiSettings() {
  const query = useQuery(settingsQuery)
  return (
    <QueryView
      query={query}
      failed="Failed to load AI settings"
      consequence="Replies go on as they were set."
      skeleton={<Skeleton className="h-chart" />}
    >
      {settings => (
        <div className="flex max-w-prose flex-col gap-6">
          <SettingsForm settings={settings} />
          <Counts settings={settings} />
        </div>
      )}
    </QueryView>
  )
}

const modes: Readonly<Record<Settings['mode'], readonly [name: string, meaning: string]>> = {
  off: ['Off', 'People answer; nothing automated is written.'],
  smart: [
    'Smart Mode',
    `A question is answered at once, unless a member of staff wrote to a ticket or changed one in the last ${staffQuietMinutes} minutes.`,
  ],
  override: ['Override Mode', 'Every question is answered at once, also while staff are there.'],
}

function SettingsForm({ settings }: { readonly settings: Settings }) {
  const client = useQueryClient()
  const offline = useOfflineReason()
  /** What was changed and not saved; null: nothing. */
  const [draft, setDraft] = useState<Pick<Settings, 'enabled' | 'force_enabled'> | null>(null)
  const { enabled, force_enabled } = draft ?? settings
  const save = useMutation({
    mutationFn: () => api.support.setAiSettings({ enabled, force_enabled }),
    onSuccess: now => {
      client.setQueryData(settingsQuery.queryKey, now)
      setDraft(null)
      toast.success('AI settings saved successfully')
    },
    onError: error => toast.error(`Failed to save AI settings. ${sentence(errorText(error))}`),
  })
  const isSame = enabled === settings.enabled && force_enabled === settings.force_enabled
  const [mode, meaning] = modes[force_enabled ? 'override' : enabled ? 'smart' : 'off']
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!isSame) save.mutate()
  }
  return (
    <form
      onSubmit={submit}
      aria-label="Automated replies"
      className="flex flex-col gap-4 rounded-panel border border-line bg-raised p-4"
    >
      <Switch
        label="Automated replies"
        hint="Customers get an answer from the documentation and from what they have here, marked with a robot as not written by a person."
        checked={enabled}
        onCheckedChange={on => setDraft({ enabled: on, force_enabled: on && force_enabled })}
      />
      <Switch
        label="Override Mode"
        hint={
          enabled
            ? 'Also while staff are there. Without it Smart Mode holds.'
            : 'Can be on only while automated replies are.'
        }
        disabled={!enabled}
        checked={force_enabled}
        onCheckedChange={on => setDraft({ enabled, force_enabled: on })}
      />
      <p aria-live="polite" className="border-t border-line pt-4">
        <span className="font-semi">{mode}</span>
        {isSame ? ' now: ' : ' once it is saved: '}
        {meaning}
      </p>
      <Lines
        lines={[
          [
            'Writes',
            settings.writer === 'facts'
              ? 'The service, from facts alone'
              : `${settings.model ?? ''} at ${settings.model_host ?? ''}`,
          ],
          [
            'Last changed',
            settings.updated_at ? (
              <>
                <Time at={settings.updated_at} />, {settings.updated_by_email ?? 'an account that is gone'}
              </>
            ) : (
              'Never'
            ),
          ],
        ]}
      />
      {settings.writer === 'model' && (
        <p className="text-label font-normal text-muted">
          What customers write in tickets is sent there. They are told, in Support and on the page on privacy.
          What comes back is checked, and the facts are sent where it does not hold.
        </p>
      )}
      <span>
        <Button
          type="submit"
          variant="primary"
          busy={save.isPending}
          disabledReason={offline ?? (isSame ? 'Nothing was changed.' : null)}
        >
          Save
        </Button>
      </span>
    </form>
  )
}

function Counts({ settings: { counts, writer } }: { readonly settings: Settings }) {
  return (
    <section className="flex flex-col gap-2">
      <h2 className="text-heading">Last 30 days</h2>
      <StatList
        label="Last 30 days"
        stats={[
          {
            label: 'Answered automatically',
            value: counts.answered,
            hint: `${counts.unknown} of them said that they do not know`,
          },
          {
            label: 'Handed over',
            value: counts.handed_over,
            hint: 'A person was asked for, or a limit was reached',
          },
          {
            label: 'Refused by the guard',
            value: counts.refused,
            hint:
              writer === 'model' || counts.by_model > 0
                ? `${counts.by_model} by the model were sent`
                : 'No model writes',
          },
        ]}
      />
    </section>
  )
}
