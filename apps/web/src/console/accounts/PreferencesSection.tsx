import { autoShutdownMinutes, type UserSettings } from '@ingot/contracts/accounts'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Checkbox } from '../../ui/Checkbox.tsx'
import { Field } from '../../ui/Field.tsx'
import { Input } from '../../ui/Input.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { settingsQuery } from '../shell/api.ts'
import { errorText } from '../shell/error-text.ts'
import { QueryView } from '../shell/QueryView.tsx'
import { useDraft } from './draft.ts'
import { minutesProblem, readMinutes } from './minutes.ts'
import { SaveRow, Section } from './Section.tsx'
import { useUnsaved } from './unsaved.ts'
import { useSaveSettings } from './use-save-settings.ts'
import { CopyCall } from '../shell/CopyCall.tsx'

export function PreferencesSection() {
  const settings = useQuery(settingsQuery)
  return (
    <Section
      id="preferences"
      lead="For instances you deploy from now on. Each can be set otherwise, when you deploy or edit it."
    >
      <QueryView
        query={settings}
        failed="The preferences could not be loaded"
        skeleton={<Skeleton className="h-24" />}
      >
        {data => <PreferencesForm settings={data} />}
      </QueryView>
    </Section>
  )
}

function PreferencesForm({ settings }: { readonly settings: UserSettings }) {
  const { auto_shutdown_enabled, auto_shutdown_minutes } = settings
  const draft = useDraft({ auto_shutdown_enabled, auto_shutdown_minutes })
  const { values, edit } = draft
  /** As it is being typed; null while nobody types. */
  const [typed, setTyped] = useState<string | null>(null)
  const problem = minutesProblem(values.auto_shutdown_minutes)
  useUnsaved('preferences', draft.isChanged)
  const discard = () => {
    draft.discard()
    setTyped(null)
  }
  const save = useSaveSettings(discard)
  return (
    <form
      noValidate
      onSubmit={event => {
        event.preventDefault()
        setTyped(null)
        if (draft.isChanged && !problem && !save.isPending) save.mutate(draft.changes)
      }}
      className="flex flex-col gap-4"
    >
      <Checkbox
        label="Auto-shutdown"
        hint="Stops an instance that is idle: nothing typed in it, no request that changes something, and its processors and GPUs at rest where they can be measured. Its disk stays; a stopped instance costs $0.00/h."
        checked={values.auto_shutdown_enabled}
        onCheckedChange={checked => edit({ auto_shutdown_enabled: checked })}
      />
      <div className="w-full max-w-menu">
        <Field label="Timeout" hint="5 to 480 idle minutes." error={typed === null && problem}>
          <Input
            type="number"
            inputMode="numeric"
            min={autoShutdownMinutes.min}
            max={autoShutdownMinutes.max}
            end="min"
            disabled={!values.auto_shutdown_enabled}
            value={typed ?? values.auto_shutdown_minutes}
            onChange={event => {
              setTyped(event.target.value)
              edit({ auto_shutdown_minutes: readMinutes(event.target.value) })
            }}
            onBlur={() => setTyped(null)}
          />
        </Field>
      </div>
      <SaveRow
        isChanged={draft.isChanged}
        isBusy={save.isPending}
        command={<CopyCall call="accounts.updateSettings" values={draft.changes} />}
        problem={save.error && errorText(save.error)}
        onDiscard={() => {
          discard()
          save.reset()
        }}
      />
    </form>
  )
}
