import { maxProfileText } from '@ingot/contracts/accounts'
import { type Profile, useCaseIds, useCases } from '@ingot/contracts/accounts'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Button } from '../../ui/Button.tsx'
import { Field } from '../../ui/Field.tsx'
import { Input } from '../../ui/Input.tsx'
import { toast } from '../../ui/toast.ts'
import { Select } from '../../ui/Select.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { roleOptions } from '../auth/role-options.ts'
import { api } from '../shell/api.ts'
import { profileErrorText } from '../shell/error-text.ts'
import { QueryView } from '../shell/QueryView.tsx'
import { ChangeEmailDialog } from './ChangeEmailDialog.tsx'
import { useDraft } from './draft.ts'
import { profileQuery, userQuery } from './queries.ts'
import { SaveRow, Section } from './Section.tsx'
import { useUnsaved } from './unsaved.ts'
import { useDialog } from './use-dialog.ts'
import { CopyCall } from '../shell/CopyCall.tsx'

const caseOptions = useCaseIds.map(value => ({ value, label: useCases[value] }))

export function ProfileSection() {
  const profile = useQuery(profileQuery)
  return (
    <Section id="profile">
      <EmailRow />
      <QueryView
        query={profile}
        failed="The profile could not be loaded"
        skeleton={<Skeleton className="h-24" />}
      >
        {data => <ProfileForm profile={data} />}
      </QueryView>
    </Section>
  )
}

function EmailRow() {
  const { data: user } = useQuery(userQuery)
  const dialog = useDialog('email')
  return (
    <>
      <div className="flex flex-wrap items-end gap-2 sm:flex-nowrap">
        <div className="w-full">
          <Field
            label="Email"
            hint={
              user?.new_email
                ? `Waiting for both confirmations of ${user.new_email}.`
                : 'You sign in with it. Changing it has a dialog of its own.'
            }
          >
            <Input type="email" readOnly value={user?.email ?? ''} autoComplete="off" />
          </Field>
        </div>
        <div className="sm:pb-5">
          <Button onClick={dialog.open}>Change email</Button>
        </div>
      </div>
      {user && <ChangeEmailDialog user={user} open={dialog.isOpen} onClose={dialog.close} />}
    </>
  )
}

type Fields = Pick<Profile, 'first_name' | 'last_name' | 'company' | 'role' | 'use_case'>

function ProfileForm({ profile }: { readonly profile: Profile }) {
  const client = useQueryClient()
  const { first_name, last_name, company, role, use_case } = profile
  const draft = useDraft<Fields>({ first_name, last_name, company, role, use_case })
  const { values, edit } = draft
  useUnsaved('profile', draft.isChanged)
  const save = useMutation({
    mutationFn: () => api.accounts.update(draft.changes as Parameters<typeof api.accounts.update>[0]),
    onSuccess: saved => {
      client.setQueryData(profileQuery.queryKey, saved)
      draft.discard()
      toast.success('Profile updated successfully!')
    },
    onError: () => toast.error('Failed to update profile'),
  })
  return (
    <form
      noValidate
      onSubmit={event => {
        event.preventDefault()
        if (draft.isChanged && !save.isPending) save.mutate()
      }}
      className="flex flex-col gap-4"
    >
      <div className="grid gap-4 sm:grid-cols-2">
        <Field label="First name">
          <Input
            value={values.first_name}
            onChange={event => edit({ first_name: event.target.value })}
            autoComplete="given-name"
            maxLength={maxProfileText}
          />
        </Field>
        <Field label="Last name">
          <Input
            value={values.last_name}
            onChange={event => edit({ last_name: event.target.value })}
            autoComplete="family-name"
            maxLength={maxProfileText}
          />
        </Field>
        <Field label="Company" optional>
          <Input
            value={values.company}
            onChange={event => edit({ company: event.target.value })}
            autoComplete="organization"
            maxLength={maxProfileText}
          />
        </Field>
        <Field label="Role">
          <Select
            options={roleOptions}
            value={roleOptions.find(option => option.value === values.role)?.value}
            onValueChange={value => edit({ role: value })}
            placeholder="Select your role"
          />
        </Field>
        <Field label="Primary use case">
          <Select
            options={caseOptions}
            value={caseOptions.find(option => option.value === values.use_case)?.value}
            onValueChange={value => edit({ use_case: value })}
            placeholder="Select your primary use case"
          />
        </Field>
        <Field label="Plan" hint="Set by the service.">
          <Input readOnly value={profile.plan_name} />
        </Field>
      </div>
      <SaveRow
        isChanged={draft.isChanged}
        isBusy={save.isPending}
        command={<CopyCall call="accounts.update" values={draft.changes} />}
        problem={save.error && profileErrorText(save.error)}
        onDiscard={() => {
          draft.discard()
          save.reset()
        }}
      />
    </form>
  )
}
